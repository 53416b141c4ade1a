import { describe, expect, test } from 'vitest';
import { planProperties } from '../../src/model/access.ts';
import { CliError } from '../../src/model/errors.ts';
import type { ServiceRecord } from '../../src/model/records.ts';
import { contract, type Query } from '../../src/service/dialect.ts';
import type { Call } from '../../src/service/reading.ts';
import { usersApi } from '../../src/service/users.ts';
import { areaOptions } from './sending.ts';

/** Users of a service that only lists these. */
function usersOf(...users: readonly ServiceRecord[]) {
  return usersIn(() => ({ users }));
}

/** Users of a service with this list response. */
function usersIn(answer: (query: Query, deadline: number | undefined) => unknown, now = () => 0) {
  const call: Call = async (id, _path, options) => {
    const { query = {}, deadline } = options ?? {};
    if (id !== 'listUsers') throw new Error(`nobody expected ${id}`);
    return { status: 200, headers: {}, body: answer(query, deadline), requestId: undefined };
  };
  return usersApi(call, contract, {
    ...areaOptions,
    now,
    warn: async (sentence) => {
      throw new Error(sentence);
    },
  });
}

describe('a user identified by e-mail', () => {
  test('is returned with the address as listed', async () => {
    const users = usersOf({ subjectId: 'b-2', email: 'Ben@Example.com' });

    expect(await users.findByEmail('ben@example.com')).toEqual({
      subjectId: 'b-2',
      email: 'Ben@Example.com',
    });
  });

  test('is found once, although two pages or two entries show the same user', async () => {
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
  ])('is not matched with %j', async (user) => {
    const found = usersOf(user).findByEmail('ben@example.com');

    await expect(found).rejects.toMatchObject({ code: 'not_found', exitCode: 3, hint: undefined });
  });

  test.each([
    [{ email: 'ben@example.com' }],
    [{ subjectId: 7, email: 'ben@example.com' }],
    [{ subjectId: '', email: 'ben@example.com' }],
  ])('needs a subject id, and is rejected with %j', async (user) => {
    const found = usersOf(user).findByEmail('ben@example.com');

    await expect(found).rejects.toMatchObject({ code: 'malformed_answer', exitCode: 1 });
  });

  test.each(['\ud800', '../../x', '..', 'me', ' ', 'x'.repeat(300)])(
    'is rejected with the invalid id %j',
    async (id) => {
      const found = usersOf({ subjectId: id, email: 'ben@example.com' }).findByEmail('ben@example.com');

      await expect(found).rejects.toMatchObject({
        code: 'malformed_answer',
        exitCode: 1,
        message: expect.stringMatching(/^The service lists a user with the unusable subject id ".+"\.$/),
      });
    },
  );
});

describe('two addresses that differ only in case', () => {
  const small = { subjectId: 'b-2', email: 'ben@example.com' };
  const large = { subjectId: 'b-3', email: 'Ben@example.com' };

  test.each([
    ['ben@example.com', 'b-2'],
    ['Ben@example.com', 'b-3'],
  ])('%s matches the one in exactly this case', async (email, subjectId) => {
    expect(await usersOf(small, large).findByEmail(email)).toEqual({ subjectId, email });
  });

  test('are ambiguous when neither matches exactly', async () => {
    await expect(usersOf(small, large).findByEmail('BEN@example.com')).rejects.toMatchObject({
      exitCode: 12,
      details: [
        { field: 'subject_id', reason: 'b-2 (ben@example.com)' },
        { field: 'subject_id', reason: 'b-3 (Ben@example.com)' },
      ],
    });
  });
});

test('a truncated list is rejected, even when the address is in it', async () => {
  const users = usersIn(() => ({ users: [{ subjectId: 'b-2', email: 'ben@example.com' }], count: 2 }));

  await expect(users.findByEmail('ben@example.com')).rejects.toMatchObject({
    code: 'incomplete_list',
    exitCode: 1,
    message: 'Could not look for "ben@example.com": the service counts 2 users and listed 1.',
    hint: 'Name the user by the subject id.',
  });
});

