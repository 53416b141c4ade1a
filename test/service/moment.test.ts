import { expect, onTestFinished, test, vi } from 'vitest';
import { daysAt, momentOf } from '../../src/model/dates.ts';

test.each<[unknown, number | undefined]>([
  ['1970-01-01T01:00:00', 3_600_000],
  ['1970-01-01T01:00:00.5', 3_600_500],
  ['1970-01-01T01:00:00Z', 3_600_000],
  ['1970-01-01T01:00:00+01:00', 0],
  ['1970-01-01T01:00:00-0100', 7_200_000],
  ['today', undefined],
  ['5', undefined],
  ['2026', undefined],
  ['Tue, 21 Apr 2026 12:00:00 GMT', undefined],
  ['', undefined],
  [0, undefined],
  [null, undefined],
])('the instant of %j does not depend on the time zone', (time, moment) => {
  vi.stubEnv('TZ', 'America/Los_Angeles');
  onTestFinished(() => void vi.unstubAllEnvs());

  expect(momentOf(time)).toBe(moment);
});

test.each([
  ['2026-12-19T23:59:59.999Z', 'UTC', ['2026-12-19', '2026-12-19']],
  ['2026-12-20T00:00:00.000Z', 'UTC', ['2026-12-20', '2026-12-20']],
  ['2026-12-19T22:59:59.999Z', 'Europe/Berlin', ['2026-12-19', '2026-12-19']],
  ['2026-12-19T23:00:00.000Z', 'Europe/Berlin', ['2026-12-19', '2026-12-20']],
  ['2026-07-31T22:00:00.000Z', 'Europe/Berlin', ['2026-07-31', '2026-08-01']],
  ['2027-01-07T07:59:59.999Z', 'America/Los_Angeles', ['2027-01-07', '2027-01-06']],
  ['2027-01-07T08:00:00.000Z', 'America/Los_Angeles', ['2027-01-07', '2027-01-07']],
  ['2026-12-31T10:00:00.000Z', 'Pacific/Kiritimati', ['2026-12-31', '2027-01-01']],
  ['2028-02-29T12:00:00.000Z', 'Asia/Tehran', ['2028-02-29', '2028-02-29']],
])('the dates of %s in UTC and %s are %j', (instant, zone, days) => {
  expect(daysAt(Date.parse(instant), zone)).toEqual(days);
});

test('the default time zone is that of the system', () => {
  const now = Date.parse('2026-12-20T12:00:00Z');

  expect(daysAt(now)).toEqual(daysAt(now, Intl.DateTimeFormat().resolvedOptions().timeZone));
});
