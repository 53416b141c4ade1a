import currencyOf from 'country-to-currency';
import { currencyProblem, currencyWarning } from './codes.ts';

/** A second legal tender, after the usual currency (CLDR). */
const second: Readonly<Record<string, string>> = {
  ...{ BT: 'INR', HT: 'USD', LS: 'ZAR', NA: 'ZAR', PA: 'USD', PS: 'JOD', ZW: 'USD' },
};

/** The currencies of a country, ISO 4217, the usual one first; empty if unknown. */
export function currenciesOf(country: string): readonly string[] {
  const usual: unknown = Object.hasOwn(currencyOf, country) ? Object(currencyOf)[country] : undefined;
  const { [country]: other } = second;
  return [usual, other].filter((code) => typeof code === 'string').filter(isCurrent);
}

function isCurrent(code: string): boolean {
  return currencyProblem(code) === undefined && currencyWarning(code) === undefined;
}

/**
 * The IANA time zones of a country, the likely ones first; empty if unknown. One, where all of them show the same time
 * throughout this year, as Europe/Berlin and Europe/Busingen do.
 *
 * @param now epoch milliseconds.
 */
export function timeZonesOf(country: string, now: number): readonly string[] {
  const zones = zonesIn(country)
    .map(newName)
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  const times = new Set(zones.map((zone) => timesIn(zone, now)));
  return times.size === 1 ? zones.slice(0, 1) : zones;
}

/** Node 20 has a property, later versions have a method. */
type ZonedLocale = Intl.Locale & { readonly timeZones?: string[]; getTimeZones?(): string[] };

function zonesIn(country: string): readonly string[] {
  if (!/^[A-Z]{2}$/.test(country)) return [];
  const locale: ZonedLocale = new Intl.Locale(`und-${country}`);
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}

/** Places by which zones of a country with several are known, the likely ones first. */
const likely = (
  'New_York Chicago Denver Los_Angeles Phoenix Anchorage Honolulu Toronto Vancouver Edmonton Winnipeg Halifax ' +
  'Mexico_City Cancun Tijuana Sao_Paulo Manaus Buenos_Aires Santiago Guayaquil Sydney Melbourne Brisbane Perth ' +
  'Adelaide Auckland Moscow Yekaterinburg Novosibirsk Almaty Tashkent Shanghai Jakarta Makassar Kuala_Lumpur ' +
  'Ulaanbaatar Kinshasa Nicosia Berlin Madrid Canary Lisbon Madeira Azores Kyiv Nuuk Hebron Tahiti Port_Moresby ' +
  'Majuro Pohnpei Tarawa'
).split(' ');

function rankOf(zone: string): number {
  const at = likely.indexOf(placeOf(zone));
  return at === -1 ? likely.length : at;
}

/** The place of a zone: `Buenos_Aires` of `America/Argentina/Buenos_Aires`. */
export function placeOf(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1);
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

/** What a zone adds to UTC at the beginning of each month of a year. */
function timesIn(timeZone: string, now: number): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const year = new Date(now).getUTCFullYear();
  const months = Array.from({ length: 12 }, (_, month) => Date.UTC(year, month));
  return months
    .map((time) => format.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value)
    .join(' ');
}
