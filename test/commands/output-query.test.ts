import nock from 'nock';
import { expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { printed } from '../helpers/ended.ts';
import { findNothing, onlyIntercepted } from '../helpers/interceptors.ts';

const IDENTITY = 'https://identity.example.com';
const API = 'https://api.example.com';

onlyIntercepted();

const listProperties = () =>
  nock(API)
    .get('/inventory/v1/properties?page_size=100&page_number=1')
    .reply(200, {
      count: 2,
      items: [
        { id: 'BER', name: 'Berlin', status: 'Live', companyName: 'GmbH' },
        { id: 'MUC', name: 'Munich', status: 'Test' },
      ],
    });

test.each([
  ["--query 'items[?status==`Live`].id'", '[\n  "BER"\n]\n'],
  ["--query 'items[].id' --raw", 'BER\nMUC\n'],
  ["-r --query 'items[0].company_name'", 'GmbH\n'],
  ["--json -o json --query '[count, shoe_size]'", '[\n  2,\n  null\n]\n'],
  ["--fields id --query 'items[0]'", '{\n  "id": "BER"\n}\n'],
  ["--query 'items[9]'", 'null\n'],
])('--query prints JSON, and -r plain text: %s', async (flags, stdout) => {
  listProperties();

  expect(await cli(`properties list ${flags}`, { env: hotels })).toEqual(printed(stdout));
});

test('--query overrides the output format of the environment', async () => {
  listProperties();

  const result = await cli('properties list --query count', { env: { ...hotels, INNCTL_OUTPUT: 'csv' } });

  expect(result).toEqual(printed('2\n'));
});

test.each([
  ['properties list --query items[', 'expected Star, got: EOF'],
  ['properties list --query "a b"', 'unexpected token'],
  ['properties list --query ""', 'must not be empty'],
  ['profiles remove chain --query ]', 'is not a JMESPath expression'],
])('an invalid expression: exit 2 before any request or change: %s', async (line, reason) => {
  const { exitCode, stdout, stderr } = await cli(line, { env: hotels });

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'invalid_input',
    message: expect.stringContaining(reason),
    details: [{ field: '--query', reason: expect.stringContaining(reason) }],
  });
});

test('a query selects from the result of a write and from the request of a dry run', async () => {
  findNothing();
  nock(IDENTITY).post('/api/v1/invitations').reply(200, { email: 'ana@example.com' });
  const line = 'invitations create ana@example.com --role Housekeeping --properties BER -r';

  const written = await cli(`${line} --query email`, { env: hotels });
  const dryRun = await cli(`${line} --query requests[].body.email --dry-run`, { env: hotels });

  const stdout = 'ana@example.com\n';
  expect([written, dryRun]).toEqual([printed(stdout), printed(stdout)]);
});

test.each([
  ['properties list --query id -o yaml', '--query prints JSON; it cannot be combined with --output "yaml".'],
  [
    'properties list --query id -o ndjson',
    '--query prints JSON; it cannot be combined with --output "ndjson".',
  ],
  ['properties list --raw', '--raw prints what --query finds: add --query.'],
  ['properties list -qr', '--raw prints what --query finds: add --query.'],
])('contradicting flags: exit 2: %s', async (line, sentence) => {
  const { exitCode, stdout, stderr } = await cli(line, { env: hotels });

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr.replaceAll('\\"', '"')).toContain(sentence);
});
