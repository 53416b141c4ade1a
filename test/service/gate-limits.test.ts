import { describe, expect, test } from 'vitest';
import { Interruption } from '../../src/cli/ports.ts';
import type { Budget } from '../../src/service/budget.ts';
import { createGate, type Pacing } from '../../src/service/gate.ts';
import type { RateLimit } from '../../src/service/rate-limit.ts';
import { fc } from '../helpers/laws.ts';
import { settled, standingClock } from './standing-clock.ts';

const left = (remaining: number, waitMs = 1_000, isCut = false): RateLimit => ({ remaining, waitMs, isCut });

/** A gate with a clock that stands, and who has passed it so far. */
function gateAt(pacing?: Pacing) {
  const clock = standingClock();
  const gate = createGate(clock);
  if (pacing !== undefined) gate.pace(pacing);
  const passed: string[] = [];
  const come = (
    name: string,
    { signal, patienceMs = 900_000, url }: { signal?: AbortSignal; patienceMs?: number; url?: string } = {},
  ) => {
    const budget: Budget = {
      signal: signal ?? new AbortController().signal,
      expired: false,
      allows: (ms) => ms < patienceMs,
      begin: () => {},
      close: () => {},
    };
    const passage = gate.passage(
      { safety: 'keyed', does: `create ${name}`, ...(url === undefined ? {} : { url }) },
      budget,
    );
    const entered = passage.enter().then(() => passed.push(name));
    const outcome = entered.then(
      () => 'passed',
      (cause: Error) => cause,
    );
    const answer = async (limit?: RateLimit, status = 200) => {
      passage.saw(status, undefined, { limit });
      passage.leave();
      await settled();
    };
    return { ...passage, outcome, answer };
  };
  const several = (count: number) => Array.from({ length: count }, () => come('MUC'));
  return { clock, gate, passed, come, several };
}

test('when no more requests are taken, everybody waits for the end of the span, and not longer', async () => {
  const { come, several, passed, clock } = gateAt({ concurrency: 4 });
  const first = come('BER');
  await settled();
  await first.answer(left(0, 5_000));
  several(3);

  await clock.move(5_000);
  const justBefore = passed.length;
  await clock.move(1);

  expect([justBefore, passed.length]).toEqual([1, 2]);
});

test('what is under way may not be counted yet: no more begin than are left beside it', async () => {
  const { several, passed, clock } = gateAt({ concurrency: 8 });
  const [first, ...others] = several(4);
  await settled();
  await first?.answer(left(5));
  several(8);
  await settled();
  const atOnce = passed.length;

  for (const [index, other] of others.entries()) await other.answer(left(4 - index));
  const after = passed.length;
  await clock.move(1_001);

  expect({ atOnce, after, later: passed.length }).toEqual({ atOnce: 6, after: 6, later: 7 });
});

test('an answer that comes late, and counts fewer requests than were made, is not taken for more room', async () => {
  const { several, passed } = gateAt({ concurrency: 2 });
  const [early, late] = several(2);
  await settled();
  await late?.answer(left(0));
  several(2);
  await early?.answer(left(1));

  expect(passed).toHaveLength(2);
});

test('a new span takes as many as an answer had left, without those that may be counted in it already', async () => {
  const { come, several, passed, clock } = gateAt({ concurrency: 16 });
  const first = come('BER');
  await settled();
  await first.answer(left(3));
  const waiting = several(16);
  await settled();
  const used = passed.length;
  for (const each of waiting.slice(0, 3)) await each.answer(left(0));
  await clock.move(1_001);

  expect([used, passed.length]).toEqual([4, 6]);
});

test('somebody else who makes requests as well leaves fewer', async () => {
  const { come, several, passed, clock } = gateAt({ concurrency: 2 });
  const first = come('BER');
  await settled();
  await first.answer(left(100));
  const [second] = several(1);
  await settled();
  await second?.answer(left(1));
  several(3);
  await settled();
  const before = passed.length;
  await clock.move(1_001);

  expect([before, passed.length]).toEqual([3, 4]);
});

