import { invalidInput } from '../../cli/errors.ts';
import type { Choice, Prompter } from '../../cli/ports.ts';
import type { Session } from '../../cli/session.ts';
import { currencyWarning } from '../../model/codes.ts';
import { pointerTo } from '../../model/patch.ts';
import {
  isFixedAt,
  type PropertyField,
  serviceFields,
  textInLanguageProblem,
} from '../../model/property-fields.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import { capitalised, firstOf, textProblem } from '../../model/text.ts';
import { languageProblem } from '../../model/values.ts';
import { clip, neutraliseLine, withFlags } from '../../out/text.ts';
import type { Api } from '../../service/service.ts';
import { type Answered, answered, askText, choice, choicesFrom, fieldChoice } from '../ask.ts';
import { withoutFlag } from '../lines.ts';
import { pointerOf } from './changes.ts';
import { suggestProperty } from './get.ts';
import { type Draft, draftProblems, missingFields, outerFields, put, unsetFields } from './given.ts';

interface Options {
  readonly like?: string;
  readonly validate: boolean;
  /** Whether to prompt for missing values. */
  readonly isAsked: boolean;
}

/**
 * Completes a draft with prompts or, without a terminal, from the property of --like. In prompts, the values of that
 * property are the defaults.
 *
 * @returns the body, and the command line with all values, without --like.
 * @throws {CliError} exit 2 with all missing and invalid values.
 */
export async function completeDraft(given: Draft, { like, validate, isAsked }: Options, session: Session) {
  const { out, context } = session;
  const sibling = await readSibling(like, given, session);
  const asked = isAsked ? await askForMissing(given, sibling, session) : given;
  const draft = withCopied(sibling, asked);
  const { body } = draft;
  const details = validate ? draftProblems(draft, true) : [];
  if (details.length > 0) throw invalidInput(details, hintFor(like, unshownIn(sibling, draft)));
  const warnings = [
    validate ? currencyWarning(body['currency_code']) : undefined,
    like === undefined ? undefined : notCopiedText(like, sibling, draft),
  ];
  for (const warning of warnings) if (warning !== undefined) await out.warn(warning);
  // The property may have changed when the command is run again.
  return { body, argv: withFlags(withoutFlag(context.argv, '--like'), answersIn(draft, given)) };
}

function hintFor(like: string | undefined, unshown: readonly PropertyField[]): string {
  if (like === undefined || unshown.length === 0) return 'innctl properties create --help';
  const flags = unshown.map(({ flag, example }) => `--${flag} ${example ?? 'VALUE'}`);
  return `${like} does not show this; give it: ${flags.join(' ')}`;
}

/**
 * Prompts for each missing field.
 *
 * @param sibling a property with the default answers.
 */
async function askForMissing(draft: Draft, sibling: ServiceRecord, session: Session): Promise<Draft> {
  let { body } = draft;
  for (const field of missingFields(draft)) {
    const like = valueLike(sibling, field);
    const initial = typeof like === 'string' ? like : like?.['en'];
    const answer = await askValue(field, initial, session);
    body = put(body, field, field.kind === 'languages' ? textsOf(answer, like) : answer);
  }
  return { ...draft, body };
}

/** If the English text is taken, those in other languages are too. */
function textsOf(answer: string, like: ReturnType<typeof valueLike>) {
  return typeof like === 'object' && like['en']?.trim() === answer ? like : { en: answer };
}

/**
 * Prompts for the value of a field, or its English text, with choices if the values are listed.
 *
 * @param initial the default answer.
 */
async function askValue(
  field: PropertyField,
  initial: string | undefined,
  { api, context: { prompter } }: Session,
): Promise<string> {
  const choices = await choicesOf(field, api);
  const problem = (text: string) => textProblem(text) ?? field.check(text);
  if (choices.length === 0) return askText(question(field), problem, prompter, initial);
  const isUnlisted = initial !== undefined && choices.every(({ value }) => value !== initial);
  const isKept = isUnlisted && field.check(initial) === undefined;
  const offered = isKept ? [choice(initial, undefined), ...choices] : choices;
  return prompter.choose(title(field), offered, { initial });
}

/** The answers as flags. */
function answersIn(draft: Draft, given: Draft): readonly string[] {
  return unsetFields(given).flatMap((field) => {
    const value = valueAt(draft.body, field.path);
    if (value === undefined || value === null) return [];
    const texts = isRecord(value) ? Object.entries(value).map(([tag, text]) => `${tag}=${text}`) : [value];
    return texts.flatMap((text) => [`--${field.flag}`, String(text)]);
  });
}

