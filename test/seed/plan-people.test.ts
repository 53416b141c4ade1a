import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/seed/entry.ts';
import { buildPlan } from '../../src/seed/plan.ts';
import type { PlanOptions } from '../../src/seed/plan-context.ts';
import { VISIBLE_WITHIN_MS } from '../../src/seed/visibility.ts';
import { entryOf, memoryOf, NOON, planOptions, type Stock, serviceOf } from './plan-service.ts';

const BER = { id: 'P-1', code: 'BER' };
const ANA = 'ana@example.com';
const ana = { subject_id: 's-1', email: 'Ana@Example.com', enabled: true, properties: ['P-1'] };

async function plan(entries: readonly Entry[], stock: Stock, more: Partial<PlanOptions> = {}) {
  const { api, reads } = serviceOf(stock);
  return { items: await buildPlan(entries, api, planOptions(more)), reads };
}

/** The plan for one entry at a service with one property. */
async function planOne(entry: Entry, stock: Stock, more: Partial<PlanOptions> = {}) {
  const { items } = await plan([entry], { properties: [BER], ...stock }, more);
  return items[0];
}

describe('an invitation', () => {
  const invite = (fields: object = {}) => entryOf('invitation', ANA, { role: 'Auditor', ...fields });

  test('for an unknown address is created, with property ids instead of codes', async () => {
    expect(await planOne(invite({ properties: ['ber', 'P-1'] }), {})).toMatchObject({
      action: 'create',
      body: { email: ANA, role: 'Auditor', properties: ['P-1'] },
    });
  });

  test('refers to properties that the same manifest creates by their codes', async () => {
    const { items } = await plan([entryOf('property', 'VIE'), invite({ properties: ['vie'] })], {});

    expect(items).toMatchObject([{ action: 'create' }, { action: 'create', body: { properties: ['VIE'] } }]);
  });

  test.each([
    [{}, { role: 'Auditor', is_account_admin: false, properties: [] }],
    [{ properties: ['BER'] }, { roles: ['Auditor', 'FrontOffice'], properties: ['P-1'] }],
    [{ is_account_admin: true }, { role: 'Auditor', is_account_admin: true, properties: ['P-7'] }],
  ])('with %j is the same as a listed %j', async (fields, listed) => {
    const invitations = [{ email: 'ANA@example.com', ...listed }];

    expect(await planOne(invite(fields), { invitations })).toMatchObject({ action: 'same', unread: [] });
  });

  test('that the list shows only by address cannot be compared', async () => {
    const fields = { is_account_admin: true, properties: ['BER'] };

    expect(await planOne(invite(fields), { invitations: [{ email: ANA }] })).toMatchObject({
      action: 'cannot_compare',
      unread: ['is_account_admin'],
    });
  });

  test.each([
    [{}, { role: 'FrontOffice' }, 'role "FrontOffice"'],
    [{}, { is_account_admin: true }, 'is_account_admin true'],
    [{}, { properties: ['P-1', 'P-2'] }, 'properties P-1, P-2'],
    [{ properties: ['BER'] }, { role: 'Auditor', properties: [] }, 'properties none'],
  ])('with %j conflicts with a listed %j', async (fields, listed, found) => {
    const invitations = [{ email: ANA, ...listed }];

    expect(await planOne(invite(fields), { invitations })).toMatchObject({
      action: 'conflict',
      reason: `is already invited, with ${found}; withdraw it first`,
      steps: [],
    });
  });

  test('for an existing user is done', async () => {
    expect(await planOne(invite(), { users: [ana] })).toMatchObject({
      action: 'same',
      id: 's-1',
      reason: 'already has a user, whose access an invitation does not change (kind: user does)',
    });
  });

  test('that was made before and is no longer listed is made again only with --assume-new', async () => {
    const memory = memoryOf({ kind: 'invitation', name: ANA, at: NOON - VISIBLE_WITHIN_MS });
    const past = 'was invited in run run-1 on 2026-04-21 and is not listed any more: withdrawn, or run out';

    expect(await planOne(invite(), {}, { memory })).toMatchObject({
      action: 'conflict',
      reason: `${past}; --assume-new invites again`,
    });
    expect(await planOne(invite(), {}, { memory, assumeNew: true })).toMatchObject({
      action: 'create',
      reason: `assumed to be new: ${past}`,
    });
  });

  const agoText = 'the mail of run run-1 may have gone out at 2026-04-21T11:45:00Z, and no list shows it';
  const lately = (what: string) =>
    `not visible yet: ${what} at 2026-04-21T12:00:00Z by run run-1; lists may show it until ` +
    '2026-04-21T12:15:00Z (15 minutes from now), and no key protects an invitation';

  test.each([
    ['unknown', NOON, lately('perhaps invited')],
    ['sent', NOON, lately('perhaps invited')],
    ['unknown', NOON - VISIBLE_WITHIN_MS, agoText],
    ['sent', NOON - VISIBLE_WITHIN_MS, agoText],
  ] as const)(
    'that no list shows (%s, at %i) is resent only with --resend-unknown',
    async (state, at, reason) => {
      const memory = memoryOf({ kind: 'invitation', name: ANA, state, at });
      const unknown = {
        action: 'cannot_tell',
        reason: `${reason}; --resend-unknown invites again`,
        error: { code: 'outcome_unknown', message: `${reason}; --resend-unknown invites again` },
      };

      expect(await planOne(invite(), {}, { memory })).toMatchObject(unknown);
      expect(await planOne(invite(), {}, { memory, assumeNew: true })).toMatchObject(unknown);
      expect(await planOne(invite(), {}, { memory, resendUnknown: true })).toMatchObject({
        action: 'create',
        reason: `invited again: ${reason}`,
      });
      expect(await planOne(invite(), { invitations: [{ email: ANA }] }, { memory })).toMatchObject({
        action: 'cannot_compare',
      });
      expect(await planOne(invite(), { users: [ana] }, { memory })).toMatchObject({ action: 'same' });
    },
  );

  test('that was answered and that no list shows is looked up once more, and never resent', async () => {
    const notVisible =
      'not visible yet: invited at 2026-04-21T12:00:00Z, as the service answered; lists may show it until ';
    const flags = { assumeNew: true, resendUnknown: true };
    const done = { kind: 'invitation', name: ANA, state: 'done', at: NOON } as const;
    const looked = { ...done, state: 'unknown', madeAt: NOON, at: NOON + 20_000 } as const;

    expect(await planOne(invite(), {}, { memory: memoryOf(done), ...flags })).toMatchObject({
      action: 'cannot_tell',
      isMailed: true,
      error: { code: 'outcome_unknown', message: expect.stringContaining(notVisible) },
    });
    expect(await planOne(invite(), {}, { memory: memoryOf(looked), ...flags })).toMatchObject({
      action: 'cannot_compare',
      reason: expect.stringContaining(notVisible),
    });
  });

  test('is not resent with --resend-unknown where the list hides addresses, and no property is created', async () => {
    const options = { resendUnknown: true };

    expect(await planOne(invite(), { invitations: [{}] }, options)).toMatchObject({ action: 'cannot_tell' });
    expect(await planOne(entryOf('property', 'VIE'), { properties: [{ id: 'P-1' }] }, options)).toMatchObject(
      { action: 'cannot_tell' },
    );
  });

  test('that a killed run had in flight is planned alike with and without waiting', async () => {
    const memory = memoryOf({ kind: 'invitation', name: ANA, state: 'sent' });
    const waits: number[] = [];
    const pause = async (ms: number) => void waits.push(ms);

    const planned = await planOne(invite(), {}, { memory });
    const applied = await planOne(invite(), {}, { memory, pause });

    expect([planned, waits]).toEqual([applied, [15_000]]);
    expect(planned).toMatchObject({ action: 'cannot_tell' });
  });

  test.each([
    ['a month later', NOON - 30 * 86_400_000],
    ['by a clock that was a month ahead', NOON + 30 * 86_400_000],
  ])('that a killed run had in flight is waited for %s', async (_, at) => {
    const memory = memoryOf({ kind: 'invitation', name: ANA, state: 'sent', at });
    const waits: number[] = [];

    await planOne(invite(), {}, { memory, pause: async (ms) => void waits.push(ms) });

    expect(waits).toEqual([15_000]);
  });

  test('is not made where a list hides addresses', async () => {
    expect(await planOne(invite(), { invitations: [{ role: 'Auditor' }] })).toMatchObject({
      action: 'cannot_tell',
      reason: 'the service lists invitations without their e-mail address',
    });
    expect(await planOne(invite(), { users: [{ subject_id: 's-2' }] })).toMatchObject({
      action: 'cannot_tell',
      reason: 'the service lists users without their e-mail address',
    });
  });

  test('that a journal made and no entry has is withdrawn, unless an entry has the person as a user', async () => {
    const memory = memoryOf(
      { kind: 'invitation', name: ANA },
      { kind: 'invitation', name: 'ben@example.com', at: NOON - VISIBLE_WITHIN_MS },
    );
    const stock = { invitations: [{ email: ANA }] };
    const options = { memory, prune: true };

    expect((await plan([], stock, options)).items).toMatchObject([{ action: 'delete', name: ANA }]);
    const climbing = 'a@b/../../../../inventory/v1/properties/MUC';
    const tampered = { memory: memoryOf({ kind: 'invitation', name: climbing }), prune: true };
    expect((await plan([], { invitations: [{ email: climbing }] }, tampered)).items).toMatchObject([
      { action: 'conflict', reason: expect.stringMatching(/^not deleted: .* has a slash, backslash/) },
    ]);
    const later = { invitations: [{ email: ANA, created: '2026-04-22T12:00:00Z' }] };
    expect((await plan([], later, options)).items).toMatchObject([
      {
        action: 'conflict',
        name: ANA,
        reason:
          'not deleted: was created at 2026-04-22T12:00:00Z, not by the run of 2026-04-21T12:00:00.000Z (run-1)',
      },
    ]);
    expect((await plan([entryOf('user', ANA, { enabled: true })], stock, options)).items).toMatchObject([
      {
        kind: 'user',
        action: 'conflict',
        reason: 'is invited and has no user yet: has to accept the invitation first',
      },
    ]);
  });
});

