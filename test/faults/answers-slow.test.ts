import { expect, test } from 'vitest';
import { alike, ends, expectedOf, inWords, type Row, rehearseEach } from './rehearsal.ts';

/** No answer comes in the two seconds that there are, so that nothing is left for looking either. */
const rows: readonly Row[] = [
  ...alike(ends('exit 7 timeout after 1', 'exit 8 outcome_unknown after #, not done', 1, 1, 1, 1), 'hang'),
  ...alike(
    ends('exit 7 timeout after 1', 'exit 8 outcome_unknown after #, done', 1, 1, 1, 1),
    'slow-head:ms=60000',
  ),
  ...alike(
    ends(
      'exit 7 timeout after 1',
      'exit 8 outcome_unknown after #, done',
      1,
      1,
      'exit 0 after 1, done',
      'exit 0 after 1, done',
    ),
    'drip:ms=5000',
  ),
];

test.each(rows.map((row, turn) => [turn, ...row] as const))(
  'an operation of each safety, in turn %i, under %s ends in time',
  async (turn, fault, ...endings) => {
    const ended = await rehearseEach(turn, fault, { flags: '--timeout 2' });

    expect(inWords(ended)).toEqual(expectedOf(turn, endings));
  },
);
