import nock from 'nock';
import { expect, test } from 'vitest';
import { type Choice, Interruption, type Prompter } from '../../src/cli/ports.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { flagsOf, hamburg } from '../helpers/hamburg.ts';
import { emptyAccount, onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';

const API = 'https://api.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
const PROPERTIES = '/inventory/v1/properties';
const COUNTRIES = '/inventory/v1/types/countries';

/** All fields except country, time zone and currency, which the prompts offer as lists. */
const argsWithoutLists = [
  ...['properties', 'create'],
  ...flagsOf(hamburg).flatMap((pair) => (/country|zone|currency/.test(pair[0]) ? [] : pair)),
];

onlyIntercepted();
emptyAccount();

/** A prompter that chooses the first entry of every list and records the labels. */
function recording(offered: Readonly<Record<string, string[]>>): Prompter {
  return {
    ...noPrompter,
    confirm: async () => false,
    choose: async (question: string, choices: readonly Choice[]) => {
      offered[question]?.push(...choices.map(({ label }) => label));
      return choices[0]?.value ?? '';
    },
  };
}

test('answers are shown, sent after confirmation, and printed as an equivalent command', async () => {
  nock(API, AUTH).get(COUNTRIES).reply(200, ['AT', 'DE']);
  nock(API, AUTH).post(PROPERTIES, hamburg).reply(201, { id: 'HAM' });

  const result = await cli([...argsWithoutLists, '--currency-code', 'EUR'], {
    env: hotels,
    answers: ['DE', 'y'],
  });

  expect(result).toEqual(
    ended(
      0,
      `Taken from the country DE: time zone Europe/Berlin.
This will be sent to api.example.com:
Code:                      HAM
Name (en):                 Harbour Hotel
Company name:              Hafenhotel GmbH
Commercial register entry: HRB 1
Tax id:                    DE1
Address line 1:            Am Kai 1
Postal code:               20457
City:                      Hamburg
Country:                   DE
Time zone:                 Europe/Berlin
Check-in:                  15:00:00
Check-out:                 11:00:00
Currency:                  EUR
Created property HAM.
Equivalent command: innctl properties create --code HAM --name 'en=Harbour Hotel' --company-name 'Hafenhotel GmbH' --commercial-register-entry 'HRB 1' --tax-id DE1 --address-line1 'Am Kai 1' --postal-code 20457 --city Hamburg --default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --currency-code EUR --country-code DE --time-zone Europe/Berlin
`,
    ),
  );
});

test('countries come from the service, zones and currencies from Node, those of the country first', async () => {
  nock(API, AUTH)
    .get(COUNTRIES)
    .reply(200, ['UK', 'AT', { code: 'DE' }, '\u001b[31m', '__proto__']);
  const offered: Record<string, string[]> = {
    '1 of up to 3 · Country (ISO 3166-1 alpha-2)': [],
    '1 of 1 · IANA time zone': [],
    '1 of 1 · Currency (ISO 4217)': [],
  };
  const prompter = recording(offered);

  await cli(argsWithoutLists, { env: hotels, answers: [], prompter });
  const inColorado = argsWithoutLists.map((word) => (word === 'Hamburg' ? 'denver' : word));
  await cli([...inColorado, '--country-code', 'US'], { env: hotels, answers: [], prompter });
  await cli([...argsWithoutLists, '--country-code', 'PA'], { env: hotels, answers: [], prompter });

  expect(offered['1 of up to 3 · Country (ISO 3166-1 alpha-2)']).toEqual(['AT  Austria', 'DE  Germany']);
  const { '1 of 1 · IANA time zone': zones = [], '1 of 1 · Currency (ISO 4217)': currencies } = offered;
  expect(zones.slice(0, 3)).toEqual(['America/Denver', 'America/New_York', 'America/Chicago']);
  expect(zones).toEqual(expect.arrayContaining(['Europe/Berlin', 'Asia/Kolkata', 'UTC']));
  expect(currencies?.slice(0, 2)).toEqual(['PAB  Panamanian Balboa', 'USD  US Dollar']);
  expect(currencies).toEqual(expect.arrayContaining(['EUR  Euro', 'CHF  Swiss Franc']));
  expect(currencies).not.toContainEqual(expect.stringMatching(/^(DEM|XXX) /));
});

test.each<[string, number, nock.Body]>([
  ['is forbidden', 403, {}],
  ['is empty', 200, []],
])('the country is a text prompt if the list %s', async (_, status, body) => {
  nock(API, AUTH).get(COUNTRIES).reply(status, body);
  nock(API, AUTH).post(PROPERTIES, hamburg).reply(201, { id: 'HAM' });

  const result = await cli([...argsWithoutLists, '--currency-code', 'EUR', '--time-zone', 'Europe/Berlin'], {
    env: hotels,
    answers: ['Germany', 'UK', ' DE ', 'y'],
  });

  expect(result.exitCode).toBe(0);
});

test.each([
  ['a no', 'n', 11, 'Equivalent command'],
  ['Enter', '', 11, 'Equivalent command'],
  ['^C', new Interruption('SIGINT'), 130, 'To go on'],
])(
  '%s at the confirmation sends nothing, and the line that has the answers is printed',
  async (_, answer, exitCode, what) => {
    nock(API, AUTH).get(COUNTRIES).reply(200, ['DE']);

    const result = await cli(argsWithoutLists, { env: hotels, answers: ['DE', answer] });

    expect({ ...result, stderr: result.stderr.split('\n').at(-3) }).toEqual(
      ended(
        exitCode,
        `${what}: innctl properties create --code HAM --name 'en=Harbour Hotel' --company-name 'Hafenhotel GmbH' --commercial-register-entry 'HRB 1' --tax-id DE1 --address-line1 'Am Kai 1' --postal-code 20457 --city Hamburg --default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --country-code DE --time-zone Europe/Berlin --currency-code EUR`,
      ),
    );
  },
);

test('^C during the questions prints the line that goes on with the answers so far', async () => {
  nock(API, AUTH).get(COUNTRIES).reply(200, ['US']);

  const result = await cli('properties create --name en=Harbour --postal-code 20457', {
    env: hotels,
    answers: ['US', "HAM' 1", new Interruption('SIGINT')],
  });

  expect({ exitCode: result.exitCode, lines: result.stderr.split('\n').slice(0, 2) }).toEqual({
    exitCode: 130,
    lines: [
      'Taken from the country US: currency code USD.',
      `To go on: innctl properties create --name en=Harbour --postal-code 20457 --code 'HAM'\\'' 1' --country-code US --currency-code USD`,
    ],
  });
});

test('an edited answer replaces the one before, also in the equivalent command', async () => {
  nock(API, AUTH).get(COUNTRIES).reply(200, ['DE']);
  nock(API, AUTH)
    .post(PROPERTIES, { ...hamburg, name: { en: 'Kai' }, default_check_in_time: '14:30:00' })
    .reply(201, { id: 'HAM' });

  const result = await cli(argsWithoutLists, {
    env: hotels,
    answers: ['DE', 'edit', 'name', 'Kai', 'E', 'default-check-in-time', '14', '14:30', 'maybe', 'yes'],
  });

  expect({ exitCode: result.exitCode, reviews: result.stderr.split('This will be sent').length - 1 }).toEqual(
    { exitCode: 0, reviews: 3 },
  );
  expect(result.stderr).toMatch(
    /Equivalent command: innctl properties create --code HAM --company-name .* --default-check-out-time 11:00:00 --name en=Kai --country-code DE --time-zone Europe\/Berlin --default-check-in-time 14:30:00 --currency-code EUR\n$/,
  );
});

test.each<[string, readonly string[], readonly string[], object]>([
  ['is taken from it', [], [], { time_zone: 'Europe/Vienna', currency_code: 'EUR' }],
  ['is asked for', [], ['America/Denver'], { time_zone: 'America/Denver', currency_code: 'USD' }],
  [
    'stays as it was typed',
    ['--time-zone', 'Europe/Paris', '--currency-code', 'CHF'],
    [],
    { time_zone: 'Europe/Paris', currency_code: 'CHF' },
  ],
])('after editing the country what depends on it %s', async (_, typed, answers, depending) => {
  const country = answers.length === 0 ? 'AT' : 'US';
  nock(API, AUTH).get(COUNTRIES).twice().reply(200, ['AT', 'DE', 'US']);
  nock(API, AUTH)
    .post(PROPERTIES, {
      ...hamburg,
      location: { ...hamburg.location, country_code: country },
      ...depending,
    })
    .reply(201, { id: 'HAM' });

  const result = await cli([...argsWithoutLists, ...typed], {
    env: hotels,
    answers: ['DE', 'edit', 'country-code', country, ...answers, 'y'],
  });

  expect(result.exitCode).toBe(0);
});

test('an edited code is looked for before it is sent', async () => {
  nock.cleanAll();
  nock(API, AUTH).get(COUNTRIES).reply(200, ['DE']);
  nock(API, AUTH)
    .get(/^\/inventory\/v1\/properties\?/)
    .twice()
    .reply(200, { count: 1, items: [{ id: 'KIE', code: 'KIE', name: 'Kiel' }] });

  const result = await cli(argsWithoutLists, { env: hotels, answers: ['DE', 'edit', 'code', 'KIE', 'y'] });

  expect({ ...result, stderr: result.stderr.split('\n').slice(-3) }).toEqual(
    ended(6, [
      '  code: KIE',
      expect.stringMatching(/innctl properties create .* --code KIE .*--if-not-exists$/),
      '',
    ]),
  );
});

test('invalid flags are reported before any prompt', async () => {
  const result = await cli('properties create --code HAM --time-zone Mars', { env: hotels, answers: [] });

  expect(result).toEqual(ended(2, expect.stringContaining('--time-zone: "Mars" is not an IANA time zone')));
});

test('after a rejection the equivalent command is printed, and with an unknown outcome only the hint', async () => {
  nock(API, AUTH).get(COUNTRIES).twice().reply(200, ['DE']);
  nock(API, AUTH)
    .post(PROPERTIES)
    .reply(422, { messages: ['no'] });
  const situation = { env: hotels, answers: ['DE', 'y'] };

  const rejected = await cli(argsWithoutLists, situation);
  nock(API, AUTH).post(PROPERTIES).reply(503);
  const unsettled = await cli(argsWithoutLists, situation);

  const answers = '--country-code DE --time-zone Europe/Berlin --currency-code EUR';
  expect([rejected.exitCode, unsettled.exitCode]).toEqual([6, 8]);
  expect(rejected.stderr).toContain(`Equivalent command: innctl properties create`);
  expect(unsettled.stderr).not.toContain('Equivalent command:');
  expect(unsettled.stderr.endsWith(`${answers}\n`)).toBe(true);
});
