import nock from 'nock';
import { expect, test } from 'vitest';
import { type Choice, Interruption, type Prompter } from '../../src/cli/ports.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { emptyAccount, onlyIntercepted } from '../helpers/interceptors.ts';

const API = 'https://api.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
const PROPERTIES = '/inventory/v1/properties';
const COUNTRIES = '/inventory/v1/types/countries';
const KEY = '11111111-2222-4333-8444-555555555555';

const hamburg = {
  code: 'HAM',
  name: { en: 'Harbour Hotel' },
  company_name: 'Hafenhotel GmbH',
  commercial_register_entry: 'HRB 1',
  tax_id: 'DE1',
  location: { address_line1: 'Am Kai 1', postal_code: '20457', city: 'Hamburg', country_code: 'DE' },
  time_zone: 'Europe/Berlin',
  default_check_in_time: '15:00:00',
  default_check_out_time: '11:00:00',
  currency_code: 'EUR',
};

/** All fields except country, time zone and currency, which the prompts offer as lists. */
const argsWithoutLists = [
  ...[
    'properties',
    'create',
    '--code',
    'HAM',
    '--name',
    'en=Harbour Hotel',
    '--company-name',
    'Hafenhotel GmbH',
  ],
  ...['--commercial-register-entry', 'HRB 1', '--tax-id', 'DE1', '--address-line1', 'Am Kai 1'],
  ...['--postal-code', '20457', '--city', 'Hamburg'],
  ...['--default-check-in-time', '15:00:00', '--default-check-out-time', '11:00:00'],
];

onlyIntercepted();
emptyAccount();

/** A prompter that chooses the first entry of every list and records the labels. */
function recording(offered: Readonly<Record<string, string[]>>): Prompter {
  const unexpectedPrompt = async () => {
    throw new Error('this question was not expected');
  };
  return {
    ...{ text: unexpectedPrompt, secret: unexpectedPrompt, chooseSeveral: unexpectedPrompt },
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

  expect(result).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `This will be sent to api.example.com:
Code:                      HAM
Name (en):                 Harbour Hotel
Company name:              Hafenhotel GmbH
Commercial register entry: HRB 1
Tax id:                    DE1
Location (address line1):  Am Kai 1
Location (postal code):    20457
City:                      Hamburg
Country:                   DE
Default check in time:     15:00:00
Default check out time:    11:00:00
Currency:                  EUR
Time zone:                 Europe/Berlin
Created property HAM.
Equivalent command: innctl properties create --code HAM --name 'en=Harbour Hotel' --company-name 'Hafenhotel GmbH' --commercial-register-entry 'HRB 1' --tax-id DE1 --address-line1 'Am Kai 1' --postal-code 20457 --city Hamburg --default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --currency-code EUR --country-code DE --time-zone Europe/Berlin
`,
  });
});

test('countries come from the service, zones and currencies from Node, with names and without invalid ones', async () => {
  nock(API, AUTH)
    .get(COUNTRIES)
    .reply(200, ['UK', 'AT', { code: 'DE' }, '\u001b[31m', '__proto__']);
  const offered: Record<string, string[]> = {
    'Country (ISO 3166-1 alpha-2)': [],
    'IANA time zone': [],
    'Currency (ISO 4217)': [],
  };

  await cli(argsWithoutLists, { env: hotels, answers: [], prompter: recording(offered) });

  expect(offered['Country (ISO 3166-1 alpha-2)']).toEqual(['AT  Austria', 'DE  Germany']);
  expect(offered['IANA time zone']).toEqual(expect.arrayContaining(['Europe/Berlin', 'UTC']));
  expect(offered['Currency (ISO 4217)']).toEqual(expect.arrayContaining(['EUR  Euro', 'CHF  Swiss Franc']));
  expect(offered['Currency (ISO 4217)']).not.toContainEqual(expect.stringMatching(/^(DEM|XXX) /));
});

