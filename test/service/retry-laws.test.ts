import { expect, test } from 'vitest';
import { parseHttpDate } from '../../src/model/dates.ts';
import {
  type Mishap,
  mayHaveHappened,
  mayRetry,
  retryAfterMs,
  retryDelayMs,
  WireFailure,
} from '../../src/service/retry.ts';
import { text } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

const NOON = Date.parse('2026-11-20T12:00:00Z');
const CAP_MS = 20_000;

const attempts = fc.integer({ min: 1, max: 1_000_000 });
const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const instant = fc
  .date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2069-12-31T23:59:59Z'), noInvalidDate: true })
  .map((date) => Math.floor(date.getTime() / 1000) * 1000);

/** Header values that a server may send, also invalid ones. */
const wish = fc.oneof(
  text,
  fc.nat().map(String),
  fc.bigInt({ min: 0n, max: 10n ** 400n }).map(String),
  fc.double({ min: 0, noNaN: true }).map(String),
  instant.map((ms) => new Date(ms).toUTCString()),
);
const header = fc.array(wish, { maxLength: 3 }).map((wishes) => wishes.join(', '));

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
  fc.constant({ kind: 'unconfirmed' as const }),
  fc.record({
    kind: fc.constant('answer' as const),
    status: fc.integer({ min: 300, max: 599 }),
    retryAfterMs: fc.option(fc.nat(), { nil: undefined }),
    inProgress: fc.boolean(),
  }),
  fc.tuple(fc.constantFrom('refused', 'reset', 'tls', 'malformed'), fc.boolean()).map(([kind, sent]) => ({
    kind: 'failure' as const,
    failure: new WireFailure(kind, kind, { sent }),
  })),
);

test('a delay without Retry-After lies between zero and its cap, which never shrinks and never exceeds 20 s', () => {
  fc.assert(
    fc.property(attempts, jitter, (attempt, random) => {
      const delay = retryDelayMs(attempt, undefined, random);

      expect(delay).toBeGreaterThanOrEqual(0);
      expect(delay).toBeLessThanOrEqual(CAP_MS);
      expect(retryDelayMs(attempt + 1, undefined, random)).toBeGreaterThanOrEqual(delay);
    }),
  );
});

test('no retry comes earlier than Retry-After', () => {
  fc.assert(
    fc.property(attempts, fc.nat(1_000_000), jitter, (attempt, seconds, random) => {
      const requested = retryAfterMs({ 'retry-after': String(seconds) }, NOON);

      expect(retryDelayMs(attempt, requested, random)).toBeGreaterThanOrEqual(seconds * 1000);
    }),
  );
});

test('Retry-After yields a finite time that is not in the past, or none, whatever the headers are', () => {
  fc.assert(
    fc.property(header, header, (requested, date) => {
      const wait = retryAfterMs({ 'retry-after': requested, date }, NOON) ?? 0;

      expect(Number.isFinite(wait) && wait >= 0).toBe(true);
    }),
    { examples: [['9'.repeat(400), '']] },
  );
});

test('a date yields the same delay, however wrong the local clock is', () => {
  fc.assert(
    fc.property(instant, fc.nat(100_000), instant, (sent, seconds, now) => {
      const headers = {
        'retry-after': new Date(sent + seconds * 1000).toUTCString(),
        date: new Date(sent).toUTCString(),
      };

      expect(retryAfterMs(headers, now)).toBe(seconds * 1000);
    }),
  );
});

test('a date is the same instant in each of the three formats', () => {
  fc.assert(
    fc.property(instant, (ms) => {
      const [day = '', date = '', month = '', year = '', time = ''] = new Date(ms).toUTCString().split(/,? /);
      const long = `${new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(ms)}, ${date}`;
      const forms = [
        `${day}, ${date} ${month} ${year} ${time} GMT`,
        `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`,
        // Two digits mean the nearest century.
        ...(ms < Date.UTC(2050) ? [`${long}-${month}-${year.slice(2)} ${time} GMT`] : []),
      ];

      expect(forms.map(parseHttpDate)).toEqual(forms.map(() => ms));
    }),
  );
});

test('a day that its month does not have is rejected, in every format', () => {
  const days = ['29', '30', '31'];
  const lacking = fc
    .tuple(fc.constantFrom(...days), fc.constantFrom('Feb', 'Apr', 'Jun', 'Sep', 'Nov'))
    .filter(([day, month]) => month === 'Feb' || day === '31');
  fc.assert(
    fc.property(lacking, fc.constantFrom('2025', '2026', '2027'), ([day, month], year) => {
      const forms = [
        `Mon, ${day} ${month} ${year} 12:00:00 GMT`,
        `Monday, ${day}-${month}-${year.slice(2)} 12:00:00 GMT`,
        `Mon ${month} ${day} 12:00:00 ${year}`,
      ];

      expect(forms.map(parseHttpDate)).toEqual([undefined, undefined, undefined]);
    }),
  );
});

test('a request that is not repeatable is resent only when it certainly was not carried out', () => {
  fc.assert(
    fc.property(fc.constantFrom('patch', 'once'), mishap, (safety, ended) => {
      expect(mayRetry(safety, ended) && mayHaveHappened(ended)).toBe(false);
    }),
  );
});
