import { expect, test } from 'vitest';
import { relativeTo } from '../../src/print/cells.ts';
import { NOON } from './desk.ts';

test.each([
  ['2026-11-20T12:00:00Z', 'just now'],
  ['2026-11-20T11:59:01Z', 'just now'],
  ['2026-11-20T11:59:00Z', '1 minute ago'],
  ['2026-11-20T13:00:00+02:00', '1 hour ago'],
  ['2026-11-20T14:30:00.000Z', 'in 2 hours'],
  ['2026-11-19T12:00:00Z', '1 day ago'],
  ['2026-10-11T12:00:00Z', '40 days ago'],
  ['2026-07-20T12:00:00Z', '4 months ago'],
  ['2023-11-20T12:00:00Z', '3 years ago'],
  ['0001-01-01T00:00:00Z', '2,027 years ago'],
])('%s is %s', (text, words) => {
  expect(relativeTo(NOON, text)).toBe(words);
});

test('what is no point in time has no words', () => {
  const others = ['2026-10-11', '2026-10-11T12:00:00', '2026-13-41T12:00:00Z', 'yesterday', ''];
  expect(others.filter((text) => relativeTo(NOON, text) !== undefined)).toEqual([]);
});
