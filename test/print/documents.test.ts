import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { CliError, ExitCode } from '../../src/model/errors.ts';
import { csvText } from '../../src/print/cells.ts';
import { toJson } from '../../src/print/text.ts';
import { toYaml } from '../../src/print/yaml.ts';
import { desk, munich, properties, twoPages } from './desk.ts';

async function* pages(): AsyncIterable<readonly unknown[]> {
  yield ['MUC'];
  yield ['VIE'];
}

test.each([
  ['json', ['{\n  "count": 3,\n  "items": [\n    "BER",\n    "MUC",\n    "VIE"\n  ]\n}\n']],
  ['csv', ['{\n  "count": 3,\n  "items": [\n    "BER",\n    "MUC",\n    "VIE"\n  ]\n}\n']],
  ['yaml', ['count: 3\nitems:\n  - BER\n  - MUC\n  - VIE\n']],
  ['ndjson', ['"BER"\n', '"MUC"\n', '"VIE"\n']],
  ['table', ['{\n  "count": 3,\n  "items": [\n    "BER",\n    "MUC",\n    "VIE"\n  ]\n}\n']],
] as const)('the pages of a list in %s', async (format, written) => {
  const { out, writes } = desk({ format });

  await out.document({ count: 3, items: ['BER'] }, { more: pages() });

  expect(writes).toEqual(written);
});

test('control characters in a text, in JSON and in a response header are escaped', async () => {
  const { out, shown } = desk({ terminal: true });
  const head = { status: 200, headers: { 'x-a': 'b\u001b[2J' } };

  await out.document('bell\u0007', { head });
  await out.document({ a: '\u202e' });

  expect(shown().stdout).toBe('HTTP 200\nx-a: b\\u{1b}[2J\n\nbell\\u{7}\n{\n  "a": "\\u202e"\n}\n');
});

test('an error while printing the response of a write says that the write was carried out', async () => {
  const full = async () => {
    throw new CliError('output_failed', 'The disk is full.');
  };
  const { out } = desk({ write: full });

  await expect(out.document({ id: 'BER' }, { write: 'POST /x: 201.' })).rejects.toThrow(
    'POST /x: 201. But the result could not be printed. The disk is full.',
  );
  await expect(out.document({ id: 'BER' })).rejects.toThrow(/^The disk is full\.$/);
});

test('a field called __proto__ is a field like any other', () => {
  const text = '{"__proto__":{"id":"BER"},"id":"MUC"}';

  expect(toJson(JSON.parse(text))).toBe(text);
});

test('a value that is nested too deeply is a reported error, not a stack overflow', () => {
  const depth = 200_000;
  const deep: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth));

  const attempt = () => toJson(deep, 2);

  expect(attempt).toThrow(CliError);
  expect(attempt).toThrow(
    expect.objectContaining({
      code: 'unprintable',
      message: 'Could not print the result as JSON: it is nested too deeply or too long.',
      exitCode: ExitCode.failed,
    }),
  );
});

test('another serialization error is not reported as excessive nesting', () => {
  expect(() => toJson({ count: 1n })).toThrow(TypeError);
});

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

test('a value that is nested too deeply for YAML is a reported error', () => {
  let deep: unknown = 'BER';
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];

  expect(() => toYaml(deep)).toThrow('Could not print the result as YAML');
});

test('a list has a header and a row per record, and each page is one write', async () => {
  const { out, writes, shown } = desk({ format: 'csv', terminal: true });

  await out.records(properties, twoPages());

  expect(writes).toEqual([
    'id,name,location.city,is_archived,created\nBER,Grand Hotel,Berlin,false,2026-10-11T09:00:00Z\n',
    'MUC,Alpenhof,,true,\n',
  ]);
  expect(shown().stderr).toBe('');
});

test('undefined fields of a result have no row', async () => {
  const { out, shown } = desk({ format: 'csv' });

  await out.done('Invited Ana.', { email: 'ana@example.com', role: undefined, properties: ['BER', 'VIE'] });

  expect(shown().stdout).toBe('field,value\nemail,ana@example.com\nproperties,"BER, VIE"\n');
});

test.each([
  ['=1+1', "'=1+1"],
  ["'s Hotel", "''s Hotel"],
  ['\tBER', "'\tBER"],
  ['BER=1', 'BER=1'],
  ['', ''],
])('the cell %j is written as %j, so that it is not a formula', (cell, kept) => {
  expect(parse(csvText([['x', cell]]))).toEqual([['x', kept]]);
});
