import { describe, expect, test } from 'vitest';
import { type LockoutUsers, openLockoutRule } from '../../src/change/guards.ts';
import { buildPlan } from '../../src/change/plan.ts';
import type { ServiceRecord } from '../../src/model/records.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { judgeLockout } from '../../src/service/users.ts';
import { entryOf, planOptions, serviceOf } from './plan-service.ts';

const person = (name: string, isAdmin: boolean, more: ServiceRecord = {}): ServiceRecord => ({
  subject_id: `s-${name}`,
  email: `${name}@example.com`,
  enabled: true,
  is_account_admin: isAdmin,
  properties: [],
  ...more,
});

const ana = person('ana', true);
const ben = person('ben', true);
const eva = person('eva', false);
const off = { enabled: false };
const demoted = { is_account_admin: false };
const promoted = { is_account_admin: true };
const benOff = { ...ben, ...off };
const evaOff = { ...eva, ...off };
/** Users of a service that leaves out what it does not say. */
const unflagged = person('ana', true, { is_account_admin: undefined });
const benUnflagged = person('ben', true, { is_account_admin: undefined });
const unsaid = person('ana', true, { enabled: undefined });

/** The fields of a user in each row, by name, in order. */
type Rows = Readonly<Record<string, ServiceRecord>>;

/** A service whose users may change after the plan, and a log of its requests. */
function serviceWith(users: readonly ServiceRecord[], self: string | undefined) {
  let now = users;
  const requests: string[] = [];
  const { api } = serviceOf({ users, dialect: apaleo });
  const seen: LockoutUsers = {
    self: async () => {
      requests.push('me');
      return self === undefined ? undefined : { subjectId: `s-${self}`, email: `${self}@example.com` };
    },
    async *listAll() {
      requests.push('list');
      for (const record of now) yield { items: [record], total: now.length, truncated: false };
    },
    read: async (id) => {
      requests.push(id);
      return now.find(({ subject_id }) => subject_id === id) ?? {};
    },
  };
  return {
    requests,
    /** Changes the users, as another admin would. */
    becomes: (later: readonly ServiceRecord[]) => {
      now = later;
    },
    async rule(rows: Rows, ...allowed: readonly string[]) {
      const entries = Object.entries(rows).map(([name, fields], index) =>
        entryOf('user', `${name}@example.com`, fields, index + 1),
      );
      const items = await buildPlan(entries, api, planOptions());
      const rule = await openLockoutRule(items, seen, allowed, (address) => `innctl --allow ${address}`);
      return { items, rule };
    },
  };
}

const hitBy = (judgement: Awaited<ReturnType<typeof openLockoutRule>>['judgement']) =>
  'hit' in judgement ? judgement.hit.map(({ email }) => email?.split('@')[0]) : [];

type Case = [
  what: string,
  users: readonly ServiceRecord[],
  self: string | undefined,
  rows: Rows,
  verdict: string,
  hit: readonly string[],
  allowed?: readonly string[],
];

test.each<Case>([
  ['your own account disabled', [ana, ben], 'ana', { ana: off }, 'self', ['ana']],
  ['your own account, allowed', [ana, ben], 'ana', { ana: off }, 'safe', [], ['ANA@example.com']],
  ['oneself, another allowed', [ana, ben], 'ana', { ana: off }, 'self', ['ana'], ['ben@example.com']],
  ['the last admin', [ana, eva], undefined, { ana: off }, 'last', ['ana']],
  ['the last enabled admin', [ana, benOff], undefined, { ana: off }, 'last', ['ana']],
  ['the last admin, allowed', [ana, eva], undefined, { ana: off }, 'safe', [], ['ana@example.com']],
  ['one of two admins', [ana, ben], 'ana', { ben: off }, 'safe', []],
  ['two admins together', [ana, ben], undefined, { ana: off, ben: demoted }, 'last', ['ana', 'ben']],
  ['an admin after a promotion', [ana, eva], undefined, { eva: promoted, ana: off }, 'safe', []],
  ['an admin before a promotion', [ana, eva], undefined, { ana: off, eva: promoted }, 'last', ['ana']],
  ['after promoting a disabled user', [ana, evaOff], undefined, { eva: promoted, ana: off }, 'last', ['ana']],
  ['after enabling another', [ana, benOff], undefined, { ben: { enabled: true }, ana: off }, 'safe', []],
  ['a user who is no admin', [ana, eva], 'ana', { eva: off }, 'safe', []],
  ['where nobody is said to be an admin', [unflagged, benUnflagged], undefined, { ben: off }, 'safe', []],
  [
    'the last admin beside a user without the flag',
    [unflagged, ben],
    undefined,
    { ben: off },
    'last',
    ['ben'],
  ],
  ['where another is not said to be disabled', [unsaid, ben], undefined, { ben: off }, 'safe', []],
  ['an admin who is disabled already', [eva, benOff], undefined, { ben: demoted }, 'safe', []],
])('the lockout verdict of a plan: %s', async (_, users, self, rows, verdict, hit, allowed = []) => {
  const { rule } = await serviceWith(users, self).rule(rows, ...allowed);

  expect({ verdict: rule.judgement.verdict, hit: hitBy(rule.judgement) }).toEqual({ verdict, hit });
});

test('of two users with one address only the other one remains', () => {
  const one = { subjectId: 's-ana', email: 'ana@example.com' };
  const twin = { ...one, subjectId: 's-twin' };

  expect(judgeLockout([one], { self: twin, enabled: [one, twin] }, [])).toEqual({ verdict: 'safe' });
});

test.each([
  ['ana', [true, false]],
  [undefined, [false, false]],
] as const)('with the token of %s, the rows that reduce its user are %j', async (self, expected) => {
  const service = serviceWith([ana, ben, eva], self);
  const { items, rule } = await service.rule({ ana: off, ben: off });

  expect(items.map((item) => rule.reducesSelf(item))).toEqual(expected);
});

describe('the recheck right before a row is sent', () => {
  const rows = { ben: off, eva: off };

  test('reads the users again, and passes when nothing changed', async () => {
    const service = serviceWith([ana, ben, eva], 'ana');
    const { items, rule } = await service.rule(rows);
    service.requests.length = 0;

    for (const item of items) await rule.recheck(item);

    // A user who is no admin cannot be the last one.
    expect(service.requests).toEqual(['s-ben', 'list', 's-eva']);
  });

  test('rejects both of two concurrent rows that rely on each other', async () => {
    const service = serviceWith([ana, ben, person('cleo', true)], undefined);
    const { items, rule } = await service.rule({ ben: off, cleo: demoted });
    service.becomes([{ ...ana, ...off }, ben, person('cleo', true)]);

    const looks = await Promise.allSettled(items.map((item) => rule.recheck(item)));

    expect(looks.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('rejects a row that relies on a promotion that has not been sent', async () => {
    const service = serviceWith([ana, eva], undefined);
    const { items, rule } = await service.rule({ eva: promoted, ana: off });
    const [, disabling] = items;
    if (disabling === undefined) throw new Error('there is no second row');

    await expect(rule.recheck(disabling)).rejects.toThrow('No enabled account admin would be left');
    service.becomes([ana, { ...eva, ...promoted }]);
    await rule.recheck(disabling);
  });
});
