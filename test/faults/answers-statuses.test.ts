import { expect, test } from 'vitest';
import { contractOperations as operations } from '../../src/service/operations.ts';
import { alike, ends, expectedOf, inWords, oneOfEach, type Row, rehearseEach } from './rehearsal.ts';

/** `answer:status=...` comes after the request was carried out, a kind that is a status instead of it. */
const rows: readonly Row[] = [
  ...alike(
    ends('exit 0 after 2', 'exit 0 after #, done', 2, 2, 2, 2),
    '429:times=1 429:retry-after=3,skew=3600,times=1 429:retry-after=3,skew=-3600,times=1',
  ),
  ...alike(ends('exit 7 rate_limited after 5', 'exit 7 rate_limited after #, not done', 5, 5, 5, 5), '429'),
  ...alike(
    ends('exit 7 rate_limited after 1', 'exit 7 rate_limited after #, not done', 1, 1, 1, 1),
    '429:retry-after=86400 429:retry-after=86400,skew=0',
  ),
  ...alike(
    ends('exit 0 after 2', 'exit 0 after #, done', 2, 'exit 8 outcome_unknown after 1, not done', 2, 2),
    '500:times=1 drop-before:times=1',
  ),
  ...alike(
    ends('exit 1 service_error after 5', 'exit 8 outcome_unknown after #, not done', 5, 1, 5, 3),
    '500',
  ),
  ...alike(
    ends('exit 7 unavailable after 5', 'exit 8 outcome_unknown after #, not done', 5, 1, 5, 3),
    '502 503 504 502:body=html',
  ),
  ...alike(
    ends(
      'exit 7 unavailable after 5',
      'exit 7 unavailable after #, not done',
      'exit 8 outcome_unknown after 5, not done',
      5,
      5,
      5,
    ),
    '503:retry-after=1',
  ),
  ...alike(
    ends('exit 0 after 2', 'exit 0 after #, done', 1, 1, 2, 1),
    'answer:status=500,times=1 drop-after:times=1',
  ),
  ...alike(
    ends('exit 7 unavailable after 5', 'exit 0 after #, done', 1, 1, 5, 1),
    'answer:status=502 answer:status=503 answer:status=504 answer:status=502,body=html',
  ),
  ...alike(
    ends('exit 0 after 2', 'exit 0 after #, done', 1, 1, 2, 2),
    'answer:status=503,retry-after=1,times=1',
  ),
  ...alike(
    ends('exit 4 not_logged_in after 1', 'exit 4 not_logged_in after #, not done', 1, 1, 1, 1),
    '401 401:times=1',
  ),
  ...alike(
    ends('exit 1 redirected after 1', 'exit 0 after #, done', 1, 1, 1, 1),
    'answer:status=303,to=http://127.0.0.1:9/',
  ),
  ...alike(
    ends('exit 1 redirected after 1', 'exit 8 outcome_unknown after #, not done', 5, 1, 1, 3),
    'redirect:to=http://127.0.0.1:9/,status=303',
  ),
  ...alike(
    ends('exit 7 reset after 5', 'exit 8 outcome_unknown after #, not done', 5, 1, 5, 3),
    'drop-before',
  ),
  ...alike(ends('exit 7 reset after 5', 'exit 0 after #, done', 1, 1, 5, 1), 'drop-after'),
  ...alike(ends('exit 7 cut after 5', 'exit 0 after #, done', 1, 1, 1, 1), 'cut'),
];

test.each(rows.map((row, turn) => [turn, ...row] as const))(
  'an operation of each safety, in turn %i, under %s',
  async (turn, fault, ...endings) => {
    expect(inWords(await rehearseEach(turn, fault))).toEqual(expectedOf(turn, endings));
  },
);

test('every operation has its turn', () => {
  expect(new Set(rows.flatMap((_, turn) => oneOfEach(turn))).size).toBe(Object.keys(operations).length);
});
