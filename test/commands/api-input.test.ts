import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, hotels, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

onlyIntercepted();

const innctl = (words: readonly string[], situation: Situation = {}) =>
  cli(['api', ...words], { env: hotels, ...situation });

test.each<[string, string]>([
  ['https://evil.example.com/x', 'contains a host'],
  ['//evil.example.com/x', 'contains a host'],
  ['\\\\evil.example.com\\x', 'contains a host'],
  ['/\\evil.example.com', 'contains a host'],
  ['/x\\y', 'has a part that is empty'],
  ['/x%5Cy', 'has a part that is empty'],
  ['/x/y#z', 'has a part that is empty'],
  ['/x/../y', 'has a part that is empty'],
  ['/x/%2e%2E/y', 'has a part that is empty'],
  ['/x/%252e%252e/y', 'has a part that is empty'],
  ['/x/.%2e', 'has a part that is empty'],
  ['/x//y', 'has a part that is empty'],
  ['/x/', 'has a part that is empty'],
  ['/', 'has a part that is empty'],
  ['/x/a%2Fb', 'has a part that is empty'],
  ['/x/a%252fb', 'has a part that is empty'],
  ['/x/a%252f%25ffb', 'has a part that is empty'],
  ['/x/a%EF%BC%8Fb', 'has a part that is empty'],
  ['/x/a%25c0%25afb', 'has a part that is empty'],
  ['/x/..;a=1/y', 'has a part that is empty'],
  ['/x/..;/y', 'has a part that is empty'],
  ['/x/%2e%2e%3b/y', 'has a part that is empty'],
  ['/x/BER%3Fa', 'has a part that is empty'],
  ['/x/BER%2523a', 'has a part that is empty'],
  ['', 'must not be empty'],
  ['/x y', 'has a part that is empty'],
  ['/x%20y', 'has a part that is empty'],
  ['/x?a=b c', 'has a part that is empty'],
  ['/x\ny', 'has a part that is empty'],
  ['/x%0Ay', 'has a part that is empty'],
  ['/x\u202ey', 'has a part that is empty'],
  ['/x%E2%80%AEy', 'has a part that is empty'],
  ['/x?a=\u202e', 'has a part that is empty'],
  ['/x%zz', 'broken percent encoding'],
  ['/x%ff', 'broken percent encoding'],
  ['/x?a=%zz', 'broken percent encoding'],
  ['/inventory/v1/properties/{id}', 'has a part that is empty'],
  ['/inventory/v1/properties/<id>', 'has a part that is empty'],
])('the path %j is rejected', async (path, message) => {
  expect(await innctl(['DELETE', path])).toEqual(
    ended(2, expect.stringMatching(`^error: path: .*${message.replaceAll(/[{}.?]/g, '\\$&')}`)),
  );
});

test.each([
  ['GET', '/x?_method=DELETE'],
  ['POST', '/x?a=1&__method=delete'],
  ['POST', '/x?X-HTTP-Method-Override=DELETE'],
  ['POST', '/x?x%2Dhttp_method=DELETE'],
  ['DELETE', '/x', '-f', '_method=GET'],
])('a query that overrides the method is rejected: %s %s', async (...words) => {
  expect(await innctl([...words, '--confirm', 'x'])).toEqual(
    ended(
      2,
      expect.stringContaining('path: has a parameter that overrides the method; write the method itself\n'),
    ),
  );
});

test.each<[readonly string[], string]>([
  [['GTE', '/x'], 'method: "GTE" is not one of GET, HEAD, POST, PUT, PATCH, DELETE; did you mean GET?'],
  [['OPTIONS', '/x'], 'method: "OPTIONS" is not one of GET, HEAD, POST, PUT, PATCH, DELETE\n'],
  [
    ['/inventory/v1/properties'],
    'is a path; the method comes first\nhint: innctl api GET /inventory/v1/properties\n',
  ],
  [['/inventory/v1/properties', 'GET'], 'the method comes first'],
  [['GET'], 'path: is missing'],
  [[], "missing required argument 'method'"],
])('the arguments %j are rejected', async (words, message) => {
  expect(await innctl(words)).toEqual(ended(2, expect.stringContaining(message)));
});

