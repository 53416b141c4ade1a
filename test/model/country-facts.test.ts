import { describe, expect, test } from 'vitest';
import { countryCodes, currencyProblem, currencyWarning } from '../../src/model/codes.ts';
import { currenciesOf, newName, timeZonesOf } from '../../src/model/country-facts.ts';
import { timeZoneProblem } from '../../src/model/values.ts';

const now = Date.UTC(2026, 10, 23);

test.each<[string, readonly string[]]>([
  ['DE', ['Europe/Berlin']],
  ['AT', ['Europe/Vienna']],
  ['CH', ['Europe/Zurich']],
  ['IN', ['Asia/Kolkata']],
  ['AR', ['America/Argentina/Buenos_Aires']],
  ['KZ', ['Asia/Almaty']],
  ['MY', ['Asia/Kuala_Lumpur']],
  ['ES', ['Europe/Madrid', 'Atlantic/Canary', 'Africa/Ceuta']],
  ['PT', ['Europe/Lisbon', 'Atlantic/Madeira', 'Atlantic/Azores']],
  ['CN', ['Asia/Shanghai', 'Asia/Urumqi']],
  ['NZ', ['Pacific/Auckland', 'Pacific/Chatham']],
  ['ID', ['Asia/Jakarta', 'Asia/Makassar', 'Asia/Jayapura', 'Asia/Pontianak']],
  ['BV', []],
  ['', []],
  ['germany', []],
])('%s has the time zones %j', (country, zones) => {
  expect(timeZonesOf(country, now)).toEqual(zones);
});

test.each([
  ['US', 'America/New_York'],
  ['CA', 'America/Toronto'],
  ['BR', 'America/Sao_Paulo'],
  ['AU', 'Australia/Sydney'],
  ['MX', 'America/Mexico_City'],
  ['RU', 'Europe/Moscow'],
  ['CL', 'America/Santiago'],
  ['UA', 'Europe/Kyiv'],
  ['GL', 'America/Nuuk'],
])('the first of several time zones of %s is %s', (country, zone) => {
  const [first, ...others] = timeZonesOf(country, now);

  expect({ first, isOneOfSeveral: others.length > 0 }).toEqual({ first: zone, isOneOfSeveral: true });
});

test.each<[string, readonly string[]]>([
  ['DE', ['EUR']],
  ['HR', ['EUR']],
  ['BG', ['EUR']],
  ['CH', ['CHF']],
  ['CW', ['XCG']],
  ['SL', ['SLE']],
  ['VE', ['VES']],
  ['PA', ['PAB', 'USD']],
  ['LS', ['LSL', 'ZAR']],
  ['AN', []],
  ['__proto__', []],
  ['constructor', []],
])('%s has the currencies %j', (country, currencies) => {
  expect(currenciesOf(country)).toEqual(currencies);
});

/** Uninhabited islands, of which Node knows no zone. */
const withoutZone = ['BV', 'HM'];

describe.each(countryCodes())('in %s', (country) => {
  test('time zones are derived or asked for, and each is valid under the name in use today', () => {
    const zones = timeZonesOf(country, now);

    expect(zones.length > 0).toBe(!withoutZone.includes(country));
    expect(zones.filter((zone) => timeZoneProblem(zone) !== undefined)).toEqual([]);
    expect(zones.filter((zone) => newName(zone) !== zone)).toEqual([]);
    expect(new Set(zones).size).toBe(zones.length);
  });

  test('there is a currency in force', () => {
    const currencies = currenciesOf(country);

    expect(currencies.length).toBeGreaterThan(0);
    expect(currencies.flatMap((code) => currencyProblem(code) ?? currencyWarning(code) ?? [])).toEqual([]);
  });
});

test('a new name of a zone is another name of the same zone', () => {
  const renamed = Intl.supportedValuesOf('timeZone').filter((zone) => newName(zone) !== zone);
  const resolved = (timeZone: string) =>
    new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;

  expect(renamed.length).toBeGreaterThan(0);
  expect(renamed.map((zone) => resolved(newName(zone)))).toEqual(renamed.map(resolved));
});
