import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/files/entry.ts';
import { lostFields, manifestText } from '../../src/files/write.ts';
import { kindTable } from '../../src/model/kinds.ts';
import { isRecord } from '../../src/model/records.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { fileText, jsonValue, text } from '../helpers/arbitrary.ts';
import { fc, few } from '../helpers/laws.ts';
import { hotel, read } from './reading.ts';

/** Has every field, and accepts any code. */
const dialect = { ...apaleo, propertyFields: kindTable.property.fields };

/** Most texts of a manifest: one line of visible characters. */
const line = fileText.map((any) => any.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim() || 'BER');
const ids = fc.uniqueArray(fc.stringMatching(/^[A-Z]{3}$/), { maxLength: 3 });

const roles = fc.uniqueArray(fc.constantFrom('Auditor', 'Front Desk', "'s", '=1', 'é'), { maxLength: 3 });

const extra = fc.dictionary(
  fc.oneof(text, fc.constantFrom('stars', 'motto', 'a.b', ' c', 'constructor', '__proto__', 'error', 'kind')),
  fc.oneof(jsonValue, text, fc.dictionary(text, text, { maxKeys: 3 })),
  { maxKeys: 4 },
);

/** Names may have joiners, and text that looks like an escaped one. */
const name = fc.oneof(
  line,
  fc.constantFrom('می\u200cخواهم', '👩\u200d💼 Hotel', 'a \\u{200d} b', '\\u{5c}u{200d}'),
);
const texts = fc.dictionary(fc.constantFrom('en', 'de', 'de-AT', 'no'), name, { minKeys: 1 });

const property = fc
  .record({
    code: fc.constantFrom('BER', '01067', '1e3', 'NO', '=1', "'s", 'null', 'é'),
    name: texts,
    company_name: line,
    tax_id: line,
    extra,
    payment_terms: fc.option(texts, { nil: undefined }),
    description: fc.option(texts, { nil: undefined }),
    managing_directors: fc.option(line, { nil: undefined }),
    bank_account: fc.option(fc.record({ iban: line, bic: line, bank: line }, { requiredKeys: ['bic'] }), {
      nil: undefined,
    }),
  })
  .map((fields) => hotel(fields));

const invitation = fc.record(
  { email: fc.emailAddress(), role: line, roles, properties: ids, is_account_admin: fc.boolean(), extra },
  { requiredKeys: ['email'] },
);

const placed = fc.record({
  id: fc.stringMatching(/^[A-Z:,'=]{1,3}$/),
  roles: fc.oneof(roles, fc.constantFrom(['a: b'], ['[]'], ['None'])),
});

const user = fc
  .record(
    {
      kind: fc.constant('user'),
      subject_id: fc.uuid(),
      enabled: fc.boolean(),
      properties: ids,
      property_roles: fc.uniqueArray(placed, { maxLength: 3, selector: ({ id }) => id }),
      first_name: line,
      last_name: line,
      is_account_admin: fc.boolean(),
    },
    { requiredKeys: ['kind', 'subject_id', 'enabled'] },
  )
  .map(({ property_roles: each, ...rest }) => {
    if (each === undefined) return rest;
    const named = rest.properties?.map((id) => ({ id, roles: each[0]?.roles ?? [] }));
    return { ...rest, property_roles: named ?? each };
  });

const rows = fc.uniqueArray(fc.oneof(property, invitation, user), {
  maxLength: 4,
  selector: (row) => JSON.stringify('code' in row ? row['code'] : row).slice(0, 40),
});

/** Texts that a format, or a spreadsheet, could take for something else. */
const odd = [
  ...[`The "Grand" 'Hotel' \`B\``, '=SUM(A1)', "'s Gravenhage", "'=1", '+49 30', '-5', '@Berlin', 'a,b;c|d'],
  ...['NO', '01067', '1e3', '15:00:00', 'a #b', 'a: b', 'a\\nb\\u0041', '100 %', '{a} [b]'],
  'Zürich ÅÉ Łódź 東京 🏨 👩‍👩‍👧',
];

const examples = [
  [{ email: 'ana@example.com', extra: { motto: 'a\0b', note: '\ud800', stars: 'four' } }],
  odd.map((name, index) =>
    hotel({
      ...{ code: `H${index}`, name: { en: name }, extra: { motto: name } },
      company_name: name.replaceAll('\u200d', ''),
    }),
  ),
  [hotel({ extra: { motto: 'first\nsecond\n\n third\r\nfourth', note: '\tTab', mark: 'a\u200fb\u2028' } })],
  [hotel({ extra: { stars: 4, half: 0.5, far: 1e21, pool: true, no: 'NO', none: {}, '07': '07' } })],
  [hotel({ extra: { list: ['a', 1, null, { b: [] }], description: { en: 'Near' } } })],
  [{ kind: 'user' as const, subject_id: 'ben-1', enabled: false, properties: [] }],
].map((some): [typeof some] => [some]);

/** Kinds, names and fields; an empty `extra` is omitted. */
function bare(entries: readonly Entry[]) {
  return entries.map(({ kind, name, fields: { extra, ...fields } }) => ({
    kind,
    name,
    fields: Object.keys(extra ?? {}).length === 0 ? fields : { ...fields, extra },
  }));
}

/** By kind, as YAML and JSON group them. */
const grouped = (entries: readonly Entry[]) =>
  bare(['property', 'invitation', 'user'].flatMap((kind) => entries.filter((entry) => entry.kind === kind)));

/** Entries without the fields that were not read back from a table; each of them was named as lost. */
function kept(entries: readonly Entry[], back: readonly Entry[]): readonly Entry[] {
  const lost = lostFields(entries, 'csv').map((each) => each.replace(/ \(".*/s, ''));
  const shared = (fields: object, read: object, above: string): object =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, value]) => {
        const path = `${above}${name}`;
        const there: unknown = Object.hasOwn(read, name) ? Object(read)[name] : undefined;
        if (isRecord(value)) {
          const inner = shared(value, isRecord(there) ? there : {}, `${path}.`);
          return Object.keys(inner).length === 0 ? [] : [[name, inner]];
        }
        if (there !== undefined) return [[name, value]];
        expect(lost).toContain(path);
        return [];
      }),
    );
  return entries.map((entry, index) => ({
    ...entry,
    fields: shared(entry.fields, back[index]?.fields ?? {}, '') as Entry['fields'],
  }));
}

describe.each(['yaml', 'json', 'ndjson', 'csv'] as const)('%s', (format) => {
  test('is written and parsed back as the same entries, except what a table cannot hold', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (some) => {
        const { entries } = await read({ 'all.json': JSON.stringify(some) }, { dialect });
        fc.pre(entries.length > 0);
        const written = await manifestText(entries, format);
        const back = await read({ [`all.${format}`]: written }, { dialect });

        expect(back.problems).toEqual([]);
        expect(bare(back.entries)).toEqual(
          format === 'yaml' || format === 'json'
            ? grouped(entries)
            : bare(format === 'csv' ? kept(entries, back.entries) : entries),
        );
      }),
      { ...few(20), examples },
    );
  });
});
