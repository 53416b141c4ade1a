import { describe, expect, test } from 'vitest';
import { applyChange, attributeIdOf, emptyTables, nextNumber, unitIdOf } from '../../src/sandbox/records.ts';
import { problemsOf } from '../../src/sandbox/rules.ts';
import { parseProperty } from '../../src/sandbox/schemas.ts';
import { chainSeed, peopleSeed } from '../../src/sandbox/seeds/chain.ts';
import { ADMIN_ID, type Seed } from '../../src/sandbox/seeds/seed.ts';
import { smallSeed } from '../../src/sandbox/seeds/small.ts';
import { changesOf } from '../../src/sandbox/seeds/stock.ts';
import { NOON } from './harness.ts';

const seeds = {
  small: () => smallSeed({ now: NOON }),
  chain: () => chainSeed({ size: undefined }),
  people: peopleSeed,
};

function tablesOf(seed: Seed) {
  const records = emptyTables();
  for (const change of changesOf(seed, NOON)) applyChange(records, change);
  return records;
}

const cases = [
  ['small', tablesOf(seeds.small())],
  ['chain', tablesOf(seeds.chain())],
  ['people', tablesOf(seeds.people())],
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
  expect(tablesOf(chainSeed({ size: 1_000 })).properties.size).toBe(1_000);
});

test.each(cases)('%s is deterministic', (name, records) => {
  expect(tablesOf(seeds[name]())).toEqual(records);
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
    expect(parseProperty(fields)).toEqual(fields);
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

test.each(cases)('no address of %s belongs to two users, but for greta@ of people', (_, { users }) => {
  const addresses = [...users.values()]
    .map(({ email }) => email.toLowerCase())
    .filter((email) => email !== 'greta@aurora.example');

  expect(new Set(addresses).size).toBe(addresses.length);
});

describe('people', () => {
  const { users, invitations, properties } = tablesOf(peopleSeed());
  const all = [...users.values()];
  const emails = (some: readonly { readonly email: string }[]) => some.map(({ email }) => email);

  test('has more users than a page, and the caller is the only enabled account admin, who has a property', () => {
    const admins = all.filter((user) => user.is_account_admin);

    expect(users.size).toBeGreaterThan(250);
    expect(admins.map(({ email, enabled, properties: ids }) => [email, enabled, ids])).toEqual([
      ['ana@aurora.example', true, ['BER']],
      ['robert@aurora.example', false, []],
    ]);
    expect(admins[0]?.subject_id).toBe(ADMIN_ID);
  });

  test('has somebody for each thing that may be wrong', () => {
    const rolesOf = (email: string) => all.find((user) => user.email === email)?.property_roles;

    expect(emails(all.filter(({ email }) => email.toLowerCase() === 'greta@aurora.example'))).toHaveLength(2);
    expect(emails(all.filter(({ email }) => !email.endsWith('@aurora.example')))).toEqual([
      'ivan@audit-partner.example',
    ]);
    expect(rolesOf('clara@aurora.example')).toEqual([
      { id: 'BER', roles: ['PropertyAdmin'] },
      { id: 'MUC', roles: ['FrontDesk'] },
    ]);
    expect(rolesOf('david@aurora.example')).toContainEqual({ id: 'VIE', roles: [] });
    expect(rolesOf('julia@aurora.example')?.map(({ id }) => properties.get(id)?.is_archived)).toEqual([
      true,
      undefined,
    ]);
  });

  test('has invitations on both sides of 30 days, one of an account admin of 45 days, one of a user', () => {
    const ages = [...invitations.values()].map(({ email, is_account_admin, created }) => [
      email,
      is_account_admin,
      (NOON - Date.parse(created)) / 86_400_000,
    ]);

    expect(ages).toEqual([
      ['jonas.keller@aurora.example', false, 2],
      ['Ben@Aurora.example', false, 3],
      ['lea.wagner@aurora.example', false, 29],
      ['=1+1@aurora.example', false, 31],
      ['paul.steiner@aurora.example', false, 40],
      ['nora.fuchs@audit-partner.example', true, 45],
    ]);
  });
});
