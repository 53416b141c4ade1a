import { describe, expect, test } from 'vitest';
import { buildGuard, type GuardRules, type Intent } from '../../src/service/guard.ts';
import { type OperationEffect, operations } from '../../src/service/operations.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { fixed, sendWith } from './sending.ts';

const nothing: GuardRules = { safety: { value: 'none', source: 'default' }, protect: [], freeze: [] };
const deletion: Intent = { effect: 'destroys', ids: ['BER'], does: 'delete the property' };

const guardOf = (rules: Partial<GuardRules>, days: readonly string[] = ['2026-12-24']) =>
  buildGuard({ ...nothing, ...rules }, () => days, 'innctl config list');

/** The objection of a guard to a write; `undefined` when it is allowed. */
function objection(rules: Partial<GuardRules>, intent: Partial<Intent> = {}, days?: readonly string[]) {
  try {
    guardOf(rules, days)({ ...deletion, ...intent });
    return undefined;
  } catch (error) {
    return error;
  }
}

const blocks = (...given: Parameters<typeof objection>) => objection(...given) !== undefined;

describe('safety', () => {
  const effects: readonly OperationEffect[] = ['creates', 'changes', 'destroys'];

  test.each([
    ['none', []],
    ['no-delete', ['destroys']],
    ['no-update', ['changes', 'destroys']],
    ['read-only', ['creates', 'changes', 'destroys']],
  ] as const)('%s forbids %j', (value, forbidden) => {
    const safety = { value, source: 'profile chain' };

    expect(effects.filter((effect) => blocks({ safety }, { effect }))).toEqual(forbidden);
  });
});

describe('protect', () => {
  test.each([
    ['BER', 'BER', true],
    ['BER', 'ber', true],
    ['ber', 'BER', true],
    ['BER', 'BER2', false],
    ['BER', 'XBER', false],
    ['LIVE-*', 'live-muc', true],
    ['LIVE-*', 'LIVE-', true],
    ['LIVE-*', 'LIVE', false],
    ['*', 'VIE', true],
    ['**', 'VIE', true],
    ['***', '', true],
    ['*@hotel.example', 'Ana@Hotel.example', true],
    ['*@hotel.example', 'ana@hotel.example.org', false],
    ['B*R', 'BR', true],
    ['B*BER*R', 'BBERR', true],
    ['B*BER*R', 'BER', false],
    ['AB*BA', 'ABA', false],
    ['A*B*C', 'AXXBXXC', true],
    ['A*B*C', 'AXXCXXB', false],
    ['A*BC*C', 'ABC', false],
    ['B.R', 'BER', false],
    ['B?R', 'BER', false],
    ['[BM]*', 'BER', false],
    ['(BER)', '(BER)', true],
    ['B\\*R', 'B*R', false],
    ['__proto__', '__proto__', true],
    ['HÔTEL', 'ho\u0302tel', true],
    ['BER', 'BER;x=1', true],
    ['BER', 'BER..', true],
    ['BER', 'ＢＥＲ', true],
    ['BER', 'B\u200bE\ufe0fR', true],
    ['BER', 'BER.json', true],
    ['BER', 'BER,MUC', true],
    ['BER', 'BER:archive', true],
    ['BER', '"BER"', true],
    ['BER', "properties('BER')", true],
    ['BER', "propertyId eq 'BER' or x", true],
    ['BER', 'filter[BER]', true],
    ['BER', 'x/../BER', true],
    ['BER', 'BER@2', true],
    ['BER', '-BER', true],
    ['BER', 'BER-DBL', true],
    ['BER', 'ber-dbl-1', true],
    ['BER', "'MUC-1','BER-1'", true],
    ['BER', 'MUC-BER', false],
    ['BER', 'BERLIN', false],
    ['BER', 'BERLIN-DBL', false],
    ['BER', 'BER_2', false],
    ['BER', 'X_BER', false],
    ['BER', 'ber@example.com', false],
    ['BER', 'ana.ber@example.com', false],
    ['LIVE-MUC', 'LIVE-MUC-DBL', true],
    ['LIVE-MUC', 'LIVE-VIE', false],
    ['LIVE-*', "('LIVE-MUC')", true],
    ['*@hotel.example', "email eq 'Ana@Hotel.example'", true],
    ['a:b', 'x,a:b', true],
    ['STRASSE', 'straße', true],
    ['STRAẞE', 'straße', true],
    ['ΟΔΟΣ*', 'οδος1', true],
    ['ΟΔΟΣ*', 'οδοσ1', true],
  ])('the pattern %s protects %j: %j', (pattern, id, isProtected) => {
    const protect = [{ value: [pattern], source: 'INNCTL_PROTECT' }];

    expect(blocks({ protect }, { ids: [id] })).toBe(isProtected);
  });

  test('a very long value is matched in linear time', () => {
    const protect = [{ value: ['BER'], source: 'INNCTL_PROTECT' }];

    expect(blocks({ protect }, { ids: ['a-'.repeat(50_000), `a@${'.'.repeat(50_000)}@`] })).toBe(false);
  });

  test('a pattern with many wildcards is matched without backtracking', () => {
    const protect = [{ value: [`${'*A'.repeat(100)}*B`], source: 'INNCTL_PROTECT' }];

    expect(blocks({ protect }, { ids: ['A'.repeat(10_000)] })).toBe(false);
    expect(blocks({ protect }, { ids: [`${'A'.repeat(10_000)}B`] })).toBe(true);
  });

  test('any pattern of any list protects, for each id of the path', () => {
    const protect = [
      { value: ['MUC'], source: 'INNCTL_PROTECT' },
      {
        value: [...Array.from({ length: 9_999 }, (_, index) => `H${index}`), 'VIE'],
        source: 'profile chain',
      },
    ];

    expect(objection({ protect }, { ids: ['BER', 'VIE'] })).toMatchObject({
      message: 'Could not delete the property: VIE is protected by VIE (profile chain); nothing was sent.',
    });
    expect(blocks({ protect }, { ids: ['BER'] })).toBe(false);
    expect(blocks({ protect }, { ids: [] })).toBe(false);
  });
});

