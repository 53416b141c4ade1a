import nock from 'nock';
import { expect, test } from 'vitest';
import { type Choice, Interruption, type Prompter } from '../../src/model/ports.ts';
import { API, AUTH, cli, hotels } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { flagsOf, hamburg } from '../helpers/hamburg.ts';
import { emptyAccount, onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';

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
    answers: ['DE', 'Europe/Berlin', true],
  });

  expect(result).toEqual(
    ended(
      0,
      `This will be sent to api.example.com:
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
    '1 of 3 · Country (ISO 3166-1 alpha-2)': [],
    '2 of 3 · IANA time zone': [],
    '3 of 3 · Currency (ISO 4217)': [],
  };
  const prompter = recording(offered);

  await cli(argsWithoutLists, { env: hotels, answers: [], prompter });

  expect(offered['1 of 3 · Country (ISO 3166-1 alpha-2)']).toEqual(['AT  Austria', 'DE  Germany']);
  const { '2 of 3 · IANA time zone': zones = [], '3 of 3 · Currency (ISO 4217)': currencies } = offered;
  expect(zones[0]).toBe('Europe/Vienna');
  expect(zones).toEqual(expect.arrayContaining(['Europe/Berlin', 'Asia/Kolkata', 'UTC']));
  expect(currencies?.[0]).toBe('EUR  Euro');
  expect(currencies).toEqual(expect.arrayContaining(['USD  US Dollar', 'CHF  Swiss Franc']));
  expect(currencies).not.toContainEqual(expect.stringMatching(/^(DEM|XXX) /));
});

test.each([
  ['a no', false, 11, 'Equivalent command'],
  ['^C', new Interruption('SIGINT'), 130, 'To go on'],
])(
  '%s at the confirmation sends nothing, and the line that has the answers is printed',
  async (_, answer, exitCode, what) => {
    nock(API, AUTH).get(COUNTRIES).reply(200, ['DE']);

    const result = await cli(argsWithoutLists, {
      env: hotels,
      answers: ['DE', 'Europe/Berlin', 'EUR', answer],
    });

    expect({ ...result, stderr: result.stderr.split('\n').at(-3) }).toEqual(
      ended(
        exitCode,
        `${what}: innctl properties create --code HAM --name 'en=Harbour Hotel' --company-name 'Hafenhotel GmbH' --commercial-register-entry 'HRB 1' --tax-id DE1 --address-line1 'Am Kai 1' --postal-code 20457 --city Hamburg --default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --country-code DE --time-zone Europe/Berlin --currency-code EUR`,
      ),
    );
  },
);

test('^C during the questions prints the line that goes on with the answers so far', async () => {
  const result = await cli('properties create --name en=Harbour --postal-code 20457', {
    env: hotels,
    answers: ["HAM' 1", 'Kai GmbH', new Interruption('SIGINT')],
  });

  expect({ exitCode: result.exitCode, lines: result.stderr.split('\n').slice(0, 1) }).toEqual({
    exitCode: 130,
    lines: [
      `To go on: innctl properties create --name en=Harbour --postal-code 20457 --code 'HAM'\\'' 1' --company-name 'Kai GmbH'`,
    ],
  });
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
  const situation = { env: hotels, answers: ['DE', 'Europe/Berlin', 'EUR', true] };

  const rejected = await cli(argsWithoutLists, situation);
  nock(API, AUTH).post(PROPERTIES).reply(503);
  const unsettled = await cli(argsWithoutLists, situation);

  const answers = '--country-code DE --time-zone Europe/Berlin --currency-code EUR';
  expect([rejected.exitCode, unsettled.exitCode]).toEqual([6, 8]);
  expect(rejected.stderr).toContain(`Equivalent command: innctl properties create`);
  expect(unsettled.stderr).not.toContain('Equivalent command:');
  expect(unsettled.stderr.endsWith(`${answers}\n`)).toBe(true);
});
