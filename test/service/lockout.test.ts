import { describe, expect, test } from 'vitest';
import type { Page, ServiceRecord } from '../../src/model/records.ts';
import type { UserReference } from '../../src/service/find-user.ts';
import { judgeLockout, lockoutError, readAdmins } from '../../src/service/lockout.ts';

const ana = { subjectId: 'a-1', email: 'ana@example.com' };
const ben = { subjectId: 'b-2', email: 'ben@example.com' };

function user({ subjectId, email }: UserReference, more: ServiceRecord): ServiceRecord {
  return { subject_id: subjectId, email, ...more };
}

const admin = { enabled: true, is_account_admin: true };
const staff = { enabled: true, is_account_admin: false };

/** A service with these users, one per page. */
function service(
  self: Partial<UserReference> | undefined,
  users: readonly ServiceRecord[],
  total = users.length,
) {
  return {
    self: async () => self,
    listAll: async function* (): AsyncGenerator<Page> {
      for (const item of users) yield { items: [item], total, truncated: false };
    },
  };
}

async function judge(
  targets: readonly UserReference[],
  from: ReturnType<typeof service>,
  allowed: readonly string[] = [],
) {
  return judgeLockout(targets, await readAdmins(targets, from), allowed);
}

describe('a user whose access is reduced', () => {
  test.each([
    ['is safe when another enabled account admin remains', ben, user(ana, admin), user(ben, admin), 'safe'],
    ['is safe when not an account admin', ben, user(ana, admin), user(ben, staff), 'safe'],
    ['is the last when the other is no account admin', ben, user(ana, staff), user(ben, admin), 'last'],
    [
      'is the last when the other is disabled',
      ben,
      user(ana, { ...admin, enabled: false }),
      user(ben, admin),
      'last',
    ],
    ['cannot be judged when flags are not shown', ben, user(ana, {}), user(ben, {}), 'unknown'],
    [
      'cannot be judged when only their own flag is hidden',
      ben,
      user(ana, staff),
      user(ben, { enabled: true }),
      'unknown',
    ],
    [
      'may be the last when the other hides the flag',
      ben,
      user(ana, { enabled: true }),
      user(ben, admin),
      'unknown',
    ],
    ['is safe when another one shows the flag', ben, user(ana, admin), user(ben, {}), 'safe'],
    [
      'is safe when already disabled as account admin',
      ben,
      user(ana, staff),
      user(ben, { ...admin, enabled: false }),
      'safe',
    ],
  ])('%s', async (_, target, first, second, verdict) => {
    expect((await judge([target], service(undefined, [first, second]))).verdict).toBe(verdict);
  });

  test.each([{ subjectId: 'a-1' }, { subjectId: 'A1' }, { email: 'ANA@example.com' }])(
    'is the current user, as %j',
    async (self) => {
      const judged = await judge([ana], service(self, [user(ana, admin), user(ben, admin)]));

      expect(judged).toEqual({ verdict: 'self', hit: [ana] });
    },
  );

  test('is another user when two share an address', async () => {
    const twin = { subjectId: 'a-9', email: 'ana@example.com' };

    expect(await judge([ana], service(twin, [user(ana, admin), user(twin, admin)]))).toEqual({
      verdict: 'safe',
    });
  });

  test('may be the last when no list has them and no account admin remains', async () => {
    expect(await judge([ben], service(undefined, [user(ana, staff)]))).toEqual({
      verdict: 'unknown',
      hit: [ben],
    });
  });
});

describe('a plan', () => {
  const both = [user(ana, admin), user(ben, admin)];

  test('that reduces all account admins reports all of them', async () => {
    expect(await judge([ana, ben], service(undefined, both))).toEqual({ verdict: 'last', hit: [ana, ben] });
  });

  test('treats users whose lockout is allowed as removed', async () => {
    const judged = await judge([ana, ben], service(undefined, both), ['ana@example.com']);

    expect(judged).toEqual({ verdict: 'last', hit: [ben] });
  });

  test.each([
    ['ANA@EXAMPLE.COM', 'safe'],
    ['ana', 'self'],
    ['a-1', 'self'],
    ['ben@example.com', 'self'],
  ])('with --allow-lockout %s is %s', async (allowed, verdict) => {
    const from = service(ana, [user(ana, admin)]);

    expect((await judge([ana], from, [allowed])).verdict).toBe(verdict);
  });

  test('is not judged by a truncated list', async () => {
    await expect(judge([ben], service(undefined, [user(ben, admin)], 5))).rejects.toMatchObject({
      code: 'incomplete_list',
      message: expect.stringContaining('the service counts 5 users and listed 1'),
    });
  });

  test('is safe by a truncated list that shows a remaining account admin', async () => {
    expect(await judge([ben], service(undefined, both, 5))).toEqual({ verdict: 'safe' });
  });
});

describe('the lockout error', () => {
  const again = (address: string) => `innctl ... --allow-lockout ${address}`;

  test('names the users and the flag that allows it', () => {
    expect(lockoutError({ verdict: 'last', hit: [ana] }, again)).toMatchObject({
      code: 'lockout',
      exitCode: 11,
      message: 'No enabled account admin would be left without ana@example.com. Nothing was sent.',
      hint: expect.stringContaining('--allow-lockout ana@example.com'),
    });
  });

  test('is absent when safe, or when a prompt asks for confirmation', () => {
    const judged = [{ verdict: 'safe' as const }, { verdict: 'unknown' as const, hit: [ana] }];

    expect(judged.map((each) => lockoutError(each, again))).toEqual([undefined, undefined]);
  });
});
