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
