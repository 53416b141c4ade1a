import { describe, expect, test } from 'vitest';
import type { Page, ServiceRecord } from '../../src/model/records.ts';
import { judgeLockout, readAdmins, type UserReference } from '../../src/service/users.ts';

const ana = { subjectId: 'a-1', email: 'ana@example.com' };
const ben = { subjectId: 'b-2', email: 'ben@example.com' };

function user({ subjectId, email }: UserReference, more: ServiceRecord): ServiceRecord {
  return { subject_id: subjectId, email, ...more };
}

const admin = { enabled: true, is_account_admin: true };
const staff = { enabled: true, is_account_admin: false };

/** A service with these users, one per page. */
function service(self: UserReference | undefined, users: readonly ServiceRecord[], total = users.length) {
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
  return judgeLockout(targets, await readAdmins(from), allowed);
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
    ['is safe where nobody is an account admin', ben, user(ana, {}), user(ben, {}), 'safe'],
    ['is the last where the other has no flag', ben, user(ana, { enabled: true }), user(ben, admin), 'last'],
    [
      'is safe where another is not said to be disabled',
      ben,
      user(ana, { is_account_admin: true }),
      user(ben, admin),
      'safe',
    ],
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

  test('is another user when two share an address', async () => {
    const twin = { subjectId: 'a-9', email: 'ana@example.com' };

    expect(await judge([ana], service(twin, [user(ana, admin), user(twin, admin)]))).toEqual({
      verdict: 'safe',
    });
  });
});