test.each<[readonly string[], string]>([
  [['-f', 'a'], '--raw-field: "a" is not name=value'],
  [['-f', '=1'], '--raw-field: "" is not a name such as a, a[b] or a[]'],
  [['-f', ' =1'], 'is not a name: a part of it must not be empty'],
  [['-f', 'a\u0000=1'], 'a part of it has control or invisible characters'],
  [['-f', 'a\u202e=1'], 'a part of it has control or invisible characters'],
  [['-f', 'a[b=1'], '"a[b" is not a name'],
  [['-f', '[]=1'], '"[]" is not a name'],
  [['-f', 'a[][]=1'], 'is not a name such as a'],
  [['-f', 'a[][b]=1'], "write more as JSON: -F 'a=[{"],
  [['-F', 'a={}', '-f', 'a[__proto__][x]=1'], '"a" is an object here and something else before'],
  [['-f', `a${'[b]'.repeat(21)}=1`], 'is not a name such as a'],
  [['-f', 'a=1', '-F', 'a=2'], '--field: "a" is given twice; write a[]= for the entries of a list'],
  [['-f', 'a[]=1', '-f', 'a=1'], '"a" is given twice'],
  [['-f', 'a[b]=1', '-f', 'a[b]=2'], '"b" is given twice'],
  [['-f', 'a=1', '-f', 'a[b]=2'], '"a" is an object here and something else before'],
  [['-f', 'a[b]=1', '-f', 'a[]=2'], '"a" is a list here and something else before'],
  [['-F', 'a={"b":1}', '-f', 'a[c]=2'], '"a" is an object here and something else before'],
  [['-F', 'a={'], '--field: is not valid JSON'],
  [['-F', 'a=[1,]'], '--field: is not valid JSON'],
  [['-F', 'a={"b":1,"b":2}'], '--field: names "b" twice'],
  [['-F', 'a=9007199254740993'], 'has the number "9007199254740993", which cannot be sent exactly'],
  [['-F', 'a=0.12345678901234567891'], 'cannot be sent exactly'],
  [['-F', 'a=1e400'], 'cannot be sent exactly'],
  [['-F', `a=1${'0'.repeat(100)}1`], 'cannot be sent exactly'],
  [
    ['-F', 'a=["x9007199254740993", 9007199254740993]'],
    'has the number "9007199254740993", which cannot be sent exactly',
  ],
  [['-F', 'a=@'], '"" is not the name of a file'],
  [['-F', 'a=@/nowhere/at/all'], 'Cannot read /nowhere/at/all: there is no such file'],
  [['-F', 'a=@/'], 'Cannot read /: it is a folder'],
  [['-F', 'a=@-', '-F', 'b=@-'], 'Only one flag can read stdin'],
  [['-F', 'a=@-', '--input', '-'], 'Only one flag can read stdin'],
  [['--input', '/'], 'Cannot read /: it is a folder'],
  [['--paginate'], '--paginate: only GET has pages, not POST'],
  [['--idempotency-key', 'a\r\nb: c'], '--idempotency-key: must be 1 to 255 visible ASCII characters'],
])('POST with %j is rejected', async (flags, message) => {
  expect(await innctl(['POST', '/x', ...flags])).toEqual(ended(2, expect.stringContaining(message)));
});

test.each<[readonly string[], string]>([
  [['--input', '-'], '--input: GET carries no body'],
  [['--idempotency-key', 'k'], '--idempotency-key: only POST carries one, not GET'],
  [['-i', '--paginate'], '--include: shows one answer, and --paginate makes one of several'],
  [
    ['--paginate', '-f', 'page_number=2'],
    '--paginate: asks for every page, and the query has page_number already',
  ],
  [['-F', 'a=null'], '--field: "a" has a value that cannot be sent in a query'],
  [['-F', 'a=[[1]]'], '--field: "a" has a value that cannot be sent in a query'],
  [['-F', 'a[]={"b":1}'], '--field: "a" has a value that cannot be sent in a query'],
  [['-f', 'a=1', '-f', 'a=2'], '"a" is given twice; write a[]='],
])('GET with %j is rejected', async (flags, message) => {
  expect(await innctl(['GET', '/x', ...flags])).toEqual(ended(2, expect.stringContaining(message)));
});

test.each<[string | Uint8Array, string]>([
  ['', 'stdin is not valid JSON'],
  ['['.repeat(60) + ']'.repeat(60), 'stdin is nested deeper than 50'],
  ['name: x', 'stdin is not valid JSON'],
  ['{"a":1} {}', 'stdin is not valid JSON'],
  [new Uint8Array([0x7b, 0xff]), 'stdin is not UTF-8 text'],
  [new Uint8Array([0x22, 0xe4, 0x22]), 'stdin is not UTF-8 text'],
])('the body %j is rejected', async (stdin, message) => {
  expect(await innctl(['PATCH', '/x', '--input', '-'], { stdin })).toEqual(
    ended(2, expect.stringContaining(message)),
  );
});

test('a body of more than 8 MiB is rejected', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'body.json');
  await writeFile(file, `"${'x'.repeat(8_388_608)}"`);

  expect(await innctl(['POST', '/x', '--input', file])).toEqual(
    ended(2, `error: ${file} is larger than 8 MiB.\n`),
  );
});

test.each(['/api/v1/invitations', '/API/v1/Invitations', '/api/v1/account/invitations'])(
  'an invitation rejects --idempotency-key, because the service would still send a second mail: %s',
  async (path) => {
    expect(await innctl(['POST', path, '--idempotency-key', 'k'])).toEqual(
      ended(2, `error: --idempotency-key: the service knows none for POST ${path}; leave it out\n`),
    );
  },
);

test('all invalid arguments are reported in one JSON error', async () => {
  const deep = `c=${'['.repeat(51)}${']'.repeat(51)}`;
  const fields = ['-f', 'a', '-F', 'b={', '-F', deep, '-F', 'd=[9007199254740993]'];

  const { exitCode, stdout, stderr } = await innctl(['GTE', '/x/../y', ...fields, '--json']);

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'invalid_input',
    details: [
      { field: 'method', reason: expect.stringContaining('"GTE"') },
      { field: 'path', reason: expect.stringContaining('has a part that is empty') },
      { field: '--raw-field', reason: '"a" is not name=value' },
      { field: '--field', reason: expect.stringContaining('is not valid JSON') },
      { field: '--field', reason: expect.stringContaining('is nested deeper than 50') },
      { field: '--field', reason: expect.stringContaining('which cannot be sent exactly') },
    ],
  });
});

test('a value nested 20,000 levels deep is rejected', async () => {
  const value = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;

  expect(await innctl(['POST', '/x', '-F', `a=${value}`])).toEqual(
    ended(2, expect.stringMatching(/^error: --field: .*is nested deeper than 50/)),
  );
});

test('a path of more than 8,192 characters is rejected', async () => {
  expect(await innctl(['GET', `/${'x'.repeat(8_192)}`])).toEqual(
    ended(2, 'error: path: is longer than 8192 characters\n'),
  );
});
