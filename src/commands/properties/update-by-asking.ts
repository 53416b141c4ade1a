import { invalidInput } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { type PatchStep, pointerTo } from '../../model/patch.ts';
import { isFixedAt, type PropertyField, textInLanguageProblem } from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { languageProblem } from '../../model/values.ts';
import { neutraliseLine } from '../../out/text.ts';
import { changeOf, choice, type ReviewLine, review } from '../ask.ts';
import { withFlags } from '../options.ts';
import { askValue, title } from './ask.ts';
import { valueAt } from './body.ts';
import { idDetails, suggestingProperty } from './by-id.ts';
import { inObjects, pointerOf, stepsOf } from './changes.ts';

/** What is to change. */
export interface Wanted {
  readonly steps: readonly PatchStep[];
  /** The words of a command line that says so. */
  readonly argv: readonly string[];
  readonly isAsked: boolean;
  /** The property as it is, where it was read. */
  readonly shown?: ServiceRecord | undefined;
  /** Returns when the person wants it sent. @throws {CliError} exit 11 otherwise. */
  consent(): Promise<void>;
}

/** What the person wants changed; no steps where everything stays what it is. */
export async function askedChanges(id: string, session: Session): Promise<Wanted> {
  const { api, context } = session;
  const wrong = await idDetails(id, api);
  if (wrong.length > 0) throw invalidInput(wrong);
  const property = await api.properties.read(id, ['all']).catch(suggestingProperty(api, id));
  const changes = await askForChanges(property, session);
  const flags = changes.flatMap((change) => change.flags);
  const lines = changes.map(({ line }) => line);
  return {
    steps: inObjects(
      changes.map(({ step }) => step),
      property,
    ),
    argv: withFlags(context.argv, flags),
    isAsked: true,
    shown: property,
    async consent() {
      await review(lines, 'inventory', session);
      await session.confirm('Send it?');
    },
  };
}

/** One change that a person wants. */
export interface AskedChange {
  readonly step: PatchStep;
  /** The flags that would have said it. */
  readonly flags: readonly string[];
  readonly line: ReviewLine;
}

/** Stands for a language that a text does not have yet; no language is called so. */
const OTHER = '+';

/**
 * Asks which of the fields that can change are to, and for the new value of each, which begins with the one that is there.
 *
 * @returns what is new, nothing where all stayed what it was.
 */
async function askForChanges(property: ServiceRecord, session: Session): Promise<readonly AskedChange[]> {
  const { propertyFields, fixedFields } = session.api.dialect;
  const fields = propertyFields.filter(({ path }) => !isFixedAt(path, fixedFields));
  const choices = fields.map((field) => {
    const shown = currentText(valueAt(property, field)) ?? '(not shown)';
    return { value: field.flag, label: neutraliseLine(`${title(field)}: ${shown}`) };
  });
  const picked = await session.context.prompter.chooseSeveral('Fields to change', choices);
  const changes: AskedChange[] = [];
  for (const field of fields.filter(({ flag }) => picked.includes(flag))) {
    const value = valueAt(property, field);
    changes.push(
      ...(field.kind === 'languages'
        ? await askTexts(field, value, session)
        : await askText(field, value, session)),
    );
  }
  return changes;
}

async function askText(
  field: PropertyField,
  value: unknown,
  session: Session,
): Promise<readonly AskedChange[]> {
  const before = typeof value === 'string' ? value : undefined;
  const after = await askValue(field, before, session);
  if (after === before?.trim()) return [];
  const flags = [`--${field.flag}`, after];
  const line = changeOf(title(field), before, after);
  return stepsOf([{ field, value: after }]).map((step) => ({ step, flags, line }));
}

/** Asks in which languages a text is to change, and for the text in each. */
async function askTexts(
  field: PropertyField,
  value: unknown,
  session: Session,
): Promise<readonly AskedChange[]> {
  const texts = textsIn(value);
  const choices = [...texts].map(([language, text]) => choice(language, text));
  const picked =
    texts.size === 0
      ? [OTHER]
      : await session.context.prompter.chooseSeveral(`${title(field)} in which languages`, [
          ...choices,
          { value: OTHER, label: 'a language that it does not have yet' },
        ]);
  const changes: AskedChange[] = [];
  for (const each of picked) {
    const language = each === OTHER ? await askLanguage(texts, session) : each;
    changes.push(...(await askTextIn(language, { field, texts, isMap: isRecord(value) }, session)));
  }
  return changes;
}

async function askLanguage(texts: ReadonlyMap<string, string>, { context }: Session): Promise<string> {
  const answer = await context.prompter.text('Code of the language, for example fr', {
    check: (code) =>
      texts.has(code.trim()) ? `${code.trim()} is there already` : (languageProblem(code.trim()) ?? true),
  });
  return answer.trim();
}

/** A text in several languages. */
interface Translated {
  readonly field: PropertyField;
  readonly texts: ReadonlyMap<string, string>;
  /** Whether the service shows the texts by language: then one that is missing is added. */
  readonly isMap: boolean;
}

async function askTextIn(
  language: string,
  { field, texts, isMap }: Translated,
  { context }: Session,
): Promise<readonly AskedChange[]> {
  const before = texts.get(language);
  const answer = await context.prompter.text(`${title(field)} in ${language}`, {
    check: (text) => textInLanguageProblem(text.trim()) ?? true,
    ...(before === undefined ? {} : { initial: before }),
  });
  const after = answer.trim();
  if (after === before?.trim()) return [];
  const path = `${pointerOf(field)}${pointerTo(language)}`;
  const isOptional = field.isOptional === true;
  const isNew = isMap && before === undefined;
  const flags =
    isNew && !isOptional
      ? ['--add', `${path}=${JSON.stringify(after)}`]
      : [`--${field.flag}`, `${language}=${after}`];
  const line = changeOf(`${title(field)} (${language})`, isNew ? '(none)' : before, after);
  return [{ step: { op: isNew || isOptional ? 'add' : 'replace', path, value: after }, flags, line }];
}

/** The texts by language that can be changed by name. */
function textsIn(value: unknown): ReadonlyMap<string, string> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return new Map(
    entries.flatMap(([language, text]) =>
      typeof text === 'string' && languageProblem(language) === undefined ? [[language, text] as const] : [],
    ),
  );
}

function currentText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const texts = [...textsIn(value)].map(([language, text]) => `${language} ${text}`);
  return texts.length === 0 ? undefined : texts.join(', ');
}
