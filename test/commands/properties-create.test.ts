import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import nock from 'nock';
import { beforeEach, expect, test } from 'vitest';
import type { Choice } from '../../src/model/ports.ts';
import { API, cli, DERIVED_KEY, hotels } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { flagsOf, hamburg as plain } from '../helpers/hamburg.ts';
import { emptyAccount, onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';

const withKey = (key: RegExp) => ({
  reqheaders: { authorization: 'Bearer token-of-ana-1234567890', 'idempotency-key': key },
});

const hamburg = { ...plain, name: { en: 'Harbour Hotel', de: 'Hafenhotel' } };

const flags = flagsOf(hamburg);

const create = (...more: readonly string[]) => ['properties', 'create', ...flags.flat(), ...more];

/** The command line with some flag values replaced. */
const createWith = (values: Readonly<Record<string, string>>) => [
  'properties',
  'create',
  ...flags.filter(([flag]) => values[flag] === undefined).flat(),
  ...Object.entries(values).flat(),
];

let folder = '';

beforeEach(async () => {
  folder = await temporaryFolder();
});

onlyIntercepted();
emptyAccount();

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

test('every contract field has a flag, and the body is exactly that of the contract', async () => {
  nock(API, withKey(DERIVED_KEY)).post('/inventory/v1/properties', hamburg).reply(201, { id: 'HAM' });

  const result = await cli(create('--json'), { env: hotels });

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
    printed({ id: 'HAM', created: true, idempotency_key: expect.stringMatching(DERIVED_KEY) }),
  );
});

const yaml = `code: HAM
name: { en: Harbour Hotel, de: Hafenhotel }
company_name: Hafenhotel GmbH
commercial_register_entry: HRB 1
tax_id: 1e3
location:
  address_line1: Am Kai 1
  postal_code: 01067
  city: NO
  country_code: NO
time_zone: Europe/Berlin
default_check_in_time: 15:00:00
default_check_out_time: 11:00:00
currency_code: EUR
`;

test('a plain YAML scalar is sent as its source text, and flags override the file', async () => {
  const expected = {
    ...hamburg,
    name: { en: 'Port Hotel', de: 'Hafenhotel' },
    tax_id: '1e3',
    location: { address_line1: 'Am Kai 1', postal_code: '01067', city: 'NO', country_code: 'NO' },
  };
  nock(API, withKey(DERIVED_KEY)).post('/inventory/v1/properties', expected).reply(201, { id: 'HAM' });

  const path = await file('hotel.yaml', yaml);
  const result = await cli(['properties', 'create', '--file', path, '--name', 'en=Port Hotel'], {
    env: hotels,
  });

  expect(result).toEqual(ended(0, 'Created property HAM.\n'));
});

test('stdin is read as JSON with a byte order mark', async () => {
  const stdin = `\ufeff${JSON.stringify(hamburg)}`;
  nock(API, withKey(DERIVED_KEY)).post('/inventory/v1/properties', hamburg).reply(201, { id: 'HAM' });

  expect((await cli('properties create --file -', { env: hotels, stdin })).exitCode).toBe(0);
});

test('fields under extra, and unknown ones with --allow-unknown-fields, are sent unchanged', async () => {
  const sent = { ...hamburg, payment_terms: { en: 'On arrival' }, stars: 4 };
  nock(API, withKey(DERIVED_KEY)).post('/inventory/v1/properties', sent).reply(201, { id: 'HAM' });

  const stdin = JSON.stringify({ ...hamburg, stars: 4, extra: { payment_terms: { en: 'On arrival' } } });
  const result = await cli('properties create --file - --allow-unknown-fields', { env: hotels, stdin });

  expect(result.exitCode).toBe(0);
});

test('an exported file with kind and further location fields is accepted', async () => {
  const { default_check_in_time: _in, default_check_out_time: _out, ...shown } = hamburg;
  const extra = { managing_directors: 'Ana', location: { address_line2: 'Pier 2', region_code: 'HH' } };
  const location = { ...hamburg.location, ...extra.location };
  const sent = { ...hamburg, location, managing_directors: 'Ana' };
  nock(API, withKey(DERIVED_KEY)).post('/inventory/v1/properties', sent).reply(201, { id: 'HAM' });

  const stdin = JSON.stringify({ kind: 'property', ...shown, extra });
  const result = await cli(
    'properties create --file - --default-check-in-time 15:00:00 --default-check-out-time 11:00:00',
    { env: hotels, stdin },
  );

  expect(result.exitCode).toBe(0);
});

test('a file of another kind is rejected', async () => {
  const stdin = JSON.stringify({ ...hamburg, kind: 'user' });

  const { exitCode, stderr } = await cli('properties create --file -', { env: hotels, stdin });

  expect(exitCode).toBe(2);
  expect(stderr).toContain('stdin: kind: must be property');
});