/** The label of a field. */
function title({ kind, flag, summary }: PropertyField): string {
  return capitalised(kind === 'languages' ? flag.replaceAll('-', ' ') : summary);
}

function question(field: PropertyField): string {
  if (field.kind === 'languages') return `${title(field)} in English`;
  return field.example === undefined ? title(field) : `${title(field)}, for example ${field.example}`;
}

/**
 * The choices for a field: countries from the service, time zones and currencies from Node. Empty if there is no list,
 * or the caller may not read it.
 */
async function choicesOf({ flag, check }: PropertyField, { countries }: Api): Promise<readonly Choice[]> {
  const isRight = (text: string) => check(text) === undefined;
  if (flag === 'country-code') {
    const names = new Intl.DisplayNames(['en'], { type: 'region' });
    const nameIn = ({ code }: ServiceRecord) => names.of(String(code));
    return (await choicesFrom(countries.list({}, {}), 'code', check, nameIn)) ?? [];
  }
  if (flag === 'time-zone') {
    const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC']);
    return [...zones].filter(isRight).map((zone) => choice(zone, undefined));
  }
  if (flag !== 'currency-code') return [];
  const names = new Intl.DisplayNames(['en'], { type: 'currency' });
  return Intl.supportedValuesOf('currency')
    .filter((code) => isRight(code) && currencyWarning(code) === undefined)
    .map((code) => choice(code, names.of(code)));
}

/** Prompts for the fields of a property to change, then for their new values. */
export async function askPropertyChanges(property: ServiceRecord, session: Session) {
  const { propertyFields, fixedFields } = session.api.dialect;
  const fields = propertyFields.filter(({ path }) => !isFixedAt(path, fixedFields));
  const shownOf = ({ path }: PropertyField) => valueAt(property, path);
  const offered = fields.map((field) => fieldChoice(field.flag, title(field), currentText(shownOf(field))));
  const picked = await session.context.prompter.chooseSeveral('Fields to change', offered);
  const answers: Answered[] = [];
  for (const field of fields.filter(({ flag }) => picked.includes(flag))) {
    const askNew = field.kind === 'languages' ? askTexts : askOne;
    answers.push(...(await askNew(field, shownOf(field), session)));
  }
  return answers;
}

async function askOne(field: PropertyField, value: unknown, session: Session): Promise<readonly Answered[]> {
  const before = typeof value === 'string' ? value : undefined;
  const after = await askValue(field, before, session);
  if (after === before?.trim()) return [];
  return [answered(title(field), before, after, [`--${field.flag}`, after])];
}

/** Choice for a further language; not a language code. */
const OTHER = '+';

/** Prompts for the languages to change, then for the text in each. */
async function askTexts(field: PropertyField, value: unknown, session: Session) {
  const { prompter } = session.context;
  const texts = new Map(Object.entries(textsByLanguage(value)));
  const choices = [...texts].map(([language, text]) => choice(language, text));
  const other = { value: OTHER, label: 'a language that it does not have yet' };
  const picked =
    texts.size === 0
      ? [OTHER]
      : await prompter.chooseSeveral(`${title(field)} in which languages`, [...choices, other]);
  const answers: Answered[] = [];
  for (const each of picked) {
    const language = each === OTHER ? await askLanguage(texts, prompter) : each;
    const before = texts.get(language);
    const after = await askText(`${title(field)} in ${language}`, textInLanguageProblem, prompter, before);
    if (after === before?.trim()) continue;
    // The contract replaces texts; a language that a shown map lacks is added.
    const isNew = isRecord(value) && before === undefined;
    const words =
      isNew && field.isOptional !== true
        ? ['--add', `${pointerOf(field)}${pointerTo(language)}=${JSON.stringify(after)}`]
        : [`--${field.flag}`, `${language}=${after}`];
    answers.push(answered(`${title(field)} (${language})`, isNew ? '(none)' : before, after, words));
  }
  return answers;
}

async function askLanguage(texts: ReadonlyMap<string, string>, prompter: Prompter): Promise<string> {
  const problem = (code: string) => (texts.has(code) ? `${code} is there already` : languageProblem(code));
  return askText('Code of the language, for example fr', problem, prompter);
}

function currentText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  const texts = Object.entries(textsByLanguage(value)).map((entry) => entry.join(' '));
  return texts.length === 0 ? undefined : texts.join(', ');
}

/** Fields that are never copied. */
const neverCopied: ReadonlySet<string> = new Set(['code', 'name']);

/** Limits for the list of values that were not copied: names, and code units of each. */
const [MOST_NAMED, LONGEST_NAME] = [20, 60];

