import { describe, expect, test } from 'vitest';
import { currenciesOf, newName, timeZonesOf } from '../../src/commands/properties/ask.ts';
import { countryCodes, currencyProblem, currencyWarning } from '../../src/model/codes.ts';
import { timeZoneProblem } from '../../src/model/values.ts';

test.each([
  ['DE', 'Europe/Berlin'],
  ['IN', 'Asia/Kolkata'],
  ['AR', 'America/Argentina/Buenos_Aires'],
  ['UA', 'Europe/Kyiv'],
])('the time zones of %s have %s', (country, zone) => {
  expect(timeZonesOf(country)).toContain(zone);
});

test.each<[string, readonly string[]]>([
  ['DE', ['EUR']],
  ['CH', ['CHF']],
  ['__proto__', []],
])('%s has the currencies %j', (country, currencies) => {
  expect(currenciesOf(country)).toEqual(currencies);
});

/** Uninhabited islands, of which Node knows no zone. */
const withoutZone = ['BV', 'HM'];

describe.each(countryCodes())('in %s', (country) => {
  test('time zones are known, and each is valid under the name in use today', () => {
    const zones = timeZonesOf(country);

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