describe('a user list is read to the end', () => {
  const ana = { subjectId: 'a-1', email: 'ana@example.com' };
  const others = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ subjectId: `c-${index}` }));

  test('within one deadline for all pages', async () => {
    let now = 0;
    const deadlines: unknown[] = [];
    const users = usersIn(
      ({ page_number: number }, deadline) => {
        now += 50_000;
        deadlines.push(deadline);
        if (now > (deadline ?? Number.POSITIVE_INFINITY)) throw new Error('the time is over');
        return { users: others(100).map((_, index) => ({ subjectId: `${number}-${index}` })) };
      },
      () => now,
    );

    await expect(users.findByEmail(ana.email)).rejects.toThrow('the time is over');
    expect(deadlines).toEqual([120_000, 120_000, 120_000]);
  });
});

test.each([
  ['bem@example.com', 'Did you mean ben@example.com?'],
  ['karl@example.com', undefined],
])('an unknown address %s gets a suggestion only when a local part is similar', async (email, hint) => {
  const users = usersOf({ subjectId: 'b-2', email: 'ben@example.com' });

  await expect(users.findByEmail(email)).rejects.toMatchObject({ exitCode: 3, hint });
});

describe('adding properties', () => {
  test.each<[string, ServiceRecord]>([
    ['roles at some properties', { properties: ['BER', 'MUC'], property_roles: [{ id: 'BER' }] }],
    ['no roles', { properties: ['BER', 'MUC'], property_roles: null }],
    ['objects with ids', { properties: [{ id: 'BER' }, { id: 'MUC' }] }],
  ])('is allowed when the record shows %s', (_, record) => {
    expect(planProperties({ add: ['VIE'], remove: [] }).stepsFor(record)).toEqual([
      { op: 'add', path: '/properties', value: ['BER', 'MUC', 'VIE'] },
    ]);
  });

  test.each<[readonly string[] | undefined, boolean]>([
    [['BER', 'MUC'], true],
    [['BER', 'MUC', 'NEW'], true],
    [['MUC', 'VIE', 'BER'], true],
    [['BER'], false],
    [[], false],
    [undefined, false],
  ])('accepts a record with %j after BER and MUC as plausible: %s', (properties, expected) => {
    const plan = planProperties({ add: ['VIE'], remove: [] });
    plan.stepsFor({ properties: ['BER', 'MUC'] });

    expect(plan.isPlausible({ properties })).toBe(expected);
  });

  test('uses the latest record, and reports a concurrent change', () => {
    const plan = planProperties({ add: ['VIE'], remove: [] });

    const first = plan.stepsFor({ properties: ['BER'] });
    const second = plan.stepsFor({ properties: ['MUC'] });
    const third = plan.stepsFor({ properties: [{ id: 'MUC' }, { id: 'VIE' }] });

    expect([first, second, third, plan.result(undefined)]).toEqual([
      [{ op: 'add', path: '/properties', value: ['BER', 'VIE'] }],
      [{ op: 'add', path: '/properties', value: ['MUC', 'VIE'] }],
      [],
      { before: ['BER'], sent: ['MUC', 'VIE'], now: undefined, missing: [], isChangedMeanwhile: true },
    ]);
  });

  test.each<[unknown, readonly string[] | undefined, readonly string[], boolean]>([
    [['VIE', 'BER'], ['VIE', 'BER'], [], false],
    [['BER'], ['BER'], ['VIE'], false],
    [['BER', 'BER'], ['BER'], ['VIE'], false],
    [['VIE'], ['VIE'], [], true],
    [['BER', 'MUC', 'VIE'], ['BER', 'MUC', 'VIE'], [], true],
    [null, [], ['VIE'], true],
    [undefined, [], ['VIE'], true],
  ])(
    'after a change of BER to BER and VIE, the record %j yields %j, missing %j, concurrent change: %s',
    (properties, now, missing, changed) => {
      const plan = planProperties({ add: ['VIE'], remove: [] });
      plan.stepsFor({ properties: ['BER'] });

      expect(plan.result({ properties })).toEqual({
        before: ['BER'],
        sent: ['BER', 'VIE'],
        now,
        missing,
        isChangedMeanwhile: changed,
      });
    },
  );

  test.each<[unknown, object]>([
    [['BER', 'MUC', 'VIE'], { different: [], unseen: [] }],
    [['VIE'], { different: [], unseen: [] }],
    [['BER'], { different: ['/properties'], unseen: [] }],
    [undefined, { different: ['/properties'], unseen: [] }],
  ])('is confirmed when all added ones are shown, whatever else is: %j', (properties, comparison) => {
    expect(planProperties({ add: ['VIE'], remove: [] }).judge({ properties })).toEqual(comparison);
  });
});