describe('an invitation that a journal made recently and that no list shows', () => {
  const memory = memoryOf({ kind: 'invitation', name: ANA });
  const options = { memory, prune: true };

  test('is neither withdrawn nor forgotten, with or without waiting', async () => {
    const reason =
      'not visible yet: created at 2026-04-21T12:00:00Z; not deleted: a later --prune does that once it shows; it ' +
      'counts as gone from 2026-04-21T12:15:00Z (15 minutes from now) on';
    const unknown = [
      { kind: 'invitation', name: ANA, action: 'cannot_tell', reason, error: { exitCode: 8 } },
    ];

    expect((await plan([], {}, options)).items).toMatchObject(unknown);
    expect((await plan([], {}, { ...options, pause: async () => {} })).items).toMatchObject(unknown);
  });

  test('is withdrawn when it shows after the wait', async () => {
    const invitations: object[] = [];
    const pause = async () => void invitations.push({ email: ANA });

    expect((await plan([], { invitations: invitations as [] }, { ...options, pause })).items).toMatchObject([
      { action: 'delete', name: ANA },
    ]);
  });

  test('is gone when the person has accepted it', async () => {
    expect((await plan([], { users: [ana] }, options)).items).toEqual([]);
  });
});

describe('a reference to a property', () => {
  const invite = (...properties: readonly string[]) => entryOf('invitation', ANA, { properties });

  test('without a match is a conflict, with a suggestion', async () => {
    expect(await planOne(invite('BRE', 'P-1'), {})).toMatchObject({
      action: 'conflict',
      reason: 'no property has the id or code "BRE"; did you mean "BER"?',
    });
  });

  test('gets a suggestion for the first hundred names only', async () => {
    const wrong = Array.from({ length: 101 }, (_, index) => `HAMBUR${index}`);
    const properties = [{ id: 'P-3', code: 'HAMBURG' }];

    const item = await planOne(invite(...wrong, 'HAMBUR0'), { properties });

    const clauses = item?.reason?.split('no property has the id or code ').slice(1) ?? [];
    expect(clauses.filter((clause) => clause.includes('; did you mean "HAMBURG"?'))).toHaveLength(101);
    expect(clauses.slice(-2)).toEqual(['"HAMBUR100"; ', '"HAMBUR0"; did you mean "HAMBURG"?']);
  });

  test('with two matches is a conflict', async () => {
    const properties = [
      BER,
      { id: 'BER', code: 'MUC' },
      { id: 'P-3', code: 'VIE' },
      { id: 'P-4', code: 'VIE' },
    ];

    expect(await planOne(invite('BER', 'VIE'), { properties })).toMatchObject({
      action: 'conflict',
      reason: '"BER" may mean BER or P-1; "VIE" may mean P-3 or P-4',
    });
  });

  test('to a property that is itself in conflict is a conflict', async () => {
    const entries = [entryOf('property', 'VIE'), invite('VIE')];

    expect((await plan(entries, { properties: [{ id: '..', code: 'VIE' }] })).items).toMatchObject([
      { action: 'conflict' },
      { action: 'conflict', reason: 'property "VIE" is in conflict itself' },
    ]);
  });

  test('finds a code that only a single read shows', async () => {
    const listed = [{ id: 'P-1', name: 'Hotel' }];

    expect(await planOne(invite('ber'), { listed })).toMatchObject({ body: { properties: ['P-1'] } });
  });

  test('reports that codes are never shown', async () => {
    expect(await planOne(invite('BER'), { properties: [{ id: 'P-1' }] })).toMatchObject({
      action: 'conflict',
      reason: 'no property has the id or code "BER", and the service does not show the code of 1 property',
    });
  });

  test('is used unchanged where properties may not be listed', async () => {
    expect(await planOne(invite('BER'), { forbidden: true })).toMatchObject({
      action: 'create',
      body: { properties: ['BER'] },
    });
  });
});

