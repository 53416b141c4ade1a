import { describe, expect, test } from 'vitest';
import { draftOf, showDifference } from '../../src/commands/edit/edit-record.ts';
import { readText } from '../../src/commands/edit/edited.ts';
import type { ServiceRecord } from '../../src/model/records.ts';

/** No rules: the types of fields come from the record. */
const rules = { texts: new Set<string>(), objects: new Set<string>() };

const read = (text: string, record: ServiceRecord = {}) =>
  readText(text, 'hotel.yaml', record, rules)?.fields;

/** The draft of a record. */
const draft = (record: ServiceRecord, fixed: readonly string[] = []) =>
  draftOf({ kind: 'property', reference: 'BER', advice: [] }, record, fixed, 'the sandbox');

describe('a draft is read back unchanged', () => {
  const record: ServiceRecord = JSON.parse(
    JSON.stringify({
      plain: 'Grand Hotel',
      like_a_number: '01067',
      like_a_time: '15:00:00',
      like_a_truth: 'NO',
      like_nothing: 'null',
      empty: '',
      lines: 'Am Markt\n\n  im Hof\n# no comment\n',
      quotes: `"it's" $(touch x) \`touch x\` \\ : - ? & * ! | > % @`,
      controls: '\u0000\u0007\u001b[31m\u0085\u2028\u202e\u200b\ud800',
      tab: '\ta\t',
      emoji: '🏨',
      document: '---',
      number: 12.5,
      large: 1e21,
      negative: -3,
      truth: true,
      nothing: null,
      none: {},
      list: ['BER', '1e3', 'no'],
      numbers: [1, 2.5],
      records: [{ id: '007', stars: 5 }],
      'a: b': 'colon in a name',
      '': 'no name',
      '1': 'a number as a name',
    }),
  );

  test('for every kind of value', () => {
    expect(read(draft(record), record)).toEqual(record);
  });

  test('for a field named __proto__', () => {
    const hostile: ServiceRecord = JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":"x"}');

    expect(JSON.stringify(read(draft(hostile), hostile))).toBe(JSON.stringify(hostile));
  });

  test('without the fields in comments, whatever they contain', () => {
    expect(read(draft({ ...record, name: 'Berlin' }, Object.keys(record)))).toEqual({ name: 'Berlin' });
  });
});

test.each<[string, string, unknown, unknown]>([
  ['a string field keeps its source text', '01068', '01067', '01068'],
  ['a string field may look like a boolean', 'yes', 'no', 'yes'],
  ['a number field is read as a number', '1.50', 2, 1.5],
  [
    'a number that cannot be represented exactly is read as a string',
    '12345678901234567890',
    1,
    '12345678901234567890',
  ],
  ['a number with leading zeros is read as a string', '007', 1, '007'],
  ['a hexadecimal number is read as a string', '0x1F', 1, '0x1F'],
  ['infinity is read as a string', '.inf', 1, '.inf'],
  ['a boolean field is read as a boolean', 'false', true, false],
  ['an empty value is null', '', 'Berlin', null],
  ['list entries have the type of the existing entries', '[007, 1e3]', ['006'], ['007', '1e3']],
])('%s', (_what, written, seen, value) => {
  expect(read(`field: ${written}\n`, { field: seen })).toEqual({ field: value });
});

test.each<[string, string, string]>([
  ['a list', '- a\n', 'is not a record of fields and values'],
  ['one word', 'Berlin\n', 'is not a record of fields and values'],
  ['several documents', 'a: b\n---\nc: d\n', 'contains several documents; expected one record'],
  ['a duplicate name', 'a: b\nc: d\na: e\n', 'names "a" twice at line 3, column 1'],
  ['a tab as indentation', 'a:\n\tb: c\n', 'is not valid YAML: '],
  ['an open bracket', 'a: [b\n', 'is not valid YAML: '],
  ['a control character', 'a: b\nc: d\u0007\n', 'has a control character at line 2'],
  ['a tag', 'a: !!binary YQ==\n', 'has a tag (tag:yaml.org,2002:binary), and tags are not taken at line 1'],
  ['a key that is a list', '[a]: b\n', 'has a key that is not a plain text at line 1'],
  ['a recursive alias', 'a: &x\n  b: *x\n', 'has an alias (*x) inside what it stands for at line 2'],
  ['an alias without an anchor', 'a: *x\n', 'has an alias (*x) without an anchor (&x) before it at line 1'],
  [
    'too many aliases',
    `a: &x [1]\nb: [${'*x, '.repeat(101)}]\n`,
    'uses aliases (*) of one anchor (&) more than 100 times',
  ],
  ['too many levels', `a: ${'['.repeat(5_000)}`, 'is nested deeper than 50'],
])('%s is rejected', (_what, text, reason) => {
  expect(() => read(text)).toThrow(`hotel.yaml ${reason}`);
});

test.each(['', '\n', '# Ana\n', '---\n', '---\n...\n'])('%j contains no record', (text) => {
  expect(read(text)).toBe(undefined);
});

test('the line of a field is that of its name, or of its parent if it is missing', () => {
  const text = '# Ana\nname:\n  en: Berlin\n\nlocation: {city: Berlin}\n';

  const written = readText(text, 'hotel.yaml', {}, rules);

  expect(
    [['name'], ['name', 'en'], ['name', 'fr'], ['location', 'city'], ['tax_id']].map((field) =>
      written?.lineOf(field),
    ),
  ).toEqual([2, 3, 2, 5, undefined]);
});

describe('the difference', () => {
  const shown = async (before: ServiceRecord, after: ServiceRecord) => {
    const parts: string[] = [];
    const stderr = {
      isTerminal: true,
      columns: 80,
      write: async (text: string) => {
        parts.push(text);
      },
    };
    await showDifference('property BER', before, after, {
      stderr,
      presentation: { json: false, colour: false, held: [] },
    });
    return parts.join('');
  };

  test('ignores the order of fields, and escapes control characters', async () => {
    expect(await shown({ a: '1', b: 'x' }, { b: '\u001b[2J\u202e', a: '1' })).toBe(
      '--- property BER, as it is\n+++ property BER, as edited\n@@ -1,2 +1,2 @@\n a: "1"\n-b: x\n+b: "\\e[2J\\u202e"\n',
    );
  });

  test('of more than 2000 lines is not shown', async () => {
    const lines = (word: string) => ({
      list: Array.from({ length: 5_000 }, (_, index) => `${word}${index}`),
    });

    expect(await shown(lines('a'), lines('b'))).toBe('More than 2000 lines of property BER differ.\n');
  });
});
