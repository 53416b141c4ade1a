import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { decodeJson } from '../../src/service/answer.ts';

const decode = (json: string | Uint8Array) => decodeJson(Buffer.from(json), {});

/** The difference of texts of several MiB would fill the screen. */
function expectSame(value: unknown, json: string) {
  expect(hash('sha256', JSON.stringify(value))).toBe(hash('sha256', json));
}

test.each<[string, string]>([
  ['a hundred nested lists', '['.repeat(100) + ']'.repeat(100)],
  ['brackets in a string', `["${'['.repeat(101)}"]`],
  ['lists that are closed', `[${'[],'.repeat(1_000)}0]`],
  ['40,000 numbers', `[${'0,'.repeat(39_999)}0]`],
  ['100,000 empty objects', `{"items":[${'{},'.repeat(99_999)}{}]}`],
])('JSON is read: %s', (_, json) => {
  expectSame(decode(json), json);
});

test.each<[string, string]>([
  ['101 nested lists', '['.repeat(101) + ']'.repeat(101)],
  ['objects', `${'{"a":'.repeat(101)}0${'}'.repeat(101)}`],
  ['very many levels', `[${'{"a":['.repeat(100_000)}${']}'.repeat(100_000)}]`],
  ['levels without an end', '['.repeat(400_000)],
])('JSON that is nested deeper than 100 is rejected: %s', (_, json) => {
  expect(() => decode(json)).toThrow('the service answered with JSON nested deeper than 100');
});

/** About 3 MiB. */
const records = Array.from({ length: 20_000 }, (_, at) => ({
  email: `ana.${at}@example.com`,
  name: 'Zoë "the [bell]" \\, \u{1f6ce}\ufe0f {',
  properties: ['BER', 'MUC'],
  roles: [{ id: 'BER', ids: [at, null, true, -0.5] }],
}));
const list = JSON.stringify(records);

test.each<[string, string]>([
  ['bare', list],
  ['between blanks', `\r\n ${list.replaceAll('},{"email"', '} ,\n\t{"email"')} \n`],
  ['in an object', `{"count":30000,"items":${list}}`],
  ['before other fields', `{"items":${list},"links":{"next":["a"]},"users":[]}`],
  ['behind other lists', `{"a":{"b":[[]]},"users":[1],"items":${list}}`],
  ['under a name of digits', `{"z":1,"7":${list}}`],
  ['under a name with quotes', `{"a\\"[":${list}}`],
  ['beside its own mark', `{"a":["\uE000",1],"items":${list}}`],
  ['under __proto__', `{"__proto__":${list}}`],
  ['beside one that is longer still', `{"items":${list},"users":${list.replaceAll('BER', 'VIENNA')}}`],
])('a list of 3 MiB is read like any other: %s', (_, json) => {
  expectSame(decode(json), JSON.stringify(JSON.parse(json)));
});

test('long integers in and around a long list keep their digits', () => {
  const json = `{"count":12345678901234567891,"items":${list.replace('[0,', '[12345678901234567891,')}}`;

  expectSame(decode(json), json.replaceAll('12345678901234567891', '"$&"'));
});

test.each<[string, string, string]>([
  ['cut', list.slice(0, -100), 'a text that is not JSON'],
  ['a comma without an entry', `${list.slice(0, -1)},]`, 'a text that is not JSON'],
  ['commas without entries', `[${',\n'.repeat(600_000)}1]`, 'a text that is not JSON'],
  [
    'blanks in place of an entry',
    `${list.slice(0, -1)},${' '.repeat(1_200_000)}]`,
    'a text that is not JSON',
  ],
  ['closed by a brace', `{"items":${list.slice(0, -1)}}}`, 'a text that is not JSON'],
  ['followed by something', `${list}]`, 'a text that is not JSON'],
  ['in front of something', `{"items":${list},}`, 'a text that is not JSON'],
  ['a page', `<html><script>${list}</script>`, 'an HTML or XML page'],
])('a malformed list of 3 MiB is rejected: %s', (_, json, what) => {
  expect(() => decode(json)).toThrow(`the service answered with ${what}`);
});

test('a list of 3 MiB that is not UTF-8 is rejected', () => {
  const bytes = Buffer.from(list);
  bytes[1_500_000] = 0xff;

  expect(() => decode(bytes)).toThrow('the service answered with text that is not UTF-8');
});
