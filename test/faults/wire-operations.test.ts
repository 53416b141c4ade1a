import { expect, test } from 'vitest';
import { type OperationId, operations } from '../../src/api/operations.ts';
import type { Safety } from '../../src/http/retry.ts';
import { behindFront, type Trouble } from './behind-front.ts';
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
  keyed: '8 outcome_unknown after 2 tries, done',
};
const oneTry = {
  keyed: '8 outcome_unknown after 1 try, not done',
  delete: '8 outcome_unknown after 1 try, not done',
};

const once = { times: 1 };
const always = { times: 99 };
const before = { commits: false };
const after = { commits: true };

test.each<[string, WireCase | undefined, Omit<Trouble, 'misdeed'>, Verdicts]>([
  [
    'reset once, before',
    resets[1],
    { ...once, ...before },
    { ...unsettled, ...recovered, patch: '0 after 2 tries, done' },
  ],
  ['reset once, after', resets[1], { ...once, ...after }, { ...recovered, ...seen }],
  [
    'reset for ever, before',
    resets[1],
    { ...always, ...before },
    { ...unsettled, read: '7 reset after 2 tries' },
  ],
  [
    'reset for ever, after',
    resets[1],
    { ...always, ...after },
    { ...goneAndSeen, read: '7 reset after 2 tries' },
  ],
  [
    'cut once, before',
    cuts[1],
    { ...once, ...before },
    { ...unsettled, ...recovered, patch: '0 after 2 tries, done' },
  ],
  ['cut once, after', cuts[1], { ...once, ...after }, { ...recovered, ...seen }],
  ['cut for ever, before', cuts[1], { ...always, ...before }, { ...unsettled, read: '7 cut after 2 tries' }],
  ['cut for ever, after', cuts[1], { ...always, ...after }, { ...goneAndSeen, read: '7 cut after 2 tries' }],
  [
    'malformed, before',
    lasting[0],
    { ...always, ...before },
    { ...unsettled, ...oneTry, read: '1 malformed after 1 try' },
  ],
  [
    'malformed, after',
    lasting[0],
    { ...always, ...after },
    {
      ...seen,
      delete: '0 after 1 try, done',
      keyed: '8 outcome_unknown after 1 try, done',
      read: '1 malformed after 1 try',
    },
  ],
])(
  'every operation ends as its safety allows, and the service shows it: %s carrying out',
  async (_, broken, trouble, verdicts) => {
    const misdeed = broken?.misdeed ?? (() => {});

    const told = await Promise.all(
      everyOperation.map(async (id) => [id, (await behindFront(id, { ...trouble, misdeed })).told]),
    );

    expect(Object.fromEntries(told)).toEqual(
      Object.fromEntries(everyOperation.map((id) => [id, verdicts[operations[id].safety]])),
    );
  },
);

test.each<[string, readonly WireCase[], Omit<Trouble, 'misdeed'>, Verdicts]>([
  ['a chunk size that is none', lasting, {...always, ...after}, {}as any],
  ['longer by its length than it is', cuts, {...always, ...after}, {}as any],
  ['a length in words', lasting, {...always, ...after}, {}as any],
  ['closed before the last chunk', cuts, {...always, ...after}, {}as any],
  ['noise', lasting, {...always, ...after}, {}as any],
  ['early hints', harmless, {...always, ...after}, {}as any],
  ['drips its head', silences, {...always, ...after, patienceMs: 400}, {}as any],
  ['a failure of the service', [failure], {...always, ...after}, {}as any],
])('every operation, %s', async (name, cases, trouble, verdicts) => {
  const misdeed = cases.find((each) => each.name === name)!.misdeed;
  const told = await Promise.all(
      everyOperation.map(async (id) => [id, operations[id].safety, (await behindFront(id, { ...trouble, misdeed })).told]),
    );
  console.log(name, told.map(x=>x.join(' | ')).join('\n'));
});

// The keys of a table are its ids.
const everyOperation = Object.keys(operations) as readonly OperationId[];