test('each host has a limit of its own', async () => {
  const { come, passed, clock } = gateAt({ concurrency: 4 });
  const first = come('BER', { url: 'https://api.example.com/inventory/v1/properties' });
  await settled();
  await first.answer(left(1));
  for (const path of ['a', 'b', 'c']) come('Ana', { url: `https://identity.example.com/${path}` });
  await settled();

  expect({ passed, sleeping: clock.sleeping }).toEqual({
    passed: ['BER', 'Ana', 'Ana', 'Ana'],
    sleeping: [],
  });
});

describe('while a host lets nothing begin until a try is over that hangs,', () => {
  const identity = 'https://identity.example.com/users';
  const inventory = 'https://api.example.com/inventory/v1/properties';

  async function hanging(concurrency = 4) {
    const gate = gateAt({ concurrency });
    const [first, hung] = [gate.come('Ana', { url: identity }), gate.come('Ben', { url: identity })];
    await settled();
    await first.answer(left(0));
    return { ...gate, hung };
  }

  test('those who wait for another host begin', async () => {
    const { come, passed, clock } = await hanging();
    for (const name of ['Cleo', 'Dan']) come(name, { url: identity });
    for (const name of ['MUC', 'VIE']) come(name, { url: inventory });

    await clock.move(1_001);
    come('BER', { url: inventory });
    await settled();

    expect(passed).toEqual(['Ana', 'Ben', 'MUC', 'VIE', 'BER']);
  });

  test('the order in which they came stays the same within each host', async () => {
    const { come, passed, clock, hung } = await hanging();
    come('Cleo', { url: identity });
    const other = come('MUC', { url: inventory });
    come('Dan', { url: identity });
    await clock.move(1_001);
    await other.answer();
    await hung.answer(left(10));

    expect(passed).toEqual(['Ana', 'Ben', 'MUC', 'Cleo', 'Dan']);
  });

  test('one that waits in vain and leaves holds up nobody', async () => {
    const { come, passed, clock } = await hanging();
    const stop = new AbortController();
    const given = come('Cleo', { url: identity, signal: stop.signal });
    come('MUC', { url: inventory });
    await clock.move(1_001);
    stop.abort(new Interruption('SIGINT'));
    await settled();

    expect(await given.outcome).toEqual(new Interruption('SIGINT'));
    expect(passed).toEqual(['Ana', 'Ben', 'MUC']);
  });

  test('no more begin for another host than there is room for', async () => {
    const { come, passed, clock } = await hanging(2);
    come('Cleo', { url: identity });
    for (const name of ['MUC', 'VIE']) come(name, { url: inventory });
    await clock.move(1_001);

    expect(passed).toEqual(['Ana', 'Ben', 'MUC']);
  });
});

test('a try that was left without an answer may be counted as well', async () => {
  const { several, passed } = gateAt({ concurrency: 3 });
  const [lost, late] = several(2);
  await settled();
  lost?.leave();
  await late?.answer(left(2));
  several(3);
  await settled();

  expect(passed).toHaveLength(3);
});

test('an error that says nothing of a limit does not mean that there is none', async () => {
  const { come, several, passed, clock } = gateAt({ concurrency: 8 });
  const first = come('BER');
  await settled();
  await first.answer(left(0));
  const waiting = several(9);
  await clock.move(1_001);
  await waiting[0]?.answer(undefined, 502);
  waiting[1]?.leave();
  await settled();

  expect(passed).toHaveLength(4);
});

test('answers that say nothing of a limit any more hold nobody', async () => {
  const { come, several, passed, clock } = gateAt({ concurrency: 8 });
  const first = come('BER');
  await settled();
  await first.answer(left(0));
  const waiting = several(9);
  await clock.move(1_001);
  await waiting[0]?.answer();

  expect(passed).toHaveLength(10);
});

