import { describe, expect, test } from 'vitest';
import { type Fact, readDocument } from '../../src/people/access-document.ts';
import {
  type AccessRecords,
  documentOf,
  EVERY_PROPERTY,
  factsFrom,
  isUnknown,
  reaches,
  roleCodes,
} from '../../src/people/facts.ts';

const now = Date.parse('2026-11-23T12:00:00Z');

const properties = [
  { id: '7f3a', code: 'BER', name: { de: 'Berlin Mitte', en: 'Berlin' } },
  { id: 'MUC', code: 'MUC', name: 'Munich' },
];

const ben = {
  subject_id: 'u-ben',
  email: 'Ben@example.com',
  first_name: 'Ben',
  last_name: 'Schuster',
  enabled: true,
  is_account_admin: false,
  is_mfa_enabled: true,
  is_passkeys_enabled: false,
};

const paul = { email: 'paul@example.com', is_account_admin: false, invited_by: 'ana@example.com' };

const about = {
  made: '2026-11-23T12:00:00.000Z',
  identity_url: 'https://identity.example.com',
  base_url: 'https://api.example.com',
  dialect: 'apaleo',
  actor: 'ana@example.com',
};

function facts(records: Partial<AccessRecords>): readonly Fact[] {
  return factsFrom({ users: [], invitations: [], properties, invitationDays: 30, now, ...records });
}

/** What decides about access, in short. */
function places(some: readonly Fact[]) {
  return some.map(({ property, roles }) => [property, roles?.join('+') ?? null]);
}

describe('a user', () => {
  test.each([
    [
      'as lists show it',
      {
        properties: [
          { id: 'MUC', roles: ['FrontDesk'] },
          { id: '7f3a', roles: [] },
        ],
      },
    ],
    [
      'as it is shown alone',
      { properties: ['MUC', '7f3a'], property_roles: [{ id: 'MUC', roles: ['FrontDesk'] }] },
    ],
    ['by codes', { properties: ['MUC', 'BER'], property_roles: [{ id: 'MUC', roles: ['FrontDesk'] }] }],
  ])('has the same facts %s', (_, access) => {
    const found = facts({ users: [{ ...ben, ...access }] });

    expect(places(found)).toEqual([
      ['7f3a', ''],
      ['MUC', 'FrontDesk'],
    ]);
    expect(found.map(({ property_name: name }) => name)).toEqual(['Berlin', 'Munich']);
  });

  test('without roles in the record has unknown ones', () => {
    expect(places(facts({ users: [{ ...ben, properties: ['MUC'] }] }))).toEqual([['MUC', null]]);
  });

  test.each([
    ['without properties', { properties: [] }, [[null, '']]],
    ['whose properties are not set', {}, [[null, '']]],
    [
      'of whom roles alone are shown',
      { property_roles: [{ id: 'BER', roles: ['Auditor'] }] },
      [['7f3a', 'Auditor']],
    ],
    [
      'at a property that is not listed',
      { properties: [{ id: 'VIE', roles: ['Auditor'] }] },
      [['VIE', 'Auditor']],
    ],
  ])('%s is listed', (_, access, expected) => {
    expect(places(facts({ users: [{ ...ben, ...access }] }))).toEqual(expected);
  });

  test.each([
    ['without properties', { properties: [] }, [[EVERY_PROPERTY, '']]],
    ['whose properties are not shown', {}, [[EVERY_PROPERTY, '']]],
    [
      'with properties',
      { properties: [{ id: 'BER', roles: ['Auditor'] }] },
      [
        [EVERY_PROPERTY, ''],
        ['7f3a', 'Auditor'],
      ],
    ],
  ])('who is an account admin, %s, reaches every property', (_, access, expected) => {
    const found = facts({ users: [{ ...ben, ...access, is_account_admin: true }] });

    expect(places(found)).toEqual(expected);
    expect(reaches(found[0] as Fact, 'MUC')).toBe(true);
    expect(found.some(isUnknown)).toBe(false);
  });

  test.each([
    [true, 'active'],
    [false, 'disabled'],
    [undefined, 'active'],
  ])('whose enabled is %s is %s', (enabled, state) => {
    const [fact] = facts({ users: [{ ...ben, enabled, properties: ['MUC'] }] });

    expect(fact?.state).toBe(state);
    expect(fact?.property).toBe('MUC');
  });

  test('without an address is named by the subject id', () => {
    const [fact] = facts({ users: [{ subject_id: 'u-1', enabled: true, properties: [] }] });

    expect(fact).toMatchObject({ email: 'u-1', name: '', account_admin: false, mfa: false, passkeys: false });
  });
});

test('a code that two properties have is no property', () => {
  const twice = [...properties, { id: 'x', code: 'BER', name: 'Other' }];

  const [fact] = facts({ users: [{ ...ben, properties: ['BER'] }], properties: twice });

  expect(fact).toMatchObject({ property: 'BER', property_name: '' });
});

