import { expect, test } from 'vitest';
import { parseProperty } from '../../src/sandbox/property-schema.ts';
import { applyChange, type Change, emptyTables } from '../../src/sandbox/records.ts';
import { chainSeed } from '../../src/sandbox/seeds/chain.ts';
import { smallSeed } from '../../src/sandbox/seeds/small.ts';
import { NOON } from './harness.ts';

const seeds = { small: smallSeed, chain: chainSeed };

function tablesOf(changes: Iterable<Change>) {
  const records = emptyTables();
  for (const change of changes) applyChange(records, change);
  return records;
}

const cases = [
  ['small', tablesOf(seeds.small({ now: NOON, size: undefined }))],
  ['chain', tablesOf(seeds.chain({ now: NOON, size: undefined }))],
] as const;

test('small has three properties, twelve users and four invitations, one of them 40 days old', () => {
  const [[, { properties, users, invitations }]] = cases;

  expect([...properties.values()].map(({ id, status }) => [id, status])).toEqual([
    ['BER', 'Live'],
    ['MUC', 'Test'],
    ['VIE', 'Test'],
  ]);
  expect(users.size).toBe(12);
  expect([...users.values()].filter((user) => user.is_account_admin).map((user) => user.email)).toEqual([
    'ana@aurora.example',
  ]);
  expect([...users.values()].filter(({ enabled }) => !enabled).map(({ email }) => email)).toEqual([
    'karl@aurora.example',
  ]);
  expect([...invitations.values()].map(({ created }) => (NOON - Date.parse(created)) / 86_400_000)).toEqual([
    2, 9, 12, 40,
  ]);
});

test('chain has 240 properties and their users, or as many properties as size says', () => {
  const [, [, { properties, users }]] = cases;

  expect([properties.size, users.size]).toEqual([240, 721]);
  expect(tablesOf(seeds.chain({ now: NOON, size: 1_000 })).properties.size).toBe(1_000);
});

test.each(cases)('%s is deterministic', (name, records) => {
  expect(tablesOf(seeds[name]({ now: NOON, size: undefined }))).toEqual(records);
});

test.each(cases)('every property of %s is valid', (_, { properties }) => {
  for (const property of properties.values()) {
    const { id, created: _created, status: _status, is_archived: _a, is_template: _t, ...fields } = property;
    expect(parseProperty(fields)).toEqual(fields);
    expect(id).toBe(fields.code);
  }
});

test.each(cases)('every user and invitation of %s refers to existing properties', (_, records) => {
  const ids = [...records.users.values(), ...records.invitations.values()].flatMap(
    ({ properties }) => properties,
  );

  expect(ids.filter((id) => !records.properties.has(id))).toEqual([]);
  expect(new Set([...records.users.values()].map(({ email }) => email)).size).toBe(records.users.size);
});
