import { expect, test } from 'vitest';
import { daysAt } from '../../src/model/dates.ts';

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