describe('the current user', () => {
  /** Users of a service with this response to users/me. */
  const requested = (grant: 'token' | 'user' | 'client-credentials', answer: unknown) => {
    const call: Call = async () => {
      if (answer instanceof Error) throw answer;
      return { status: 200, headers: {}, body: answer, requestId: undefined };
    };
    return usersApi(call, contract, { ...areaOptions, maxAttempts: 1, grant }).self();
  };
  const forbidden = new CliError('forbidden', 'no', { status: 403 });

  test('is that of users/me', async () => {
    expect(await requested('user', { subjectId: 'a-1', email: 'ana@example.com' })).toEqual({
      subjectId: 'a-1',
      email: 'ana@example.com',
    });
  });

  test('is undefined for client credentials, and nothing is sent', async () => {
    expect(await requested('client-credentials', new Error('was sent'))).toBeUndefined();
  });

  test('is undefined when a token of unknown kind is forbidden to read users/me', async () => {
    expect(await requested('token', forbidden)).toBeUndefined();
  });

  test.each<['token' | 'user', CliError]>([
    ['user', forbidden],
    ['token', new CliError('html_answer', 'a page', { status: 403 })],
    ['token', new CliError('unauthorized', 'no', { status: 401 })],
  ])('is unknown when a %s gets the error %s', async (grant, error) => {
    await expect(requested(grant, error)).rejects.toBe(error);
  });

  test('is unknown when the response has no id', async () => {
    await expect(requested('token', { enabled: true })).rejects.toMatchObject({ code: 'malformed_answer' });
  });
});

describe('removing properties', () => {
  const plan = (add: readonly string[], remove: readonly string[]) => planProperties({ add, remove });

  test.each([
    [['BER', 'MUC'], [], ['MUC'], ['BER']],
    [['BER', 'MUC'], ['VIE'], ['MUC'], ['BER', 'VIE']],
    [['BER'], [], ['BER'], []],
    [['BER'], ['VIE'], ['MUC'], ['BER', 'VIE']],
  ])('from %j, with %j added and %j removed, leaves %j', (properties, add, remove, value) => {
    expect(plan(add, remove).stepsFor({ properties })).toEqual([{ op: 'add', path: '/properties', value }]);
  });

  test('that the user does not have needs no step', () => {
    expect(plan([], ['VIE']).stepsFor({ properties: ['BER'] })).toEqual([]);
  });

  test('is resent when the record lost only those properties', () => {
    const removing = plan([], ['MUC']);
    removing.stepsFor({ properties: ['BER', 'MUC'] });

    const isPlausible = [['BER'], ['BER', 'MUC', 'VIE'], ['MUC'], []].map((properties) =>
      removing.isPlausible({ properties }),
    );

    expect(isPlausible).toEqual([true, true, false, false]);
  });

  test.each([
    [['BER'], []],
    [['BER', 'MUC'], ['/properties']],
    [['BER', 'VIE'], []],
  ])('is confirmed by %j except %j', (properties, different) => {
    expect(plan([], ['MUC']).judge({ properties })).toEqual({ different, unseen: [] });
  });
});