test.each<[string, number, nock.Body]>([
  ['is forbidden', 403, {}],
  ['is empty', 200, []],
])('the country is a text prompt if the list %s', async (_, status, body) => {
  nock(API, AUTH).get(COUNTRIES).reply(status, body);
  nock(API, AUTH).post(PROPERTIES, hamburg).reply(201, { id: 'HAM' });

  const result = await cli([...argsWithoutLists, '--currency-code', 'EUR', '--time-zone', 'Europe/Berlin'], {
    env: hotels,
    answers: ['Germany', 'UK', ' DE ', true],
  });

  expect(result.exitCode).toBe(0);
});

test.each([
  ['a no', false, 11, true],
  ['^C', new Interruption('SIGINT'), 130, false],
])(
  '%s at the confirmation sends nothing, and a no prints the equivalent command',
  async (_, answer, exitCode, isPrinted) => {
    nock(API, AUTH).get(COUNTRIES).reply(200, ['DE']);

    const result = await cli(argsWithoutLists, {
      env: hotels,
      answers: ['DE', 'Europe/Berlin', 'EUR', answer],
    });

    const line = /^Equivalent command: innctl properties create .* --country-code DE .*\n.*Nothing was done/m;
    expect({ ...result, stderr: line.test(result.stderr) }).toEqual({
      exitCode,
      stdout: '',
      stderr: isPrinted,
    });
  },
);

test('--yes skips the confirmation', async () => {
  nock(API, AUTH).get(COUNTRIES).reply(200, ['DE']);
  nock(API, AUTH).post(PROPERTIES, hamburg).reply(201, { id: 'HAM' });

  const result = await cli([...argsWithoutLists, '--yes'], {
    env: hotels,
    answers: ['DE', 'Europe/Berlin', 'EUR'],
  });

  expect(result.exitCode).toBe(0);
  expect(result.stderr).toContain('This will be sent to api.example.com:\n');
});

test('a dry run prints the request instead of the confirmation', async () => {
  nock(API, AUTH).get(COUNTRIES).reply(200, ['DE']);

  const result = await cli([...argsWithoutLists, '--dry-run'], {
    env: hotels,
    answers: ['DE', 'Europe/Berlin', 'EUR'],
  });

  expect({ exitCode: result.exitCode, body: JSON.parse(result.stdout.split('\n\n')[1] ?? '') }).toEqual({
    exitCode: 0,
    body: hamburg,
  });
  expect(result.stderr).toMatch(
    /^Equivalent command: innctl properties create .* --dry-run --country-code DE --time-zone Europe\/Berlin --currency-code EUR\n$/,
  );
});

test('invalid flags are reported before any prompt', async () => {
  const result = await cli('properties create --code HAM --time-zone Mars', { env: hotels, answers: [] });

  expect(result).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('--time-zone: "Mars" is not an IANA time zone'),
  });
});

test('after a rejection the equivalent command is printed, and with an unknown outcome only the one with the key', async () => {
  nock(API, AUTH).get(COUNTRIES).twice().reply(200, ['DE']);
  nock(API, AUTH)
    .post(PROPERTIES)
    .reply(422, { messages: ['no'] });
  const situation = { env: hotels, answers: ['DE', 'Europe/Berlin', 'EUR', true] };

  const rejected = await cli(argsWithoutLists, situation);
  nock(API, AUTH).post(PROPERTIES).times(5).reply(503);
  const unsettled = await cli(argsWithoutLists, situation);

  const answers = '--country-code DE --time-zone Europe/Berlin --currency-code EUR';
  expect([rejected.exitCode, unsettled.exitCode]).toEqual([6, 8]);
  expect(rejected.stderr).toContain(`Equivalent command: innctl properties create`);
  expect(unsettled.stderr).not.toContain('Equivalent command:');
  expect(unsettled.stderr).toContain(`${answers} --idempotency-key ${KEY}`);
});
