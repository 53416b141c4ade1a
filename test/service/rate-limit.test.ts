import { expect, test } from 'vitest';
import { rateLimitIn } from '../../src/service/rate-limit.ts';
import { fc } from '../helpers/laws.ts';

const NOON = Date.UTC(2026, 4, 1, 12);
const DATE = 'Fri, 01 May 2026 12:00:00 GMT';

/** What is read of the public service's headers at noon, with its own date. */
const read = (remaining: string, reset: string, more: Record<string, string> = {}, now = NOON) =>
  rateLimitIn({ date: DATE, 'x-rate-limit-remaining': remaining, 'x-rate-limit-reset': reset, ...more }, now);

test.each<[string, string, number]>([
  ['an ISO date of .NET', '2026-05-01T12:00:02.5000000Z', 2_500],
  ['an ISO date with a zone', '2026-05-01T14:00:07+02:00', 7_000],
  ['an ISO date without a zone', '2026-05-01T12:00:07', 7_000],
  ['an HTTP date', 'Fri, 01 May 2026 12:00:09 GMT', 9_000],
  ['seconds from now', '3', 3_000],
  ['a part of a second from now', '0.25', 250],
  ['seconds since the epoch', String(NOON / 1000 + 4), 4_000],
  ['parts of seconds since the epoch', String(NOON / 1000 + 0.5), 500],
  ['milliseconds since the epoch', String(NOON + 1_500), 1_500],
])('a reset may be %s: %s', (_, reset, waitMs) => {
  expect(read('7', reset)).toEqual({ remaining: 7, waitMs, isCut: false });
});

test.each(['86401', '999999999', '999999999999999', '2027-05-01T13:00:00Z'])(
  'a span of more than a day is none: %s',
  (reset) => {
    expect(read('0', reset)).toBeUndefined();
  },
);

test.each<[string, string]>([
  ['0', '2026-05-01T13:00:00Z'],
  ['0', '3600'],
  ['0', '86400'],
])('nobody waits longer than a minute: %s until %s', (remaining, reset) => {
  expect(read(remaining, reset)).toEqual({ remaining: 0, waitMs: 60_000, isCut: true });
});

test.each<[string, string]>([
  ['', '3'],
  ['-1', '3'],
  ['many', '3'],
  ['1, 2', '3'],
  ['1e3', '3'],
  ['9'.repeat(16), '3'],
  ['0', ''],
  ['0', 'soon'],
  ['0', '-3'],
  ['0', 'Infinity'],
  ['0', '0x10'],
  ['0', '1s'],
  ['0', '2026-13-45T99:99:99Z'],
  ['0', '2026-05-01'],
  ['0', '9'.repeat(400)],
])('what is no number of requests, or no time, is ignored: %j until %j', (remaining, reset) => {
  expect(read(remaining, reset)).toBeUndefined();
});

test.each(['0', '2026-05-01T12:00:00Z', '2020-01-01T00:00:00Z', String(NOON - 1), String(NOON / 1000 - 1)])(
  'a span that is over by %s holds nobody',
  (reset) => {
    expect(read('0', reset)).toBeUndefined();
  },
);

test.each(['x-rate-limit', 'x-ratelimit', 'ratelimit'])('%s-* is one of its spellings', (name) => {
  const headers = { [`${name}-limit`]: '10', [`${name}-remaining`]: '4', [`${name}-reset`]: '2' };

  expect(rateLimitIn(headers, NOON)).toEqual({ remaining: 4, waitMs: 2_000, isCut: false });
});

test('one spelling that tells nothing does not hide another', () => {
  expect(read('?', '3', { 'ratelimit-remaining': '1', 'ratelimit-reset': '2' })).toEqual({
    remaining: 1,
    waitMs: 2_000,
    isCut: false,
  });
});

test('a moment is read against the date of the answer, not against the clock of this machine', () => {
  expect(read('0', '2026-05-01T12:00:02Z', {}, NOON - 3_600_000)?.waitMs).toBe(2_000);
  expect(read('0', '2026-05-01T12:00:02Z', { date: 'yesterday' }, NOON + 500)?.waitMs).toBe(1_500);
});

test('whatever stands in the headers, a wait is longer than nothing and at most a minute', () => {
  const value = fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.nat().map(String), fc.double().map(String));
  const anything = fc.record({ date: value, 'x-rate-limit-remaining': value, 'x-rate-limit-reset': value });

  fc.assert(
    fc.property(anything, fc.maxSafeInteger(), (headers, now) => {
      const limit = rateLimitIn(headers, now);
      if (limit === undefined) return;
      expect(limit.waitMs).toBeGreaterThan(0);
      expect(limit.waitMs).toBeLessThanOrEqual(60_000);
      expect(limit.remaining).toBeGreaterThanOrEqual(0);
    }),
  );
});