/**
 * The property of --like; not requested if the draft lacks no field that could be copied.
 *
 * @throws {CliError} exit 3 with a similar id.
 */
async function readSibling(id: string | undefined, draft: Draft, { api }: Session) {
  const wanted = unsetFields(draft).filter(({ flag }) => !neverCopied.has(flag));
  if (id === undefined || wanted.length === 0) return {};
  const languages = wanted.some(({ kind }) => kind === 'languages') ? ['all'] : undefined;
  return api.properties.read(id, languages).catch(suggestProperty(api, id));
}

/** The value of a field to copy; `undefined` if it is not shown as text. */
function valueLike(sibling: ServiceRecord, field: PropertyField) {
  if (neverCopied.has(field.flag)) return undefined;
  const value = valueAt(sibling, field.path);
  if (field.kind === 'languages') return textsIn(value);
  return typeof value === 'string' ? value : undefined;
}

/** A language map, only as a whole. */
function textsIn(value: unknown): Readonly<Record<string, string>> | undefined {
  const shown = isRecord(value) ? Object.values(value).filter((text) => text !== null) : [];
  const texts = textsByLanguage(value);
  const { length } = Object.keys(texts);
  return length === 0 || length < shown.length ? undefined : texts;
}

/** The texts of a language map that can be sent; what is not a text in a language is left out. */
function textsByLanguage(value: unknown): Readonly<Record<string, string>> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([language, text]) =>
      typeof text === 'string' && languageProblem(language) === undefined ? [[language, text]] : [],
    ),
  );
}

/** The draft completed from a property; a value in place of an object is kept and refused later. */
function withCopied(sibling: ServiceRecord, draft: Draft): Draft {
  const withNeeded = copyFields(missingFields(draft), sibling, draft);
  const optional = unsetFields(withNeeded).filter((field) => matchesAround(field, sibling, withNeeded));
  return copyFields(optional, sibling, withNeeded);
}

function copyFields(fields: readonly PropertyField[], sibling: ServiceRecord, draft: Draft): Draft {
  const body = fields.reduce<Draft['body']>((before, field) => {
    const isMisshapen = field.path.length === 2 && !isRecord(before[field.path[0]] ?? {});
    const value = isMisshapen ? undefined : valueLike(sibling, field);
    return value === undefined ? before : put(before, field, value);
  }, draft.body);
  return { ...draft, body };
}

/** Parts of an address or bank account are copied only if the rest matches. */
function matchesAround({ path }: PropertyField, sibling: ServiceRecord, { body, fields }: Draft): boolean {
  const around = path.length === 1 ? [] : fields.filter((other) => other.path[0] === path[0]);
  return around.every((other) => {
    const value = valueAt(body, other.path) ?? undefined;
    return value === undefined || value === valueAt(sibling, other.path);
  });
}

/** Missing fields that the property does not show. */
function unshownIn(sibling: ServiceRecord, draft: Draft): readonly PropertyField[] {
  return missingFields(draft).filter(
    (field) => !neverCopied.has(field.flag) && valueLike(sibling, field) === undefined,
  );
}

/** A sentence on the values that were not copied; `undefined` if all were. */
function notCopiedText(id: string, sibling: ServiceRecord, { body, fields }: Draft): string | undefined {
  const needed = fields.filter(({ isOptional }) => isOptional !== true);
  const known = new Set([...serviceFields, ...needed.flatMap(({ path }) => [path[0], path.join('.')])]);
  const inside = outerFields.flatMap((outer) => {
    const { [outer]: seen } = sibling;
    const isJudged =
      known.has(outer) || fields.some(({ path }) => path[0] === outer && body[outer] !== undefined);
    return isJudged && isRecord(seen) ? namesLeft(seen, body[outer], `${outer}.`) : [];
  });
  const names = [...namesLeft(sibling, body, ''), ...inside].filter((path) => !known.has(path));
  if (names.length === 0) return undefined;
  const shown = firstOf(names, MOST_NAMED).map((name) => clip(neutraliseLine(name), LONGEST_NAME));
  return `Not taken from ${id}: ${shown.join(', ')}. A property is created without them.`;
}

/** The fields of a record that the draft does not have. */
function namesLeft(record: ServiceRecord, draft: unknown, above: string): readonly string[] {
  return Object.entries(record)
    .filter(([name, value]) => !isEmpty(value) && !(isRecord(draft) && Object.hasOwn(draft, name)))
    .map(([name]) => `${above}${name}`);
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object') return value === undefined || value === '';
  return value === null || Object.keys(value).length === 0;
}