test('single commands are not held', async () => {
  const { come, several, passed, clock } = gateAt();
  const first = come('BER');
  await settled();
  await first.answer(left(0, 60_000));

  several(20);
  await settled();

  expect({ passed: passed.length, sleeping: clock.sleeping }).toEqual({ passed: 21, sleeping: [] });
});

test('an interruption ends the waiting, and leaves nobody asleep', async () => {
  const { come, passed, clock } = gateAt({ concurrency: 4 });
  const stop = new AbortController();
  const first = come('BER');
  await settled();
  await first.answer(left(0));
  const waiting = come('MUC', { signal: stop.signal });
  await settled();
  const during = [...clock.sleeping];
  const reason = new Interruption('SIGINT');

  stop.abort(reason);

  expect(await waiting.outcome).toBe(reason);
  expect({ during, after: clock.sleeping, passed }).toEqual({ during: [1_001], after: [], passed: ['BER'] });
});

test('who has less time than that hears when', async () => {
  const { come } = gateAt({ concurrency: 4 });
  const first = come('BER');
  await settled();
  await first.answer(left(0, 30_000));

  expect(await come('MUC', { patienceMs: 10_000 }).outcome).toMatchObject({
    code: 'rate_limited',
    exitCode: 7,
    message: expect.stringMatching(/^Could not create MUC: requests are held back, .* is due in 31 s /),
  });
});

test('whoever takes requests after a minute in which none was left, and says the same again, is not believed', async () => {
  const { come, several, passed, clock } = gateAt({ concurrency: 1 });
  const never = left(0, 60_000, true);
  const first = come('BER');
  await settled();
  await first.answer(never);
  const waiting = several(9);
  await clock.move(60_001);
  const afterOneMinute = passed.length;
  for (const each of waiting) await each.answer(never);

  expect([afterOneMinute, passed.length]).toEqual([2, 10]);
});

test('a clock that was set back makes nobody wait longer', async () => {
  const { come, several, passed, clock } = gateAt({ concurrency: 1 });
  const first = come('BER');
  await settled();
  await first.answer(left(0));
  const [second] = several(2);
  await clock.move(1_001);
  await clock.move(-3_600_000);
  await second?.answer(left(0));
  await clock.move(1_001);

  expect(passed).toHaveLength(3);
});

describe('a service that counts honestly in spans of one second', () => {
  /** Milliseconds on the way there, and back. */
  const way = fc.tuple(fc.nat(700), fc.nat(700));

  test('never has to refuse anything, however long requests and answers are on their way', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 6 }),
        fc.array(way, { minLength: 30, maxLength: 30 }),
        async (most, workers, ways) => {
          const { clock, come } = gateAt({ concurrency: workers });
          let span = -1;
          let counted = 0;
          let refused = 0;
          let served = 0;
          const forTime = (ms: number) => clock.sleep(ms, new AbortController().signal);
          const arrive = () => {
            const now = clock.now();
            if (Math.floor(now / 1_000) !== span) [span, counted] = [Math.floor(now / 1_000), 0];
            counted += 1;
            if (counted > most) refused += 1;
            return { remaining: Math.max(0, most - counted), endsAt: (span + 1) * 1_000, sent: now };
          };
          const go = async ([there, back]: readonly [number, number]) => {
            const passage = come('BER');
            await passage.outcome;
            await forTime(there);
            const { remaining, endsAt, sent } = arrive();
            await forTime(back);
            served += 1;
            await passage.answer(left(remaining, endsAt - sent));
          };

          // A run begins with one read.
          const [first = [0, 0], ...rest] = ways;
          const all = go(first).then(() => Promise.all(rest.map(go)));
          for (let ms = 0; served < ways.length && ms < 120_000; ms += 50) await clock.move(50);
          await all;

          expect({ refused, served }).toEqual({ refused: 0, served: ways.length });
        },
      ),
    );
  });
});