describe('freeze', () => {
  test.each([
    ['2026-12-20', ['2026-12-20'], true],
    ['2026-12-20', ['2026-12-19'], false],
    ['2026-12-20', ['2026-12-21'], false],
    ['2026-12-20..2027-01-06', ['2026-12-19'], false],
    ['2026-12-20..2027-01-06', ['2026-12-20'], true],
    ['2026-12-20..2027-01-06', ['2026-12-31'], true],
    ['2026-12-20..2027-01-06', ['2027-01-06'], true],
    ['2026-12-20..2027-01-06', ['2027-01-07'], false],
    ['2026-12-20..2027-01-06', ['2026-12-19', '2026-12-20'], true],
    ['2026-12-20..2027-01-06', ['2027-01-06', '2027-01-07'], true],
    ['2026-12-20..2027-01-06', ['2027-01-07', '2027-01-08'], false],
  ])('the range %s freezes writes on %j: %j', (range, days, isFrozen) => {
    const freeze = [{ value: ['2020-02-29', range], source: 'profile chain' }];

    expect(blocks({ freeze }, {}, days)).toBe(isFrozen);
  });
});

test('a blocked write is reported with every rule that forbids it, and the command that shows where they are set', () => {
  const rules: GuardRules = {
    safety: { value: 'no-delete', source: 'profile chain' },
    protect: [{ value: ['LIVE-*', 'B*'], source: 'INNCTL_PROTECT' }],
    freeze: [{ value: ['2026-12-20..2027-01-06'], source: 'profile chain' }],
  };

  expect(objection(rules, { ids: ['BER', 'BER'] })).toMatchObject({
    code: 'blocked',
    exitCode: 11,
    message:
      'Could not delete the property: safety is no-delete (profile chain), and BER is protected by B* (INNCTL_PROTECT), and writes are frozen 2026-12-20..2027-01-06 (profile chain); nothing was sent.',
    hint: 'innctl config list',
  });
});

test('without rules every write is allowed', () => {
  expect(blocks({})).toBe(false);
});

test('a blocked write requests no token and prints no preview, and neither does its dry run', async () => {
  const requested: string[] = [];
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => {} };
  const options = {
    transport: {
      request: async () => {
        throw new WireFailure('refused', 'nobody listens', { sent: false });
      },
      close: async () => {},
    },
    credentials: {
      ...fixed,
      current: async () => {
        requested.push('token');
        return { header: 'Bearer one', generation: 1 };
      },
    },
    clock,
    maxAttempts: 1,
    guard: guardOf({ safety: { value: 'read-only', source: 'profile chain' } }),
    beforeWrite: async () => {
      requested.push('consent');
    },
  };
  const url = 'https://api.example.com/x';
  const request = { ...deletion, method: 'DELETE', url, safety: 'delete' } as const;

  for (const dryRun of [false, true])
    await expect(sendWith({ ...options, dryRun })(request)).rejects.toMatchObject({ code: 'blocked' });
  expect(requested).toEqual([]);

  const reading = sendWith(options)({ ...request, method: 'GET', safety: 'read' });
  await expect(reading).rejects.toMatchObject({ exitCode: 7 });
  expect(requested).toEqual(['token']);
});

test('no writing operation is classified as a read', () => {
  const writes = Object.values(operations).filter(({ method }) => method !== 'GET' && method !== 'HEAD');

  expect(writes.length).toBe(22);
  expect(writes.filter(({ safety }) => (safety as string) === 'read')).toEqual([]);
  expect(writes.filter(({ effect }) => (effect as string) === 'reads')).toEqual([]);
});
