import nock from 'nock';
import { expect, test } from 'vitest';
import { API, cli, hotels } from '../helpers/cli.ts';
import { printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

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
  ["-o csv --query 'items[].{hotel: id, firm: company_name}'", 'hotel,firm\nBER,GmbH\nMUC,\n'],
  ["-o csv --no-headers --query 'items[0].{hotel: id, name: name}'", 'BER,Berlin\n'],
  ["-o tsv --query 'items[].[id, status]'", 'BER\tLive\nMUC\tTest\n'],
  ["-o csv --query 'items[].[id, status]'", 'BER,Live\nMUC,Test\n'],
  ["-o table --query 'items[].id'", 'BER\nMUC\n'],
  ['-o table --query "items[0].{id: id, name: name}"', 'Id:   BER\nName: Berlin\n'],
  ['-o csv --query count', '2\n'],
  ["-o csv --query 'items[9]'", 'null\n'],
  ["-r --query 'items[].[id, name]'", 'BER\tBerlin\nMUC\tMunich\n'],
  ["-r --query 'items[].{hotel: id, firm: company_name}'", 'BER\tGmbH\nMUC\t\n'],
])('--query prints JSON or rows, and -r plain text: %s', async (flags, stdout) => {
  listProperties();

  expect(await cli(`properties list ${flags}`, { env: hotels })).toEqual(printed(stdout));
});

test('--query says what a list is, if it fits its items alone', async () => {
  listProperties();

  const { exitCode, stdout, stderr } = await cli("properties list --query '[].id' -o tsv", { env: hotels });

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain('--query: finds nothing in { count, items }; begin it with items: items[].id\n');
});

test('--query overrides the output format of the environment', async () => {
  listProperties();

  const result = await cli('properties list --query count', { env: { ...hotels, INNCTL_OUTPUT: 'csv' } });

  expect(result).toEqual(printed('2\n'));
});

test.each([
  ['properties list --query items[', 'expected Star, got: EOF'],
  ['properties list --query "a\u001b[2J"', 'unknown character: \\u{1b}'],
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

test.each([
  [
    'properties list --query id -o yaml',
    '--query prints JSON, csv, tsv or a table; it cannot be combined with --output "yaml".',
  ],
  ['properties list --query id -r -o csv', '--raw prints lines; it cannot be combined with --output "csv".'],
  ['properties list --raw', '--raw prints what --query finds: add --query.'],
  ['properties list -qr', '--raw prints what --query finds: add --query.'],
])('contradicting flags: exit 2: %s', async (line, sentence) => {
  const { exitCode, stdout, stderr } = await cli(line, { env: hotels });

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr.replaceAll('\\"', '"')).toContain(sentence);
});
