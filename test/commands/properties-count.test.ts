import nock from 'nock';
import { expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const API = 'https://api.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
const COUNT = '/inventory/v1/properties/$count';
const FIRST = '/inventory/v1/properties?page_size=1&page_number=1';
const BER = { id: 'BER' };

/** An error status, or a body with status 200. */
type Reply = string | number;

onlyIntercepted();

function reply(path: string, ...all: readonly Reply[]): void {
  for (const answer of all) {
    const [status, body] = typeof answer === 'number' ? [answer] : [200, answer];
    nock(API, AUTH).get(path).reply(status, body);
  }
}

const listed = (count: unknown) => JSON.stringify({ count, items: [BER] });

test.each([
  ['properties count -o tsv', '{"count":0}', '0\n'],
  ['properties count -o ndjson', '{"count":3}', '{"count":3}\n'],
])('%s accepts an object, which cannot be truncated unnoticed: %s', async (line, body, stdout) => {
  reply(COUNT, body);

  expect(await cli(line, { env: hotels })).toEqual({ exitCode: 0, stdout, stderr: '' });
});

test.each([
  ['properties count', '3\n'],
  ['properties count -o table', '3\n'],
  ['property count --json', '{"count":3}\n'],
])('%s checks a bare number against the list', async (line, stdout) => {
  reply(COUNT, '3');
  reply(FIRST, listed(3));

  expect(await cli(line, { env: hotels })).toEqual({ exitCode: 0, stdout, stderr: '' });
});

test.each<[string, readonly Reply[], readonly Reply[]]>([
  ['that was truncated once', ['12', '124'], [listed(124), listed(124)]],
  ['that was invalid at first', ['12 4', '"12"', '124'], [listed(124)]],
  ['with a list that counts its page', ['124', '124'], [listed(1), listed(1)]],
  [
    'that was truncated once with a list without a count',
    ['12', '124', '124'],
    [listed(undefined), listed(undefined), listed(undefined)],
  ],
])('a number %s is printed', async (_, counts, lists) => {
  reply(COUNT, ...counts);
  reply(FIRST, ...lists);

  expect(await cli('properties count', { env: hotels })).toEqual({
    exitCode: 0,
    stdout: '124\n',
    stderr: '',
  });
});

test.each<[string, readonly Reply[], readonly Reply[], string]>([
  [
    'that contradicts the list',
    ['12', '12', '12'],
    [listed(124), listed(124), listed(124)],
    '$count says 12, and the list says 124',
  ],
  [
    'that differs each time',
    ['1', '12', '124'],
    [403, 403, 403],
    '$count says 124, and said another number before',
  ],
])('a number %s is not printed', async (_, counts, lists, message) => {
  reply(COUNT, ...counts);
  reply(FIRST, ...lists);

  const { exitCode, stdout, stderr } = await cli('properties count --json', { env: hotels });

  const { error } = JSON.parse(stderr);
  expect({ exitCode, stdout, code: error.code, message: error.message }).toEqual({
    exitCode: 1,
    stdout: '',
    code: 'malformed_answer',
    message: `Could not count the properties: ${message}.`,
  });
});

test('a number is not printed if the list is unreachable', async () => {
  reply(COUNT, '124');
  reply(FIRST, 503, 503);

  expect(await cli('properties count --max-attempts 2', { env: hotels })).toMatchObject({
    exitCode: 7,
    stdout: '',
  });
});

test.each([['"3"'], ['-1'], ['1.5'], ['1e300'], ['null'], ['[3]'], ['{}'], ['{"count":"3"}']])(
  '%s is no valid count, and is requested again',
  async (body) => {
    reply(COUNT, body, body, body, body, body);

    expect(await cli('properties count', { env: hotels })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        "error: Could not count the properties: the service's answer is not a number of records (200 from api.example.com).\n",
    });
  },
);
