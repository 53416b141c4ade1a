import { expect, test } from 'vitest';
import { behindFront, type Trouble } from './behind-front.ts';
import { type Misdeed, whole } from './front.ts';
import { cuts, dripping, resets, silences, type WireCase } from './wire-cases.ts';

const calm: Misdeed = (socket, answer) => socket.write(whole(answer), 'latin1');
const byName = (cases: readonly WireCase[]) =>
  cases.map((each): [string, Misdeed] => [each.name, each.misdeed]);

/** One write of each safety. */
async function writes(trouble: Trouble) {
  const told = async (id: Parameters<typeof behindFront>[0]) => (await behindFront(id, trouble)).told;
  const [keyed, deleted, patched, sentOnce] = await Promise.all([
    told('createProperty'),
    told('deleteProperty'),
    told('updateProperty'),
    told('createInvitation'),
  ]);
  return { keyed, delete: deleted, patch: patched, once: sentOnce };
}

test.each([...byName(resets), ...byName(cuts)])(
  'a read is repeated and brings what it would have brought: %s',
  async (_, misdeed) => {
    const trouble = { commits: true, times: 1 };
    const undisturbed = await behindFront('listProperties', { ...trouble, misdeed: calm });

    const { told, printed } = await behindFront('listProperties', { ...trouble, misdeed });

    expect({ told, printed }).toEqual({ ...undisturbed, told: '0 after 2 tries' });
  },
);

test.each([
  ...byName(resets).map((each) => ['reset', ...each] as const),
  ...byName(cuts).map((each) => ['cut', ...each] as const),
])('a read that goes on failing is told as %s: %s', async (code, _, misdeed) => {
  const { told } = await behindFront('listProperties', { misdeed, commits: true, times: 99 });

  expect(told).toBe(`7 ${code} after 2 tries`);
});

test.each([...byName(resets), ...byName(cuts)])(
  'a write that was carried out is found, and never made twice: %s',
  async (_, misdeed) => {
    expect(await writes({ misdeed, commits: true, times: 1 })).toEqual({
      keyed: '0 after 1 try, done',
      delete: '0 after 2 tries, done',
      patch: '0 after 1 try, done',
      once: '0 after 1 try, done',
    });
  },
);

test.concurrent.each(byName(silences))(
  'a service that falls silent is not waited for: %s',
  async (_, misdeed) => {
    const trouble = { misdeed, commits: true, patienceMs: 400 };

    const told = await Promise.all([
      behindFront('listProperties', { ...trouble, times: 99 }),
      behindFront('createInvitation', { ...trouble, times: 99 }),
    ]);

    expect(told.map((each) => each.told)).toEqual(['7 timeout after 2 tries', '0 after 1 try, done']);
  },
);

test.concurrent('a body that drips ends with the time of the command, and what was written stays in doubt', async () => {
  const trouble = { misdeed: dripping.misdeed, commits: true, times: 99, more: ['--timeout', '4'] };

  const [read, written] = await Promise.all([behindFront('listProperties', trouble), writes(trouble)]);

  expect({ read: read.told, ...written }).toEqual({
    read: '7 timeout after 1 try',
    keyed: '8 outcome_unknown after 1 try, done',
    delete: '8 outcome_unknown after 1 try, done',
    patch: '8 outcome_unknown after 1 try, done',
    once: '8 outcome_unknown after 1 try, done',
  });
});