describe('an invitation', () => {
  test.each([
    ['a second before', '2026-10-24T12:00:01Z', 30, 'invited', 29],
    ['on the day', '2026-10-24T12:00:00Z', 30, 'expired', 30],
    ['without a limit', '2025-11-23T12:00:00Z', undefined, 'invited', 365],
    ['by a clock that is ahead', '2026-11-24T12:00:00Z', 30, 'invited', 0],
    ['at an unreadable time', 'yesterday', 30, 'invited', undefined],
  ])('made %s is %s', (_, created, invitationDays, state, age) => {
    const [fact] = facts({ invitations: [{ ...paul, created, properties: ['MUC'] }], invitationDays });

    expect([fact?.state, fact?.age_days]).toEqual([state, age]);
  });

  test.each([
    ['by the flag', { is_account_admin: true }, [[EVERY_PROPERTY, '']]],
    ['by the role', { role: 'AccountAdmin' }, [[EVERY_PROPERTY, 'AccountAdmin']]],
    [
      'with properties',
      { is_account_admin: true, properties: ['MUC'], roles: ['Auditor'] },
      [
        [EVERY_PROPERTY, 'Auditor'],
        ['MUC', 'Auditor'],
      ],
    ],
  ])('of an account admin %s reaches every property', (_, access, expected) => {
    const found = facts({ invitations: [{ ...paul, ...access }] });

    expect(places(found)).toEqual(expected);
    expect(found.every(({ account_admin: isAdmin }) => isAdmin === true)).toBe(true);
  });

  test.each([
    ['without properties', { properties: [], role: 'Auditor' }, [[null, '']]],
    ['whose roles are null', { properties: ['MUC'], roles: null }, [['MUC', '']]],
    ['without any access', {}, [[null, '']]],
  ])('%s is listed', (_, access, expected) => {
    expect(places(facts({ invitations: [{ ...paul, ...access }] }))).toEqual(expected);
  });
});

test('facts are sorted by address without its case, user before invitation, property', () => {
  const users = [
    { ...ben, email: 'zoe@example.com', properties: [] },
    { ...ben, email: 'Paul@example.com', properties: ['MUC', '7f3a'], is_account_admin: true },
    { ...ben, subject_id: 'u-2', email: 'anton@example.com', properties: [] },
    { ...ben, subject_id: 'u-1', email: 'Anton@example.com', properties: [] },
  ];

  const found = facts({ users, invitations: [{ ...paul, properties: ['MUC'] }] });

  expect(found.map(({ email, source, property, subject_id: id }) => [email, source, property ?? id])).toEqual(
    [
      ['Anton@example.com', 'user', 'u-1'],
      ['anton@example.com', 'user', 'u-2'],
      ['Paul@example.com', 'user', '*'],
      ['Paul@example.com', 'user', '7f3a'],
      ['Paul@example.com', 'user', 'MUC'],
      ['paul@example.com', 'invitation', 'MUC'],
      ['zoe@example.com', 'user', 'u-ben'],
    ],
  );
});

describe('a document', () => {
  const items = facts({
    users: [ben, { ...ben, email: 'ana@example.com', properties: [] }],
    invitations: [{ ...paul, created: '2026-11-11T13:00:00Z', properties: ['MUC'], role: 'Auditor' }],
  });
  const document = documentOf(items, properties, about);
  const edited = (
    change: (copy: {
      access: Record<string, unknown>;
      count: number;
      items: Record<string, unknown>[];
    }) => void,
  ) => {
    const copy = JSON.parse(JSON.stringify(document));
    change(copy);
    return JSON.stringify(copy);
  };

  test('is read as it was written', async () => {
    expect(await readDocument(JSON.stringify(document), 'march.json')).toEqual(document);
  });

  test.each([
    ['{"count":0,"items":[]}', 'march.json is no access report'],
    ['{"access":{"made":"x","made":"y"}}', 'march.json names "made" twice'],
    [edited((copy) => copy.items.pop()), 'march.json counts 3 facts and has 2'],
    [edited((copy) => delete copy.items[1]?.['state']), 'march.json: items.1.state: is missing'],
    [
      edited((copy) => (copy.items[2] = { ...copy.items[2], roles: 'Auditor' })),
      'march.json: items.2.roles: must be a list',
    ],
    [
      edited((copy) => (copy.items[0] = { ...copy.items[0], email: '' })),
      'march.json: items.0.email: must not be empty',
    ],
  ])('%# that is not one is refused with the place', async (json, sentence) => {
    await expect(readDocument(json, 'march.json')).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining(sentence),
    });
  });
});

function codes(...roles: readonly string[]) {
  // Nothing else of a fact matters.
  return Object.fromEntries(roleCodes([{ roles } as unknown as Fact]));
}

test('the roles of the service have short codes', () => {
  const roles =
    'PropertyAdmin Accountant RevenueManager ReservationManager FrontDesk FrontDeskSenior Housekeeping HousekeepingManager Auditor StaffManager';

  expect(codes(...roles.split(' '))).toEqual({
    Accountant: 'AC',
    Auditor: 'AU',
    FrontDesk: 'FD',
    FrontDeskSenior: 'FDS',
    Housekeeping: 'HK',
    HousekeepingManager: 'HKM',
    PropertyAdmin: 'PA',
    ReservationManager: 'RESM',
    RevenueManager: 'REVM',
    StaffManager: 'SM',
  });
});

test.each([
  [['night_audit', 'Night Audit'], { night_audit: 'night_audit', 'Night Audit': 'Night Audit' }],
  [['§§', ''], { '§§': '§§', '': '' }],
])('%j', (roles, expected) => {
  expect(codes(...roles)).toEqual(expected);
});
