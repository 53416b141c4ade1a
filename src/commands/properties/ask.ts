import currencyOf from 'country-to-currency';
import { type Answered, answered, askText, choice, choicesFrom, fieldChoice } from '../../change/ask.ts';
import { patchWords } from '../../change/patch.ts';
import { currencyWarning } from '../../model/codes.ts';
import { isFixedAt, textInLanguageProblem } from '../../model/field-values.ts';
import type { Field } from '../../model/kinds.ts';
import { pointerTo } from '../../model/patch.ts';
import type { Choice, Prompter } from '../../model/ports.ts';
import { isRecord, type ServiceRecord, valueAt } from '../../model/records.ts';
import { capitalised } from '../../model/text.ts';
import { languageProblem } from '../../model/values.ts';
import type { Api } from '../../service/service.ts';
import type { Session } from '../../session/session.ts';
import { pointerOf } from '../fields.ts';

/** Prompts for the fields of a property to change, then for their new values. */
export async function askPropertyChanges(property: ServiceRecord, session: Session) {
  const { propertyFields, fixedFields } = session.api.dialect;
  const fields = propertyFields.filter(({ path }) => !isFixedAt(path, fixedFields));
  const shownOf = ({ path }: Field) => valueAt(property, path);
  const offered = fields.map((field) => fieldChoice(field.flag, title(field), currentText(shownOf(field))));
  const picked = await session.context.prompter.chooseSeveral('Fields to change', offered);
  const answers: Answered[] = [];
  for (const field of fields.filter(({ flag }) => picked.includes(flag))) {
    const askNew = field.type === 'languages' ? askTexts : askOne;
    answers.push(...(await askNew(field, shownOf(field), session)));
  }
  return answers;
}

async function askOne(field: Field, value: unknown, session: Session): Promise<readonly Answered[]> {
  const before = typeof value === 'string' ? value : undefined;
  const after = await askValue(field, before, session);
  if (after === before?.trim()) return [];
  return [answered(title(field), before, after, [`--${field.flag}`, after])];
}

/** Choice for a further language; not a language code. */
const OTHER = '+';

/** Prompts for the languages to change, then for the text in each. */
async function askTexts(field: Field, value: unknown, session: Session) {
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
        ? patchWords({ op: 'add', path: `${pointerOf(field)}${pointerTo(language)}`, value: after })
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

/**
 * Prompts for the value of a field, or its English text, with choices if the values are listed.
 *
 * @param initial the default answer.
 * @param about.count the words before the question.
 * @param about.record the property so far: its country says what is likely.
 */
export async function askValue(
  field: Field,
  initial: string | undefined,
  { api, context: { prompter } }: Session,
  { count = '', record = {} }: { readonly count?: string; readonly record?: ServiceRecord } = {},
): Promise<string> {
  const choices = await choicesOf(field, record, api);
  const { check, read = (text) => text } = field;
  const problem = (text: string) => check(read(text));
  if (choices.length === 0) {
    return read(await askText(`${count}${question(field, initial)}`, problem, prompter, initial));
  }
  const isUnlisted = initial !== undefined && choices.every(({ value }) => value !== initial);
  const isKept = isUnlisted && check(initial) === undefined;
  const offered = isKept ? [choice(initial), ...choices] : choices;
  return prompter.choose(`${count}${title(field)}`, offered, { initial });
}

/** The label of a field. */
function title({ type, flag, summary }: Field): string {
  return capitalised(type === 'languages' ? flag.replaceAll('-', ' ') : summary);
}

function question(field: Field, initial: string | undefined): string {
  if (field.type === 'languages') return `${title(field)} in English`;
  const isClear = field.example === undefined || initial !== undefined;
  return isClear ? title(field) : `${title(field)}, for example ${field.example}`;
}

/**
 * The choices for a field: countries from the service, time zones and currencies from Node, those of the country first. Empty
 * if there is no list, or the caller may not read it.
 */
async function choicesOf(
  field: Field,
  { location }: ServiceRecord,
  { countries }: Api,
): Promise<readonly Choice[]> {
  const { flag, check } = field;
  const country = isRecord(location) ? location['country_code'] : undefined;
  const isRight = (text: string) => check(text) === undefined;
  if (flag === 'country-code') {
    const names = new Intl.DisplayNames(['en'], { type: 'region' });
    const about = ({ code }: ServiceRecord) => [names.of(String(code))];
    return (await choicesFrom(countries.list({}, {}), 'code', check, about)) ?? [];
  }
  if (flag === 'time-zone') {
    const zones = [...timeZonesOf(country), ...Intl.supportedValuesOf('timeZone').map(newName), 'UTC'];
    return [...new Set(zones)].filter(isRight).map((zone) => choice(zone));
  }
  if (flag !== 'currency-code') return [];
  const names = new Intl.DisplayNames(['en'], { type: 'currency' });
  return [...new Set([...currenciesOf(country), ...Intl.supportedValuesOf('currency')])]
    .filter((code) => isRight(code) && currencyWarning(code) === undefined)
    .map((code) => choice(code, names.of(code)));
}

/** The texts of a language map that can be sent; what is not a text in a language is left out. */
export function textsByLanguage(value: unknown): Readonly<Record<string, string>> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([language, text]) =>
      typeof text === 'string' && languageProblem(language) === undefined ? [[language, text]] : [],
    ),
  );
}

/** The currency of a country, ISO 4217; empty if unknown. */
export function currenciesOf(country: unknown): readonly string[] {
  const usual: unknown = new Map(Object.entries(currencyOf)).get(String(country));
  return typeof usual === 'string' ? [usual] : [];
}

/** Node 20 has a property, later versions have a method. */
type ZonedLocale = Intl.Locale & { readonly timeZones?: string[]; getTimeZones?(): string[] };

/** The IANA time zones of a country; empty if unknown. */
export function timeZonesOf(country: unknown): readonly string[] {
  if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country)) return [];
  const locale: ZonedLocale = new Intl.Locale(`und-${country}`);
  return (locale.getTimeZones?.() ?? locale.timeZones ?? []).map(newName);
}

/** Names that Node still uses, and those that replaced them. */
const renamed: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/** The name of a zone that is in use today. */
export function newName(zone: string): string {
  return renamed[zone] ?? zone;
}