test.each<[string, unknown, string]>([
  [
    'a contract field of the location under extra',
    { location: { city: 'Bonn' } },
    'extra.location.city: is a field of the contract: write location.city outside extra',
  ],
  [
    'a string as location under extra',
    { location: 'Bonn' },
    'stdin: extra.location: must hold fields and values',
  ],
  [
    'a contract field under extra',
    { code: 'MUC' },
    'extra.code: is a field of the contract: write code outside',
  ],
  ['a string under extra', 'stars', 'stdin: extra: must hold fields and values'],
])('%s is rejected, also with --allow-unknown-fields', async (_, extra, message) => {
  const stdin = JSON.stringify({ ...hamburg, extra });

  expect(await cli('properties create --file - --allow-unknown-fields', { env: hotels, stdin })).toEqual(
    ended(2, expect.stringContaining(message)),
  );
});

test('each question says how many there are', async () => {
  const questions: string[] = [];
  const prompter = {
    ...noPrompter,
    text: async (question: string) => {
      questions.push(question);
      return question.includes('time') ? '15:00' : 'x';
    },
    choose: async (question: string, choices: readonly Choice[]) => {
      questions.push(question);
      return choices[0]?.value ?? '';
    },
    confirm: async (question: string) => {
      questions.push(question);
      return false;
    },
  };
  nock(API).get('/inventory/v1/types/countries').reply(200, ['US', 'AT']);

  await cli('properties create', { env: hotels, answers: [], prompter });

  expect(questions).toEqual([
    '1 of 13 · Short code, as in reports',
    '2 of 13 · Name in English',
    '3 of 13 · Operating company',
    '4 of 13 · Commercial register entry of the company',
    '5 of 13 · Tax id of the company',
    '6 of 13 · Street and number',
    '7 of 13 · Postal code',
    '8 of 13 · City',
    '9 of 13 · Country (ISO 3166-1 alpha-2)',
    '10 of 13 · IANA time zone',
    '11 of 13 · Check-in time',
    '12 of 13 · Check-out time',
    '13 of 13 · Currency (ISO 4217)',
    'Send it?',
  ]);
});

test('all missing fields are reported at once', async () => {
  const result = await cli('properties create --code HAM --json', { env: hotels });

  const { error } = JSON.parse(result.stderr);
  expect(result.exitCode).toBe(2);
  expect(
    error.details.map(({ field, reason }: { field: string; reason: string }) => `${field} ${reason}`),
  ).toEqual([
    '--name is missing',
    '--company-name is missing',
    '--commercial-register-entry is missing',
    '--tax-id is missing',
    '--address-line1 is missing',
    '--postal-code is missing',
    '--city is missing',
    '--country-code is missing',
    '--time-zone is missing',
    '--default-check-in-time is missing',
    '--default-check-out-time is missing',
    '--currency-code is missing',
  ]);
});

test.each<[string, string, string, string]>([
  [
    'an unknown field',
    'a.yaml',
    `${yaml}taxid: 1\n`,
    'a.yaml: taxid: is not a field of a property; did you mean tax_id?',
  ],
  [
    'an unknown field of location',
    'a.yaml',
    'location: { town: Hamburg }',
    'a.yaml: location.town: is not a field',
  ],
  [
    'a number in JSON',
    'a.json',
    JSON.stringify({ ...hamburg, tax_id: 12 }),
    'a.json: tax_id: must be a text',
  ],
  ['a list', 'a.json', '[{}]', 'one record is wanted'],
  ['a list under a key', 'a.yaml', 'properties: [{ code: BER }]', 'one record is wanted'],
  ['a table', 'a.csv', 'code,city\nBER,Berlin\n', 'one record is wanted'],
  ['a string', 'a.yaml', 'hello', 'is not a record of fields and values'],
  ['broken YAML', 'a.yaml', 'code: [', 'is not valid YAML'],
  ['several documents', 'a.yaml', 'code: A\n---\ncode: B', 'one record is wanted'],
])('a file with %s: exit 2 with the file name', async (_, name, text, message) => {
  const path = await file(name, text);

  expect(await cli(['properties', 'create', '--file', path], { env: hotels })).toEqual(
    ended(2, expect.stringContaining(message)),
  );
});

test('a withdrawn currency is sent with a warning', async () => {
  nock(API, withKey(DERIVED_KEY))
    .post('/inventory/v1/properties', { ...hamburg, currency_code: 'HRK' })
    .reply(201, { id: 'HAM' });

  expect((await cli(createWith({ '--currency-code': 'HRK' }), { env: hotels })).stderr).toBe(
    'warning: HRK is no longer a currency of ISO 4217.\nCreated property HAM.\n',
  );
});

test('--no-validate skips local validation', async () => {
  nock(API, withKey(DERIVED_KEY))
    .post('/inventory/v1/properties', { code: 'HAM', time_zone: 'Mars' })
    .reply(422);

  const result = await cli('properties create --code HAM --time-zone Mars --no-validate', { env: hotels });

  expect(result.exitCode).toBe(6);
});

test('a response without id does not confirm the creation', async () => {
  nock(API, withKey(DERIVED_KEY)).post('/inventory/v1/properties').reply(200, {});

  expect((await cli(create(), { env: hotels })).exitCode).toBe(8);
});

test('the header of the idempotency key is configurable', async () => {
  nock(API, { reqheaders: { 'x-create-key': DERIVED_KEY } })
    .post('/inventory/v1/properties')
    .reply(201, { id: 'HAM' });

  const env = { ...hotels, INNCTL_IDEMPOTENCY_HEADER: 'X-Create-Key' };

  expect((await cli(create(), { env })).exitCode).toBe(0);
});
