import { expect, onTestFinished, test, vi } from 'vitest';
import { momentOf } from '../../src/model/dates.ts';

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
