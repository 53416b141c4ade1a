import { expect, test } from 'vitest';
import { toYaml } from '../../src/print/yaml.ts';
import { desk, munich, properties } from './desk.ts';

test('a record and a response with headers have the structure of the JSON document', async () => {
  const record = desk({ format: 'yaml' });
  const answer = desk({ format: 'yaml' });

  await record.out.record(properties, munich);
  await answer.out.document({ id: 'MUC' }, { head: { status: 200, headers: { date: 'now' } } });

  expect(record.shown().stdout).toBe('id: MUC\nname: Alpenhof\nis_archived: true\n');
  expect(answer.shown().stdout).toBe('status: 200\nheaders:\n  date: now\nbody:\n  id: MUC\n');
});

test.each([
  ...['NO', 'yes', 'off', 'null', '~', '01067', '1e3', '0x10', '1_000', '15:00:00', '2026-10-11', '=', '<<'],
])('a string that would be read as another type is quoted: %j', (text) => {
  expect(toYaml({ [text]: text })).toBe(`${JSON.stringify(text)}: ${JSON.stringify(text)}\n`);
});

test('one object in two places is written twice, without an alias', () => {
  const city = { city: 'Berlin' };

  expect(toYaml({ a: city, b: city })).toBe('a:\n  city: Berlin\nb:\n  city: Berlin\n');
});

test('the names of JavaScript object properties are ordinary keys', () => {
  const record: unknown = JSON.parse('{"__proto__": {"code": "BER"}, "constructor": 1}');

  expect(toYaml(record)).toBe('__proto__:\n  code: BER\nconstructor: 1\n');
});

test('a value that is nested too deeply is a reported error, not a stack overflow', () => {
  let deep: unknown = 'BER';
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];

  expect(() => toYaml(deep)).toThrow('Could not print the result as YAML');
});
