import { expect, test } from 'vitest';
import { contractOperations as operations } from '../../src/service/operations.ts';
import type { Safety } from '../../src/service/retry.ts';
import { behindFront } from './behind-front.ts';
import { oneOfEach } from './rehearsal.ts';
import { cuts, failure, lasting } from './wire-cases.ts';

/** What is told of every operation of a safety. */
type Verdicts = Readonly<Record<Safety, string>>;

const unsettled = {
  keyed: '8 outcome_unknown after 2 tries, not done',
  delete: '8 outcome_unknown after 2 tries, not done',
  patch: '8 outcome_unknown after 2 tries, not done',
  once: '8 outcome_unknown after 1 try, not done',
};

/** What is answered though nothing was carried out; faults after carrying out are those of the other files. */
const cases: readonly (readonly [string, number, Verdicts])[] = [
  [
    'closed in the body',
    1,
    {
      read: '0 after 2 tries',
      keyed: '0 after 2 tries, done',
      delete: '0 after 2 tries, done',
      patch: '0 after 2 tries, done',
      once: unsettled.once,
    },
  ],
  ['closed in the body', 99, { ...unsettled, read: '7 cut after 2 tries' }],
  [
    'a negative length',
    99,
    {
      ...unsettled,
      delete: '8 outcome_unknown after 1 try, not done',
      read: '1 malformed after 2 tries',
    },
  ],
];

test.each(cases.map((each, turn) => [turn, ...each] as const))(
  'operations of turn %i end as their safety allows, and the service shows it: %s, %i times',
  async (turn, name, times, verdicts) => {
    const misdeed = [...cuts, ...lasting].find((each) => each.name === name)?.misdeed ?? failure.misdeed;
    const trouble = { misdeed, times, commits: false };

    const told = await Promise.all(
      oneOfEach(turn).map(async (id) => [id, (await behindFront(id, trouble)).told]),
    );

    expect(Object.fromEntries(told)).toEqual(
      Object.fromEntries(oneOfEach(turn).map((id) => [id, verdicts[operations[id].safety]])),
    );
  },
);
