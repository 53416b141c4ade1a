import { invalidInput } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { pointerTo } from '../../model/patch.ts';
import { isFixedAt, type PropertyField, textInLanguageProblem } from '../../model/property-fields.ts';
import { isRecord, valueAt } from '../../model/records.ts';
import { languageProblem } from '../../model/values.ts';
import { changeOf, choice } from '../ask.ts';
import { type AskedChange, askChanges, askText } from '../ask-changes.ts';
import { withFlags } from '../lines.ts';
import { askValue, title } from './ask.ts';
import { idDetails, suggestProperty } from './by-id.ts';
import { inObjects, pointerOf, stepsOf } from './changes.ts';
import type { Wanted } from './update.ts';

/** Reads a property, prompts for the fields to change, then for their new values. */
export async function askedChanges(id: string, session: Session): Promise<Wanted> {
  const { api, context } = session;
  const wrong = await idDetails(id, api);
  if (wrong.length > 0) throw invalidInput(wrong);
  const property = await api.properties.read(id, ['all']).catch(suggestProperty(api, id));
  const { propertyFields, fixedFields } = api.dialect;
  const fields = propertyFields.filter(({ path }) => !isFixedAt(path, fixedFields));
  const questions = fields.map((field) => {
    const value = valueAt(property, field.path);
    const ask = () =>
      field.kind === 'languages' ? askTexts(field, value, session) : askOne(field, value, session);
    return { field: field.flag, label: title(field), shown: currentText(value), ask };
  });
  const asked = await askChanges('Fields to change', questions, context);
  const steps = asked.flatMap(({ changes }) => changes.steps);
  const argv = withFlags(
    context.argv,
    asked.flatMap(({ flags }) => flags),
  );
  return { steps: inObjects(steps, property), argv, lines: asked.map(({ line }) => line), shown: property };
}

async function askOne(
  field: PropertyField,
  value: unknown,
  session: Session,
): Promise<readonly AskedChange[]> {
  const before = typeof value === 'string' ? value : undefined;
  const after = await askValue(field, before, session);
  if (after === before?.trim()) return [];
  const steps = stepsOf([{ field, value: after }]);
  return [
    { changes: { steps }, flags: [`--${field.flag}`, after], line: changeOf(title(field), before, after) },
  ];
}

/** Choice for a further language; not a language code. */
const OTHER = '+';

/** Prompts for the languages to change, then for the text in each. */
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
    const before = texts.get(language);
    const label = `${title(field)} in ${language}`;
    const after = await askText(label, before, session.context, textInLanguageProblem);
    if (after !== undefined)
      changes.push(textChange(field, language, { before, after, isMap: isRecord(value) }));
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

interface TextChange {
  readonly before: string | undefined;
  readonly after: string;
  /** Whether the service shows texts by language; then a missing language uses `add`. */
  readonly isMap: boolean;
}

function textChange(
  field: PropertyField,
  language: string,
  { before, after, isMap }: TextChange,
): AskedChange {
  const path = `${pointerOf(field)}${pointerTo(language)}`;
  const isNew = isMap && before === undefined;
  const op = isNew || field.isOptional === true ? 'add' : 'replace';
  const flags =
    isNew && field.isOptional !== true
      ? ['--add', `${path}=${JSON.stringify(after)}`]
      : [`--${field.flag}`, `${language}=${after}`];
  const line = changeOf(`${title(field)} (${language})`, isNew ? '(none)' : before, after);
  return { changes: { steps: [{ op, path, value: after }] }, flags, line };
}

/** The texts by language that can be changed individually. */
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
