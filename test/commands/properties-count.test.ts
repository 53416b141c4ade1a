import nock from 'nock';
import { expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const API = 'https://api.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
const COUNT = '/inventory/v1/properties/$count';
const FIRST = '/inventory/v1/properties?page_size=1&page_number=1';
const BER = { id: 'BER' };

/** A status, or a body with 200. */
type Told = string | number;

onlyIntercepted();

function tell(path: string, ...all: readonly Told[]): void {
  for (const told of all) {
    const [status, body] = typeof told === 'number' ? [told] : [200, told];
    nock(API, AUTH).get(path).reply(status, body);
  }
}

const listed = (count: unknown) => JSON.stringify({ count, items: [BER] });

test.each([
  ['properties count -o tsv', '{"count":0}', '0\n'],
  ['properties count -o ndjson', '{"count":3}', '{"count":3}\n'],
])('%s, answered with an object, which cannot break off unseen: %s', async (line, body, stdout) => {
  tell(COUNT, body);

  expect(await cli(line, { env: hotels })).toEqual({ exitCode: 0, stdout, stderr: '' });
});

test.each([
  ['properties count', '3\n'],
  ['properties count -o table', '3\n'],
  ['property count --json', '{"count":3}\n'],
])('%s holds a bare number against the list', async (line, stdout) => {
  tell(COUNT, '3');
  tell(FIRST, listed(3));

  expect(await cli(line, { env: hotels })).toEqual({ exitCode: 0, stdout, stderr: '' });
});

test.each<[string, readonly Told[], readonly Told[]]>([
  ['that broke off once', ['12', '124'], [listed(124), listed(124)]],
  ['that lost its beginning once', ['24', '124'], [listed(124), listed(124)]],
  ['that had something behind it once', ['1243', '124'], [listed(124), listed(124)]],
  ['that is none at first', ['12 4', '"12"', '124'], [listed(124)]],
  ['beside a list that does not count', ['124', '124'], [listed(undefined), listed(undefined)]],
  ['beside a list that counts its page', ['124', '124'], [listed(1), listed(1)]],
  ['beside a list that may not be read', ['124', '124'], [403, 403]],
  [
    'that broke off once beside a list that does not count',
    ['12', '124', '124'],
    [listed(undefined), listed(undefined), listed(undefined)],
  ],
])('a number %s is told as it is', async (_, counts, lists) => {
  tell(COUNT, ...counts);
  tell(FIRST, ...lists);

  expect(await cli('properties count', { env: hotels })).toEqual({
    exitCode: 0,
    stdout: '124\n',
    stderr: '',
  });
});

test.each<[string, readonly Told[], readonly Told[], string]>([
  [
    'that the list contradicts',
    ['12', '12', '12'],
    [listed(124), listed(124), listed(124)],
    '$count says 12, and the list says 124',
  ],
  [
    'beside a list without content',
    ['12', '12', '12'],
    [204, 204, 204],
    '$count says 12, and the list says 0',
  ],
  [
    'that is another one each time',
    ['1', '12', '124'],
    [403, 403, 403],
    '$count says 124, and said another number before',
  ],
])('a number %s is not told', async (_, counts, lists, message) => {
  tell(COUNT, ...counts);
  tell(FIRST, ...lists);

  const { exitCode, stdout, stderr } = await cli('properties count --json', { env: hotels });

  const { error } = JSON.parse(stderr);
  expect({ exitCode, stdout, code: error.code, message: error.message }).toEqual({
    exitCode: 1,
    stdout: '',
    code: 'malformed_answer',
    message: `Could not count the properties: ${message}.`,
  });
});

test('a number is not told where the list cannot be reached', async () => {
  tell(COUNT, '124');
  tell(FIRST, 503, 503);

  expect(await cli('properties count --max-attempts 2', { env: hotels })).toMatchObject({
    exitCode: 7,
    stdout: '',
  });
});

test.each([['"3"'], ['-1'], ['1.5'], ['1e300'], ['null'], ['[3]'], ['{}'], ['{"count":"3"}']])(
  '%s is no count, and is asked for again',
  async (body) => {
    tell(COUNT, body, body, body, body, body);

    expect(await cli('properties count', { env: hotels })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        "error: Could not count the properties: the service's answer is not a number of records (200 from api.example.com).\n",
    });
  },
);

test('takes no argument', async () => {
  expect(await cli('properties count BER', { env: hotels })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('too many arguments'),
  });
});
