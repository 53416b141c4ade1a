import { expect, test } from 'vitest';
import { contractOperations as operations } from '../../src/service/operations.ts';
import type { Safety } from '../../src/service/retry.ts';
import { behindFront, type Trouble } from './behind-front.ts';
import { oneOfEach } from './rehearsal.ts';
import { cuts, failure, harmless, lasting, resets, silences, type WireCase } from './wire-cases.ts';

/** What is told of every operation of a safety. */
type Verdicts = Readonly<Record<Safety, string>>;

const recovered = {
  read: '0 after 2 tries',
  keyed: '0 after 2 tries, done',
  delete: '0 after 2 tries, done',
};
const unsettled = {
  keyed: '8 outcome_unknown after 2 tries, not done',
  delete: '8 outcome_unknown after 2 tries, not done',
  patch: '8 outcome_unknown after 2 tries, not done',
  once: '8 outcome_unknown after 1 try, not done',
};
const seen = { patch: '0 after 1 try, done', once: '0 after 1 try, done' };
const goneAndSeen = {
  ...seen,
  delete: '0 after 2 tries, done',
  keyed: '0 after 1 try, done',
};

const malformedAfter = {
  ...seen,
  delete: '0 after 1 try, done',
  keyed: '0 after 1 try, done',
  read: '1 malformed after 2 tries',
};
const cutAfter = { ...goneAndSeen, read: '7 cut after 2 tries' };

const once = { times: 1 };
const always = { times: 99 };
const before = { commits: false };
const after = { commits: true };

const cases: readonly (readonly [string, WireCase, Omit<Trouble, 'misdeed'>, Verdicts])[] = [
  [
    'reset once, before',
    named('reset at once'),
    { ...once, ...before },
    { ...unsettled, ...recovered, patch: '0 after 2 tries, done' },
  ],
  [
    'reset once, after',
    named('reset at once'),
    { ...once, ...after },
    { ...recovered, ...seen, keyed: '0 after 1 try, done' },
  ],
  [
    'reset for ever, before',
    named('reset at once'),
    { ...always, ...before },
    { ...unsettled, read: '7 reset after 2 tries' },
  ],
  [
    'reset for ever, after',
    named('reset at once'),
    { ...always, ...after },
    { ...goneAndSeen, read: '7 reset after 2 tries' },
  ],
  [
    'cut once, before',
    named('closed in the body'),
    { ...once, ...before },
    { ...unsettled, ...recovered, patch: '0 after 2 tries, done' },
  ],
  [
    'cut once, after',
    named('closed in the body'),
    { ...once, ...after },
    { ...recovered, ...seen, keyed: '0 after 1 try, done' },
  ],
  [
    'cut for ever, before',
    named('closed in the body'),
    { ...always, ...before },
    { ...unsettled, read: '7 cut after 2 tries' },
  ],
  ['cut for ever, after', named('closed in the body'), { ...always, ...after }, cutAfter],
  [
    'malformed, before',
    named('a negative length'),
    { ...always, ...before },
    {
      ...unsettled,
      delete: '8 outcome_unknown after 1 try, not done',
      read: '1 malformed after 2 tries',
    },
  ],
  ['malformed, after', named('a negative length'), { ...always, ...after }, malformedAfter],
  [
    'early hints for ever, after',
    named('early hints'),
    { ...always, ...after },
    { ...seen, read: '0 after 1 try', keyed: '0 after 1 try, done', delete: '0 after 1 try, done' },
  ],
  [
    'dripping head for ever, after',
    named('drips its head'),
    { ...always, ...after, patienceMs: 400 },
    { ...goneAndSeen, read: '7 timeout after 2 tries' },
  ],
  [
    'failure for ever, after',
    failure,
    { ...always, ...after },
    { ...goneAndSeen, read: '1 service_error after 2 tries' },
  ],
];

test.each(cases.map((each, turn) => [turn, ...each] as const))(
  'operations of turn %i end as their safety allows, and the service shows it: %s carrying out',
  async (turn, _, { misdeed }, trouble, verdicts) => {
    const told = await Promise.all(
      oneOfEach(turn).map(async (id) => [id, (await behindFront(id, { ...trouble, misdeed })).told]),
    );

    expect(Object.fromEntries(told)).toEqual(
      Object.fromEntries(oneOfEach(turn).map((id) => [id, verdicts[operations[id].safety]])),
    );
  },
);

function named(name: string): WireCase {
  const found = [resets, cuts, silences, lasting, harmless].flat().find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no case ${name}.`);
  return found;
}
