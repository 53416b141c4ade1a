import { jsonTokens } from './json-text.ts';
import { guess, quote } from './text.ts';

/** What is wrong with a BCP 47 language tag such as `de` or `de-AT`, or `undefined`. */
export function languageProblem(tag: string): string | undefined {
  const proper = canonicalTag(tag);
  if (proper === undefined || !isKnown(new Intl.Locale(proper).language))
    return `${quote(tag)} is not a language code such as en, de or de-AT`;
  const isMiscased = proper !== tag && proper.toLowerCase() === tag.toLowerCase();
  return isMiscased ? `${quote(tag)} is written ${proper}` : undefined;
}

function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** The codes of ISO 639-1 with two letters, as ICU knows them. */
export const languageCodes: readonly string[] = (
  'aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo ' +
  'es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ' +
  'ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn ' +
  'no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta ' +
  'te tg th ti tk tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu'
).split(' ');

/** A code of three letters may be one of thousands; longer ones are words. */
function isKnown(language: string): boolean {
  return language.length === 3 || languageCodes.includes(language);
}

/** What is wrong with a whole number, or `undefined`. @param most named if it is given. */
export function wholeProblem(text: string | undefined, least = 1, most?: number): string | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,10}$/.test(text) ? Number(text) : -1;
  if (number >= least && number <= (most ?? 2_147_483_647)) return undefined;
  return `${quote(text)} is not a whole number from ${least}${most === undefined ? '' : ` to ${most}`}`;
}

/** Digits; longer than the largest number. */
const LONGEST = 400;

/**
 * The first number whose value would change when sent, because no double holds it (12345678901234567890,
 * 0.30000000000000001, 1e999); otherwise `undefined`. The notation does not matter (1.0, 1e3).
 *
 * @param json well-formed.
 */
export function inexactNumber(json: string): string | undefined {
  for (const { kind, start, end } of jsonTokens(json)) {
    if (kind !== 'number') continue;
    const number = json.slice(start, end);
    if (!isExact(number)) return number;
  }
  return undefined;
}

function isExact(text: string): boolean {
  const number = Number(text);
  if (text.length > LONGEST || !Number.isFinite(number)) return false;
  return decimalOf(text) === decimalOf(String(number));
}

/** One notation for each value: the significant digits, and a power of ten. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const counting = digits.replace(/0+$/, '');
  if (counting === '') return '0';
  return `${sign}${counting}e${Number(exponent) - fraction.length + digits.length - counting.length}`;
}

const timeOfDayPattern = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;

/** What is wrong with a time of day in the contract's format HH:MM:SS, or `undefined`. */
export function timeOfDayProblem(text: string): string | undefined {
  if (timeOfDayPattern.test(text)) return undefined;
  const time = timeOfDay(text);
  const advice = time === text ? '' : `: write ${time}`;
  return `${quote(text)} is not a time of day from 00:00:00 to 23:59:59 (HH:MM:SS)${advice}`;
}

/** A time of day as it is sent: `09:30:00` for `9:30`, `9.30`, `9:30 AM`, `9:30 Uhr`. Other texts stay. */
export function timeOfDay(text: string): string {
  const typed = /^(\d{1,2})(?:[:.](\d{2})(?:[:.](\d{2}))?)?\s*(?:([ap])\.?m\.?|uhr|h)?$/i.exec(text.trim());
  const [, hour = '', minute = '00', second = '00', half] = typed ?? [];
  const isPlain = /^\d*$/.test(text) || (half !== undefined && !/^(0?[1-9]|1[0-2])$/.test(hour));
  if (hour === '' || isPlain) return text;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  const time = `${String(hours).padStart(2, '0')}:${minute}:${second}`;
  return timeOfDayPattern.test(time) ? time : text;
}

/** Words for true and false in files; a German spreadsheet writes WAHR and FALSCH. */
const truths: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'wahr', 'yes', 'ja'].map((word) => [word, true] as const),
  ...['false', 'falsch', 'no', 'nein'].map((word) => [word, false] as const),
]);

/** The truth that a value is, or that its word is; `undefined` for others. */
export function truthIn(value: unknown): boolean | undefined {
  if (typeof value === 'string') return truths.get(value.trim().toLowerCase());
  return typeof value === 'boolean' ? value : undefined;
}

/** Places of common zones: loading the names of all zones takes as long as starting Node. */
const usualZones = new Set(
  (
    'Amsterdam Andorra Athens Belgrade Berlin Bratislava Brussels Bucharest Budapest Copenhagen Dublin Helsinki Istanbul ' +
    'Lisbon Ljubljana London Luxembourg Madrid Malta Monaco Moscow Oslo Paris Podgorica Prague Riga Rome Sarajevo Skopje ' +
    'Sofia Stockholm Tallinn Tirane Vaduz Vienna Vilnius Warsaw Zagreb Zurich'
  )
    .split(' ')
    .map((place) => `Europe/${place}`),
);

/** What is wrong with an IANA time zone name, or `undefined`. Aliases are accepted; the case must be right. */
export function timeZoneProblem(text: string): string | undefined {
  if (usualZones.has(text)) return undefined;
  const zone = /^[A-Za-z]/.test(text) ? resolve(text) : undefined;
  if (zone === undefined)
    return `${quote(text)} is not an IANA time zone${guess(text, Intl.supportedValuesOf('timeZone'))}`;
  if (text === zone || !isMiscased(text, zone)) return undefined;
  const right = text.toLowerCase() === zone.toLowerCase() ? zone : titleCase(text);
  return `${quote(text)} is written ${right}`;
}

/** Whether two names are of one time zone: Europe/Kiev and Europe/Kyiv. */
export function isSameZone(one: string, other: string): boolean {
  return one === other || (resolve(one) ?? one) === (resolve(other) ?? other);
}

function resolve(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Aliases are not listed in their right case: lower case alone, or a place in upper case, is certainly wrong. */
function isMiscased(text: string, zone: string): boolean {
  if (text.toLowerCase() === zone.toLowerCase()) return true;
  const place = text.split('/')[1] ?? '';
  return (
    text === text.toLowerCase() || (place.length > 3 && !/\d/.test(place) && place === place.toUpperCase())
  );
}

function titleCase(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/(^|[/_-])([a-z])/g, (_, before, letter) => before + letter.toUpperCase());
}
