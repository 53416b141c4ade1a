import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toYaml } from '../../src/print/yaml.ts';
import { berlin, desk, munich, properties, twoPages } from './desk.ts';

test('a list has the structure of the JSON document', async () => {
  const { out, shown } = desk({ format: 'yaml', terminal: true });

  await out.records(properties, twoPages({ total: 250, truncated: true }));

  expect(parse(shown().stdout)).toEqual({ count: 250, has_more: true, items: [berlin, munich] });
  expect(shown().stderr).toBe('Showing 2 of 250 properties; without --limit all are listed.\n');
});

test('a record and a response with headers have the structure of the JSON document', async () => {
  const record = desk({ format: 'yaml' });
  const answer = desk({ format: 'yaml' });

  await record.out.record(properties, munich);
  await answer.out.document({ id: 'MUC' }, { head: { status: 200, headers: { date: 'now' } } });

  expect(record.shown().stdout).toBe('id: MUC\nname: Alpenhof\nis_archived: true\n');
  expect(answer.shown().stdout).toBe('status: 200\nheaders:\n  date: now\nbody:\n  id: MUC\n');
});

describe('a string that would be read as another type is quoted', () => {
  const texts = ['NO', 'yes', 'off', 'null', '~', '01067', '1e3', '0x10', '1_000', '15:00:00', '2026-10-11'];
  const signs = [
    '',
    '=',
    '<<',
    '---',
    '%a',
    '- a',
    'a: b',
    '# a',
    'a #b',
    '*a',
    '&a',
    '!a',
    '@a',
    ' a',
    'a ',
  ];

  test.each([...texts, '=', '<<'])('%j', (text) => {
    expect(toYaml({ [text]: text })).toBe(`${JSON.stringify(text)}: ${JSON.stringify(text)}\n`);
  });

  test.each([...texts, ...signs, 'a\nb', '\n a\n', 'a\tb', '"a"', "'a'", '🏨', '𝕏: y'])(
    '%j is read back as key, as value and alone',
    (text) => {
      expect(parse(toYaml({ [text]: [text] }))).toEqual({ [text]: [text] });
      expect(parse(toYaml(text))).toBe(text);
    },
  );
});

test.each([
  ['\u001b[2J', '"\\e[2J"\n'],
  ['a\u202eb', '"a\\u202eb"\n'],
  ['a\u0085b', '"a\\u0085b"\n'],
  ['a\u007fb', '"a\\u007fb"\n'],
  ['a\u{e0001}b', '"a\\U000e0001b"\n'],
])('control characters are escaped: %j', (text, written) => {
  expect(toYaml(text)).toBe(written);
  expect(parse(toYaml(text))).toBe(text);
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
