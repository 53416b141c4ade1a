import nock from 'nock';
import { expect, test } from 'vitest';
import { isKnownField } from '../../src/model/fields.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { API, cli, hotels } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { findNothing, onlyIntercepted } from '../helpers/interceptors.ts';

onlyIntercepted();

const listProperties = (items: readonly unknown[]) =>
  nock(API)
    .get('/inventory/v1/properties?page_size=100&page_number=1')
    .reply(200, { count: items.length, items });

const hotel = { id: 'BER', name: { en: 'Grand Hotel' }, companyName: 'GmbH', location: { city: 'Berlin' } };

test.each([
  ['-o csv --no-headers', 'Berlin,BER,GmbH\n'],
  ['-o ndjson', '{"location":{"city":"Berlin"},"id":"BER","company_name":"GmbH"}\n'],
])('--fields selects and orders fields, and ignores duplicates: %s', async (flags, stdout) => {
  listProperties([hotel]);

  const line = `properties list --fields location.city,id --fields company_name,id ${flags}`;

  expect(await cli(line, { env: hotels })).toEqual(printed(stdout));
});

test.each([
  ['users list --fields email,properties.id', 'no user has "properties.id"'],
  ['users list --fields email,property_roles.roles', 'no user has "property_roles.roles"'],
  ['users get ben@aurora.example --fields properties.nope', 'no user has "properties.nope"'],
  ['users list --fields email,tax_id', 'no user has "tax_id"'],
  ['properties list --fields id,currency', 'no property has "currency"'],
])('a field that no record can have is rejected, and the known ones are named: %s', async (line, reason) => {
  const { exitCode, stdout, stderr } = await cli(`--sandbox ${line}`, { connect: connectUndici });

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(`error: --fields: ${reason}`);
  expect(stderr).toMatch(/\nhint: The fields are (?:id, name, location\.city,|subject_id, email,).+\n$/);
});

test.each([
  'users list --fields email,property_roles.0.id',
  'properties get BER --fields location.region_code,tax_id,bank_account.iban,description.de-AT',
])('a field that some records have or may have is accepted: %s', async (line) => {
  const result = await cli(`--sandbox ${line}`, { connect: connectUndici });

  expect(result).toEqual(printed(expect.stringMatching(/\S/)));
});

test.each([
  ['properties list --fields ""', ['a name is missing']],
  [
    'properties list --fields a..b,,.a,b.',
    ['"a..b" has a dot', 'a name is missing', '".a" has a dot', '"b." has a dot'],
  ],
  ['properties list --fields na\u001bme', [String.raw`"na\u001bme" has control or invisible characters`]],
  ['properties list --fields id,na\u200bme', ['--fields: ', 'has control or invisible characters']],
  ['properties update BER --company-name Inn --fields id\u202e', ['has control or invisible characters']],
  ['properties create --fields , --file nowhere.yaml', ['a name is missing']],
])('an invalid field name: exit 2 before any request: %s', async (line, reasons) => {
  findNothing();
  const { exitCode, stdout, stderr } = await cli(line, { env: hotels });

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(reasons.filter((reason) => !stderr.includes(reason))).toEqual([]);
});

test('a dry run prints the whole request despite --fields', async () => {
  findNothing();
  const line = 'invitations create ana@example.com --role Housekeeping --properties BER --dry-run --json';

  const [whole, some] = [
    await cli(line, { env: hotels }),
    await cli(`${line} --fields email`, { env: hotels }),
  ];

  expect(JSON.parse(whole.stdout)).toMatchObject({ dry_run: true, requests: [{ method: 'POST' }] });
  expect(some).toEqual(whole);
});

test('api prints fields in the spelling of the service', async () => {
  nock(API)
    .get('/inventory/v1/properties')
    .twice()
    .reply(200, [hotel, { id: 'MUC' }]);

  const unchanged = await cli('api GET /inventory/v1/properties --fields id,companyName', { env: hotels });
  const renamed = await cli('api GET /inventory/v1/properties --fields id,company_name', { env: hotels });

  expect(JSON.parse(unchanged.stdout)).toEqual([
    { id: 'BER', companyName: 'GmbH' },
    { id: 'MUC', companyName: null },
  ]);
  expect(renamed).toEqual(
    ended(
      2,
      'error: --fields: the answer has no "company_name"\n' +
        'hint: The fields are id, name.en, companyName, location.city.\n',
    ),
  );
});

test.each([
  'properties get BER',
  'properties list',
  'users list',
  'invitations list',
  'users get ben@aurora.example',
])('every field that the service sends is known: %s', async (line) => {
  const { stdout } = await cli(`--sandbox ${line} --json`, { connect: connectUndici });

  const document = JSON.parse(stdout);
  const paths = (document.items ?? [document]).flatMap((record: unknown) => pathsOf(record, ''));
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path: string) => !isKnownField(path))).toEqual([]);
});

test.each([
  'city',
  'location.name',
  'name.en.de',
  'name.nope',
  'location.city.0',
  'properties.id',
  'properties.0',
  'properties.0.id',
  'roles.0',
  'actions.0.action',
  'constructor',
  '',
  'id.',
])('a field at the wrong place is unknown: %j', (field) => {
  expect(isKnownField(field)).toBe(false);
});

function pathsOf(value: unknown, prefix: string): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, nested]) => [
    `${prefix}${name}`,
    ...pathsOf(nested, `${prefix}${name}.`),
  ]);
}