describe('a reference to a property that no list shows', () => {
  const access = (kind: 'user' | 'invitation', ...properties: readonly string[]) =>
    entryOf(kind, ANA, { properties });

  test('is accepted when the person already has it', async () => {
    const users = [{ ...ana, properties: ['P-1', 'P-9'] }];
    const invitations = [{ email: ANA, role: 'Auditor', properties: ['P-9'] }];

    expect(await planOne(access('user', 'BER', 'P-9'), { users })).toMatchObject({ action: 'same' });
    expect(await planOne(access('user', 'P-9'), { users })).toMatchObject({
      action: 'change',
      steps: [{ op: 'add', path: '/properties', value: ['P-9'] }],
    });
    expect(await planOne(access('invitation', 'P-9'), { invitations })).toMatchObject({ action: 'same' });
  });

  test('is a conflict for all other people, and where a code is equal', async () => {
    const ben = { subject_id: 's-2', email: 'ben@example.com', enabled: true, properties: ['P-9'] };
    const reason = 'no property has the id or code "P-9"; did you mean "P-1"?';
    const entries = [entryOf('user', 'ben@example.com', { properties: ['P-9'] }), access('user', 'P-9')];

    expect((await plan(entries, { properties: [BER], users: [ana, ben] })).items).toMatchObject([
      { action: 'same' },
      { action: 'conflict', reason },
    ]);
    expect(
      await planOne(access('user', 'P-9'), {
        properties: [{ id: 'P-2', code: 'P-9' }],
        users: [{ ...ana, properties: ['P-9'] }],
      }),
    ).toMatchObject({ action: 'conflict', reason: '"P-9" may mean P-9 or P-2' });
  });
});

