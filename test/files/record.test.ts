import { expect, test } from 'vitest';
import { readRecord } from '../../src/files/record.ts';
import type { Input } from '../../src/model/ports.ts';
import { contract } from '../../src/service/dialect.ts';

function read(text: string) {
  const stdin: Input = { ends: new AbortController().signal, read: async () => Buffer.from(text) };
  return readRecord('-', 'property', { stdin, dialect: contract, allowUnknown: true });
}

test.each([
  [
    'a key with invisible characters in a list',
    'extra:\n  ? ["\\x9b31m"]\n  : b',
    'stdin: line 2: has a key that is not a plain text',
  ],
  [
    'an alias as a key',
    'code: &a BER\nextra: { *a : c }',
    'stdin: line 2: has a key that is not a plain text',
  ],
  ['a duplicate key', 'code: BER\n"code" : MUC', 'stdin: line 2: names "code" twice'],
  [
    'a tag under extra',
    'extra: { logo: !!binary aGFt }',
    'stdin: line 1: has a tag (tag:yaml.org,2002:binary), and tags are not taken',
  ],
  ['an alias', 'code: &a [[{ b: *a }]]', 'stdin: line 1: has an alias (*a) inside what it stands for'],
  ['unlimited nesting of lists', `a: b\n${'- '.repeat(200_000)}`, 'stdin is nested deeper than 50.'],
])('YAML with %s is rejected', async (_, text, message) => {
  await expect(read(text)).rejects.toMatchObject({ message, exitCode: 2 });
});

test.each([
  ['rows with commas', 'code,city\nBER,Berlin\n'],
  ['rows with semicolons', 'Code; Straße\r\nBER; Mohrenstraße\r\n'],
  ['rows with quotes', '\n"code","city"\n"BER","Berlin, Mitte"\n'],
])('%s are rejected as a table of several records', async (_, text) => {
  await expect(read(text)).rejects.toMatchObject({
    code: 'several_records',
    message: 'stdin holds several records, or a list; one record is wanted.',
  });
});

test.each([
  ['a comment', '# code, city\ncode: BER\n'],
  ['commas in a value', 'code: BER, MUC\ncity: Berlin\n'],
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

test('times and blanks around codes are read as in files of several records', async () => {
  expect((await read('code: " BER "\ndefault_check_in_time: 3 PM\n')).fields).toMatchObject({
    code: 'BER',
    default_check_in_time: '15:00:00',
  });
});
