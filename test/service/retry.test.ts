import { expect, test } from 'vitest';
import {
  type Mishap,
  mayHaveHappened,
  mayRetry,
  retryAfterMs,
  retryDelayMs,
  type Safety,
  WireFailure,
} from '../../src/service/retry.ts';

const answer = (status: number, more: { retryAfterMs?: number; inProgress?: boolean } = {}): Mishap => ({
  kind: 'answer',
  status,
  retryAfterMs: more.retryAfterMs,
  inProgress: more.inProgress ?? false,
});

const unsent: Mishap = { kind: 'failure', failure: new WireFailure('refused', 'refused', { sent: false }) };
const untrusted: Mishap = { kind: 'failure', failure: new WireFailure('tls', 'expired', { sent: false }) };

// What test/service/send.test.ts shows of whole sends is not repeated here.
test.each<[Safety, string, Mishap, boolean]>([
  ['read', 'nothing was sent', unsent, true],
  ['read', '307', answer(307), false],
  ['read', '409 in progress', answer(409, { inProgress: true }), false],
  ['keyed', '409 in progress', answer(409, { inProgress: true }), true],
  ['delete', '504', answer(504), true],
  ['once', '503 without Retry-After', answer(503), false],
  ['once', '408', answer(408), false],
  ['once', '303 with Retry-After', answer(303, { retryAfterMs: 1000 }), false],
  ['delete', '507', answer(507), false],
  ['once', '507', answer(507), false],
  ['read', 'the certificate is not trusted', untrusted, false],
])('whether a %s request is retried after "%s"', (safety, _, mishap, expected) => {
  expect(mayRetry(safety, mishap)).toBe(expected);
});

test.each<[string, Mishap, boolean]>([
  ['302', answer(302), false],
  ['303', answer(303), true],
  ['307', answer(307), false],
  ['400', answer(400), false],
  ['408', answer(408), true],
  ['503', answer(503), true],
  ['503 with Retry-After', answer(503, { retryAfterMs: 0 }), false],
  ['409 in progress', answer(409, { inProgress: true }), true],
])('whether a request may have been carried out after "%s"', (_, mishap, expected) => {
  expect(mayHaveHappened(mishap)).toBe(expected);
});

test('the delay grows with each attempt, has full jitter, and never exceeds 20 s', () => {
  const longest = [1, 2, 3, 4, 5, 6, 7, 50].map((attempt) => retryDelayMs(attempt, undefined, 1));

  expect(longest).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]);
  expect(retryDelayMs(3, undefined, 0)).toBe(0);
});

const NOON = Date.parse('2026-11-20T12:00:00Z');

test.each<[string, Record<string, string>, number | undefined]>([
  ['seconds', { 'retry-after': '7' }, 7000],
  ['zero', { 'retry-after': '0' }, 0],
  ['nothing', {}, undefined],
  ['an empty value', { 'retry-after': '' }, undefined],
  ['nonsense', { 'retry-after': 'soon' }, undefined],
  ['a negative number', { 'retry-after': '-5' }, undefined],
  ['text with a number', { 'retry-after': 'unknown 5' }, undefined],
  ['a date in ISO format', { 'retry-after': '2026-11-20T12:00:30Z' }, undefined],
  ['an invalid date', { 'retry-after': 'Fri, 20 Nov 2026 99:00:00 GMT' }, undefined],
  ['a day that its month does not have', { 'retry-after': 'Tue, 31 Feb 2026 12:00:00 GMT' }, undefined],
  ['an invalid hour, in RFC 850 format', { 'retry-after': 'Thursday, 31-Dec-26 24:00:00 GMT' }, undefined],
  ['an invalid day, in asctime format', { 'retry-after': 'Sun Feb 29 12:00:00 2026' }, undefined],
  [
    'a leap day',
    { 'retry-after': 'Tue, 29 Feb 2028 00:00:00 GMT', date: 'Tue, 29 Feb 2028 00:00:00 GMT' },
    0,
  ],
  ['a date', { 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT' }, 30_000],
  ['a date of RFC 850', { 'retry-after': 'Friday, 20-Nov-26 12:00:30 GMT' }, 30_000],
  ['a date of asctime', { 'retry-after': 'Fri Nov 20 12:00:30 2026' }, 30_000],
  ['a date in the past', { 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }, 0],
  [
    'a date with a service clock that is two hours off',
    { 'retry-after': 'Fri, 20 Nov 2026 14:00:30 GMT', date: 'Fri, 20 Nov 2026 14:00:00 GMT' },
    30_000,
  ],
  ['a date with an unreadable clock', { 'retry-after': 'Fri, 20 Nov 2026 12:00:30 GMT', date: '-5' }, 30_000],
])('Retry-After as %s', (_, headers, expected) => {
  expect(retryAfterMs(headers, NOON)).toBe(expected);
});
