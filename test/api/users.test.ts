import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/api/client.ts';
import { planAdding } from '../../src/api/user-properties.ts';
import { usersApi } from '../../src/api/users.ts';
import type { ServiceRecord } from '../../src/records.ts';

/** Users of a service that lists these and answers nothing else. */
function usersOf(...users: readonly ServiceRecord[]) {
  const call: Call = async (id) => {
    if (id !== 'listUsers') throw new Error(`nobody expected ${id}`);
    return { status: 200, headers: {}, body: { users, count: users.length }, requestId: undefined };
  };
  return usersApi(call, {
    now: () => 0,
    sleep: async () => {},
    deadline: undefined,
    grant: 'token',
    warn: async () => {},
  });
}

describe('a user named by e-mail', () => {
  test('is told with the address as it is listed', async () => {
    const users = usersOf({ subjectId: 'b-2', email: 'Ben@Example.com' });

    expect(await users.findByEmail('ben@example.com')).toEqual({
      subjectId: 'b-2',
      email: 'Ben@Example.com',
    });
  });

  test('is one, although two pages or two entries show the same', async () => {
    const users = usersOf(
      { subjectId: 'b-2', email: 'ben@example.com' },
      { subjectId: 'b-2', email: 'ben@example.com', enabled: false },
    );

    expect(await users.findByEmail('ben@example.com')).toMatchObject({ subjectId: 'b-2' });
  });

  test.each([
    [{ subjectId: 'b-2' }],
    [{ subjectId: 'b-2', email: null }],
    [{ subjectId: 'b-2', email: ['ben@example.com'] }],
  ])('is not %j', async (user) => {
    const found = usersOf(user).findByEmail('ben@example.com');

    await expect(found).rejects.toMatchObject({ code: 'not_found', exitCode: 3, hint: undefined });
  });

  test.each([
    [{ email: 'ben@example.com' }],
    [{ subjectId: 7, email: 'ben@example.com' }],
    [{ subjectId: '', email: 'ben@example.com' }],
  ])('needs a subject id, unlike %j', async (user) => {
    const found = usersOf(user).findByEmail('ben@example.com');

    await expect(found).rejects.toMatchObject({ code: 'malformed_answer', exitCode: 1 });
  });
});

describe('adding properties', () => {
  test('plans nothing where nothing is to be added', () => {
    const plan = planAdding(undefined, 'b-2', []);

    expect([plan.steps(undefined), plan.sent(), plan.others({ properties: ['BER'] })]).toEqual([
      [],
      undefined,
      undefined,
    ]);
  });

  test('follows what was seen last', () => {
    const plan = planAdding({ properties: ['BER'] }, 'b-2', ['VIE']);

    const first = plan.steps(undefined);
    const second = plan.steps({ properties: ['MUC'] });
    const third = plan.steps({ properties: [{ id: 'MUC' }, { id: 'VIE' }] });

    expect([first, second, third, plan.sent()]).toEqual([
      [{ op: 'add', path: '/properties', value: ['BER', 'VIE'] }],
      [{ op: 'add', path: '/properties', value: ['MUC', 'VIE'] }],
      [],
      ['MUC', 'VIE'],
    ]);
  });

  test.each<[unknown, readonly string[] | undefined]>([
    [['VIE', 'BER'], undefined],
    [['BER'], undefined],
    [['BER', 'BER'], undefined],
    [['VIE'], ['VIE']],
    [
      ['BER', 'MUC', 'VIE'],
      ['BER', 'MUC', 'VIE'],
    ],
    [null, []],
    [undefined, undefined],
    ['BER', undefined],
  ])('after BER became BER and VIE, %j is somebody else’s: %j', (properties, others) => {
    const plan = planAdding({ properties: ['BER'] }, 'b-2', ['VIE']);
    plan.steps(undefined);

    expect(plan.others({ properties })).toEqual(others);
  });
});
