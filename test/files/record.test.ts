import { expect, test } from 'vitest';
import type { Input } from '../../src/cli/ports.ts';
import { readRecord } from '../../src/files/record.ts';
import { contract } from '../../src/service/dialect.ts';

function read(text: string) {
  const stdin: Input = { ends: new AbortController().signal, read: async () => Buffer.from(text) };
  return readRecord('-', 'property', { stdin, dialect: contract, allowUnknown: true });
}

/** As many as a file may hold: the time to resolve them must not be quadratic. */
function manyAliases(): string {
  return Array.from({ length: 30_000 }, (_, index) => `- &a${index} x\n- *a${index}\n`).join('');
}

test('plain scalars are their source text, and have their type under extra', async () => {
  const text = 'location: { postal_code: 01067, city: NO }\ntax_id: null\nextra: { stars: 4, pool: true }\n';

  expect(await read(text)).toEqual({
    name: 'stdin',
    fields: { location: { postal_code: '01067', city: 'NO' }, extra: { stars: 4, pool: true } },
    problems: [],
    hint: undefined,
  });
});

test.each([
  [
    'a key with invisible characters in a list',
    'extra:\n  ? ["\\x9b31m"]\n  : b',
    'stdin: line 2: has a key that is not a plain text',
  ],
  [
    'a map as a key under extra',
    'extra: { { a: b }: c }',
    'stdin: line 1: has a key that is not a plain text',
  ],
  [
    'an alias as a key',
    'code: &a BER\nextra: { *a : c }',
    'stdin: line 2: has a key that is not a plain text',
  ],
  ['a duplicate key', 'code: BER\n"code" : MUC', 'stdin: line 2: names "code" twice'],
  ['a duplicate key in a map', 'name: { en: a, en: b }', 'stdin: line 1: names "en" twice'],
  [
    'a tag under extra',
    'extra: { logo: !!binary aGFt }',
    'stdin: line 1: has a tag (tag:yaml.org,2002:binary), and tags are not taken',
  ],
  [
    'a tagged map under extra',
    'extra: !!map { a: b }',
    'stdin: line 1: has a tag (tag:yaml.org,2002:map), and tags are not taken',
  ],
  [
    'an alias deep in its own list',
    'code: &a [[{ b: *a }]]',
    'stdin: line 1: has an alias (*a) inside what it stands for',
  ],
  ['very many aliases', `extra:\n${manyAliases()}`, 'stdin: line 10003: has more than 5000 aliases (*)'],
  ['unlimited nesting of lists', `a: b\n${'- '.repeat(200_000)}`, 'stdin is nested deeper than 50.'],
])('YAML with %s is rejected', async (_, text, message) => {
  await expect(read(text)).rejects.toMatchObject({ message, exitCode: 2 });
});

test.each([
  ['rows with commas', 'code,city\nBER,Berlin\n'],
  ['rows with semicolons', 'Code; Straße\r\nBER; Mohrenstraße\r\n'],
  ['rows with tabs', 'code\tcity\nBER\tBerlin\n'],
  ['rows with quotes', '\n"code","city"\n"BER","Berlin, Mitte"\n'],
])('%s are rejected as a table of several records', async (_, text) => {
  await expect(read(text)).rejects.toMatchObject({
    code: 'several_records',
    message: 'stdin is a table (CSV); one record is wanted.',
  });
});

test.each([
  ['a comment', '# code, city\ncode: BER\n'],
  ['commas in a value', 'code: BER, MUC\ncity: Berlin\n'],
  ['a map', '? code\n: BER\n'],
  ['a document mark', '---\ncode: BER\n'],
])('a record that begins with %s is not taken for a table', async (_, text) => {
  expect((await read(text)).fields).toHaveProperty('code');
});

test.each([
  ['an error', '{"code":"BER",\n "city":}', "Unexpected token '}' at line 2, column 9"],
  [
    'a reported position past the end',
    '{"code":"BER\n"}',
    'Bad control character in string literal at line 1, column 9',
  ],
])('the place of %s in JSON is reported', async (_, text, said) => {
  await expect(read(text)).rejects.toMatchObject({
    message: `stdin is not valid JSON: ${said}.`,
    exitCode: 2,
  });
});

test('a carriage return ends a line of YAML, as the specification requires', async () => {
  expect((await read('code: BER\rtax_id: DE1\r')).fields).toMatchObject({ code: 'BER', tax_id: 'DE1' });
});