describe('a user', () => {
  const access = (fields: object) => entryOf('user', ANA, { ...fields });

  test('is changed in the fields that differ', async () => {
    expect(await planOne(access({ enabled: false, properties: [] }), { users: [ana] })).toMatchObject({
      action: 'change',
      id: 's-1',
      changes: [
        { field: 'enabled', from: true, to: false },
        { field: 'properties', from: ['P-1'], to: [] },
      ],
      steps: [
        { op: 'replace', path: '/enabled', value: false },
        { op: 'add', path: '/properties', value: [] },
      ],
    });
  });

  test('is read individually only where the list lacks a field', async () => {
    const entries = [access({ enabled: true, properties: ['BER'] })];
    const listed = { ...ana, properties: [{ id: 'P-1', roles: ['Auditor'] }] };

    expect(await plan(entries, { properties: [BER], users: [listed] })).toMatchObject({
      items: [{ action: 'same' }],
      reads: [],
    });
    const { enabled: _enabled, ...silent } = ana;
    expect(await plan(entries, { properties: [BER], users: [silent] })).toMatchObject({
      items: [{ action: 'cannot_compare', unread: ['enabled'] }],
      reads: ['s-1'],
    });
  });

  test('whose access is not shown is written only with --write-unreadable', async () => {
    const users = [{ subject_id: 's-1', email: ANA }];
    const entry = access({ enabled: false, properties: ['BER'] });

    expect(await planOne(entry, { users })).toMatchObject({
      action: 'cannot_compare',
      unread: ['enabled', 'properties'],
      steps: [],
    });
    expect(await planOne(entry, { users }, { writeUnreadable: true })).toMatchObject({
      action: 'change',
      unread: [],
      steps: [
        { op: 'replace', path: '/enabled', value: false },
        { op: 'add', path: '/properties', value: ['P-1'] },
      ],
    });
  });

  test('may be identified by the subject id', async () => {
    const byId = (id: string) => entryOf('user', id, { subject_id: id, enabled: true });

    expect(await planOne(byId('s-1'), { users: [ana] })).toMatchObject({ action: 'same', id: 's-1' });
    expect(await planOne(byId('s-2'), { users: [ana] })).toMatchObject({
      action: 'conflict',
      reason: 'there is no such user: invite the person first',
    });
  });

  test('who is missing or duplicate is a conflict', async () => {
    const entry = access({ enabled: true });

    expect(await planOne(entry, {})).toMatchObject({
      action: 'conflict',
      reason: 'there is no such user: invite the person first',
    });
    expect(await planOne(entry, { users: [ana, { ...ana, subject_id: 's-2' }] })).toMatchObject({
      action: 'conflict',
      reason: '2 users have this address: s-1, s-2; name the one by its subject_id',
    });
    expect(await planOne(entry, { users: [{ email: ANA, subject_id: 'a/b' }] })).toMatchObject({
      action: 'conflict',
      reason: 'the service lists the user without a subject id',
    });
  });

  test('gets a property that the same manifest creates by its code', async () => {
    const entries = [access({ properties: ['BER', 'VIE'] }), entryOf('property', 'VIE')];

    expect((await plan(entries, { properties: [BER], users: [ana] })).items).toMatchObject([
      { steps: [{ op: 'add', path: '/properties', value: ['P-1', 'VIE'] }] },
      { action: 'create' },
    ]);
  });
});

test('the digest of a record changes with every change of the record', async () => {
  const entry = entryOf('user', ANA, { enabled: true });
  const seen = async (user: object) => (await planOne(entry, { users: [{ ...ana, ...user }] }))?.seen;

  expect(await seen({})).toMatch(/^[0-9a-f]{64}$/);
  expect(await seen({ first_name: 'Ana' })).not.toBe(await seen({}));
});
