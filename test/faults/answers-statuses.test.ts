import { expect, test } from 'vitest';
import { contractOperations as operations } from '../../src/service/operations.ts';
import { alike, expectedOf, inWords, oneOfEach, type Row, rehearseEach } from './rehearsal.ts';

/** `answer:status=...` comes after the request was carried out, a kind that is a status instead of it. */
const rows: readonly Row[] = [
  ...alike(
    [
      'exit 0 after 2',
      'exit 0 after 2, done',
      'exit 0 after 2, done',
      'exit 0 after 2, done',
      'exit 0 after 2, done',
    ],
    '429:times=1',
    '429:retry-after=3,skew=3600,times=1',
    '429:retry-after=3,skew=-3600,times=1',
  ),
  ...alike(
    [
      'exit 7 rate_limited after 5',
      'exit 7 rate_limited after 5, not done',
      'exit 7 rate_limited after 5, not done',
      'exit 7 rate_limited after 5, not done',
      'exit 7 rate_limited after 5, not done',
    ],
    '429',
  ),
  ...alike(
    [
      'exit 7 rate_limited after 1',
      'exit 7 rate_limited after 1, not done',
      'exit 7 rate_limited after 1, not done',
      'exit 7 rate_limited after 1, not done',
      'exit 7 rate_limited after 1, not done',
    ],
    '429:retry-after=86400',
    '429:retry-after=86400,skew=0',
  ),
  ...alike(
    [
      'exit 0 after 2',
      'exit 0 after 2, done',
      'exit 8 outcome_unknown after 1, not done',
      'exit 0 after 2, done',
      'exit 0 after 2, done',
    ],
    '500:times=1',
  ),
  ...alike(
    [
      'exit 1 service_error after 5',
      'exit 8 outcome_unknown after 5, not done',
      'exit 8 outcome_unknown after 1, not done',
      'exit 8 outcome_unknown after 5, not done',
      'exit 8 outcome_unknown after 3, not done',
    ],
    '500',
  ),
  ...alike(
    [
      'exit 7 unavailable after 5',
      'exit 8 outcome_unknown after 5, not done',
      'exit 8 outcome_unknown after 1, not done',
      'exit 8 outcome_unknown after 5, not done',
      'exit 8 outcome_unknown after 3, not done',
    ],
    '502',
    '503',
    '504',
    '502:body=html',
  ),
  ...alike(
    [
      'exit 7 unavailable after 5',
      'exit 8 outcome_unknown after 5, not done',
      'exit 7 unavailable after 5, not done',
      'exit 7 unavailable after 5, not done',
      'exit 7 unavailable after 5, not done',
    ],
    '503:retry-after=1',
  ),
  ...alike(
    [
      'exit 0 after 2',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
      'exit 0 after 2, done',
      'exit 0 after 1, done',
    ],
    'answer:status=500,times=1',
    'drop-after:times=1',
  ),
  ...alike(
    [
      'exit 7 unavailable after 5',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
      'exit 0 after 5, done',
      'exit 0 after 1, done',
    ],
    'answer:status=502',
    'answer:status=503',
    'answer:status=504',
    'answer:status=502,body=html',
  ),
  ...alike(
    [
      'exit 0 after 2',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
      'exit 0 after 2, done',
      'exit 0 after 2, done',
    ],
    'answer:status=503,retry-after=1,times=1',
  ),
  ...alike(
    [
      'exit 4 not_logged_in after 1',
      'exit 4 not_logged_in after 1, not done',
      'exit 4 not_logged_in after 1, not done',
      'exit 4 not_logged_in after 1, not done',
      'exit 4 not_logged_in after 1, not done',
    ],
    '401',
    '401:times=1',
  ),
  ...alike(
    [
      'exit 1 redirected after 1',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
    ],
    'answer:status=303,to=http://127.0.0.1:9/',
  ),
  ...alike(
    [
      'exit 1 redirected after 1',
      'exit 8 outcome_unknown after 5, not done',
      'exit 8 outcome_unknown after 1, not done',
      'exit 8 outcome_unknown after 1, not done',
      'exit 8 outcome_unknown after 3, not done',
    ],
    'redirect:to=http://127.0.0.1:9/,status=303',
  ),
  ...alike(
    [
      'exit 7 reset after 5',
      'exit 8 outcome_unknown after 5, not done',
      'exit 8 outcome_unknown after 1, not done',
      'exit 8 outcome_unknown after 5, not done',
      'exit 8 outcome_unknown after 3, not done',
    ],
    'drop-before',
  ),
  ...alike(
    [
      'exit 7 reset after 5',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
      'exit 0 after 5, done',
      'exit 0 after 1, done',
    ],
    'drop-after',
  ),
  ...alike(
    [
      'exit 7 cut after 5',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
      'exit 0 after 1, done',
    ],
    'cut',
  ),
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
