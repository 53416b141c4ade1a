import { expect, test } from 'vitest';
import { applyChange, attributeIdOf, emptyTables, nextNumber, unitIdOf } from '../../src/sandbox/records.ts';
import { problemsOf } from '../../src/sandbox/rules.ts';
import { newRecord } from '../../src/sandbox/schemas.ts';
import { changesOf } from '../../src/sandbox/seeds/accounts.ts';
import type { SeedName } from '../../src/sandbox/seeds/names.ts';
import { NOON } from './harness.ts';

function tablesOf(seed: SeedName, size?: number) {
  const records = emptyTables();
  for (const change of changesOf(seed, { now: NOON, size })) applyChange(records, change);
  return records;
}

const cases = [
  ['small', tablesOf('small')],
  ['chain', tablesOf('chain')],
  ['people', tablesOf('people')],
] as const;

test('chain has 240 properties and their users, or as many properties as size says', () => {
  const [, [, { properties, users }]] = cases;

  expect([properties.size, users.size]).toEqual([240, 721]);
  expect(tablesOf('chain', 1_000).properties.size).toBe(1_000);
});

test.each(cases)(
  'every unit of %s refers to what there is, and its id will not be given again',
  (_, records) => {
    const units = [...records.units.values()];

    expect(units.length).toBeGreaterThan(7);
    expect(units.flatMap((unit) => problemsOf(unit, records))).toEqual([]);
    const next = nextNumber(records);
    const given = new Set([...records.units.keys(), ...records.unit_attributes.keys()]);
    for (let number = next; number < next + 1_000; number += 1) {
      expect(given.has(unitIdOf('BER', number)) || given.has(attributeIdOf(number))).toBe(false);
    }
  },
);

test('ids have three letters until all of them are given, and no id twice', () => {
  const ids = Array.from({ length: 20_000 }, (_, number) => unitIdOf('BER', number));

  expect(new Set(ids).size).toBe(20_000);
  expect(ids.filter((id) => /^BER-[A-Z]{3}$/.test(id))).toHaveLength(26 ** 3);
  expect(ids.filter((id) => /^BER-[A-Z]{4}$/.test(id))).toHaveLength(20_000 - 26 ** 3);
});

test.each(cases)('every property of %s is valid', (_, { properties }) => {
  for (const property of properties.values()) {
    const { id, created: _created, status: _status, is_archived: _a, is_template: _t, ...fields } = property;
    expect(newRecord('property', { body: fields, dialect: 'contract' })).toEqual(fields);
    expect(id).toBe(fields.code);
  }
});

test.each(cases)(
  'every user and invitation of %s refers to existing properties, but for OLD of people',
  (_, records) => {
    const ids = [...records.users.values(), ...records.invitations.values()].flatMap(
      ({ properties }) => properties,
    );

    expect(ids.filter((id) => id !== 'OLD' && !records.properties.has(id))).toEqual([]);
  },
);
