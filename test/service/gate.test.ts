import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { Interruption } from '../../src/model/ports.ts';
import type { Budget } from '../../src/service/budget.ts';
import { createGate, type Gate, type Pacing } from '../../src/service/gate.ts';
import type { Safety } from '../../src/service/retry.ts';
import { settled, standingClock } from './standing-clock.ts';

/** A gate with a manual clock, and the names that have passed it. */
async function gateAt(pacing?: Pacing) {
  const clock = standingClock();
  const gate = createGate(clock);
  if (pacing !== undefined) await gate.pace(pacing);
  const passed: string[] = [];
  const request = (
    name: string,
    more: { safety?: Safety; signal?: AbortSignal; patienceMs?: number } = {},
  ) => {
    const { safety = 'keyed', patienceMs = 900_000 } = more;
    const budget: Budget = {
      signal: more.signal ?? new AbortController().signal,
      expired: false,
      allows: (ms) => ms < patienceMs,
      begin: () => {},
      close: () => {},
      reopen: () => {},
    };
    const passage = gate.passage({ safety, does: `create ${name}` }, budget);
    const entered = passage.enter().then(() => passed.push(name));
    const outcome = entered.then(
      () => 'passed',
      (cause: Error) => cause,
    );
    return { ...passage, outcome };
  };
  return { clock, gate, passed, request };
}

test('a gate without a rate limit lets all requests pass, whatever Retry-After says', async () => {
  const { request, passed, clock, gate } = await gateAt();
  const first = request('BER');
  await settled();
  first.saw({ status: 429, retryAfterMs: 60_000 });

  for (let others = 0; others < 99; others += 1) request('MUC');
  await settled();

  expect({ passed: passed.length, sleeping: clock.sleeping, operationMs: gate.operationMs }).toEqual({
    passed: 100,
    sleeping: [],
    operationMs: 120_000,
  });
});

test('no more requests than the limit are in flight, and the others are queued in order', async () => {
  const { request, passed } = await gateAt({ concurrency: 2 });
  const [ber, muc] = ['BER', 'MUC', 'VIE', 'HAM', 'ZRH'].map((name) => request(name));
  await settled();
  const atFirst = [...passed];

  muc?.leave();
  muc?.leave();
  await settled();
  const afterOne = [...passed];
  ber?.leave();
  await settled();

  expect({ atFirst, afterOne, passed }).toEqual({
    atFirst: ['BER', 'MUC'],
    afterOne: ['BER', 'MUC', 'VIE'],
    passed: ['BER', 'MUC', 'VIE', 'HAM'],
  });
});

describe('a throttling service', () => {
  test.each([429, 503])(
    'holds all requests with a Retry-After of %s, until that time exactly',
    async (status) => {
      const { request, passed, clock } = await gateAt({ concurrency: 4 });
      const first = request('BER');
      await settled();
      first.saw({ status, retryAfterMs: 7_000 });
      first.leave();
      for (const name of ['MUC', 'VIE']) request(name);

      await clock.move(6_999);
      const justBefore = [...passed];
      await clock.move(1);

      expect({ justBefore, passed }).toEqual({ justBefore: ['BER'], passed: ['BER', 'MUC', 'VIE'] });
    },
  );

  test('can extend the pause with a later Retry-After, but not shorten it', async () => {
    const { request, passed, clock } = await gateAt({ concurrency: 8 });
    const [ber, muc] = ['BER', 'MUC'].map((name) => request(name));
    await settled();
    ber?.saw({ status: 429, retryAfterMs: 1_000 });
    request('VIE');
    await settled();
    muc?.saw({ status: 429, retryAfterMs: 3_000 });
    ber?.saw({ status: 503, retryAfterMs: 10 });

    await clock.move(1_001);
    const early = [...passed];
    await clock.move(2_000);

    expect({ early, passed }).toEqual({ early: ['BER', 'MUC'], passed: ['BER', 'MUC', 'VIE'] });
  });

  test('is not waited for beyond the deadline: waiting requests fail with the due time', async () => {
    const { request, passed, clock } = await gateAt({ concurrency: 1 });
    const first = request('BER');
    const waiting = request('MUC', { patienceMs: 60_000 });
    const patient = request('VIE', { patienceMs: 120_000 });
    await settled();
    first.saw({ status: 429, retryAfterMs: 90_000 });
    first.leave();
    await settled();

    const due = '(1970-01-01T00:18:10.000Z), later than there is time for.';
    expect(await waiting.outcome).toMatchObject({
      code: 'rate_limited',
      exitCode: 7,
      message: `Could not create MUC: requests are held back, as the service or --max-rps asks. The next try is due in 90 s ${due}`,
    });
    await clock.move(90_000);
    expect(await patient.outcome).toBe('passed');
    expect(passed).toEqual(['BER', 'VIE']);
  });

  test('is reported with the last response of the operation, if there was one', async () => {
    const { request } = await gateAt({ concurrency: 2 });
    const first = request('BER', { patienceMs: 60_000 });
    await first.outcome;
    first.saw({ status: 429, retryAfterMs: 90_000, requestId: 'T-1' });
    first.leave();

    const again = first.enter();
    const other = request('MUC', { patienceMs: 60_000 });

    await expect(again).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
      requestId: 'T-1',
    });
    expect(await other.outcome).toMatchObject({ code: 'rate_limited', status: undefined });
  });
});

test('no more attempts start in a second than --max-rps allows', async () => {
  const { request, passed, clock } = await gateAt({ concurrency: 10, maxRps: 4 });
  for (const name of ['BER', 'MUC', 'VIE', 'HAM']) request(name);
  await settled();
  const counts = [passed.length];

  for (const ms of [249, 1, 250, 249, 1]) {
    await clock.move(ms);
    counts.push(passed.length);
  }

  expect(counts).toEqual([1, 1, 2, 3, 3, 4]);
});

test.each([1, 3])('gates that a service refuses learn how much it takes: %i at a time', async (processes) => {
  const clock = standingClock();
  const start = clock.monotonic();
  // At most 100 in any second, as a service counts that looks back.
  let taken: number[] = [];
  const refused: number[] = [];
  const isTaken = () => {
    taken = taken.filter((at) => at > clock.monotonic() - 1000);
    return taken.length < 100 && taken.push(clock.monotonic()) > 0;
  };
  let left = 1200;
  const work = async (gate: Gate) => {
    const budget = { expired: false, allows: () => true, begin: () => {}, close: () => {}, reopen: () => {} };
    const { signal } = new AbortController();
    for (let isDone = true; left > 0 || !isDone; ) {
      if (isDone) left -= 1;
      const passage = gate.passage({ safety: 'keyed', does: 'create BER' }, { ...budget, signal });
      await passage.enter();
      isDone = isTaken();
      if (!isDone) refused.push(clock.monotonic());
      await clock.sleep(10, signal);
      passage.saw({ status: isDone ? 201 : 429, retryAfterMs: isDone ? undefined : 1000 });
      passage.leave();
    }
  };
  const workers = await Promise.all(
    Array.from({ length: processes }, async () => {
      const gate = createGate(clock);
      await gate.pace({ concurrency: 12 });
      return Array.from({ length: 12 }, () => work(gate));
    }),
  );
  let isOver = false;
  const all = Promise.all(workers.flat()).then(() => (isOver = true));
  while (!isOver) await clock.move(5);
  await all;

  const seconds = (clock.monotonic() - start) / 1000;
  expect(1200 / seconds).toBeGreaterThan(88);
  expect(refused.filter((at) => at > start + 4500)).toEqual([]);
});

test('a clock that never advances lets all requests pass', async () => {
  const gate = createGate({
    now: () => 0,
    monotonic: () => 0,
    sleep: async (_ms, signal) => signal.throwIfAborted(),
  });
  await gate.pace({ concurrency: 2, maxRps: 1 });
  const budget = { expired: false, allows: () => true, begin: () => {}, close: () => {}, reopen: () => {} };
  const passages = Array.from({ length: 20 }, () =>
    gate.passage({ safety: 'read', does: 'list' }, { ...budget, signal: new AbortController().signal }),
  );

  const all = passages.map(async ({ enter, saw, leave }) => {
    await enter();
    saw({ status: 429, retryAfterMs: 60_000 });
    leave();
  });

  expect(await Promise.allSettled(all)).toEqual(all.map(() => ({ status: 'fulfilled', value: undefined })));
});

describe('an aborted request', () => {
  test('leaves the queue with the reason, and the others keep their order', async () => {
    const { request, passed } = await gateAt({ concurrency: 1 });
    const stop = new AbortController();
    const first = request('BER');
    const called = request('MUC', { signal: stop.signal });
    request('VIE');
    await settled();
    const reason = new Interruption('SIGINT');

    stop.abort(reason);
    first.leave();
    await settled();

    expect({ reason: await called.outcome, passed }).toEqual({ reason, passed: ['BER', 'VIE'] });
  });

  test('leaves no timer, and the next request sets its own', async () => {
    const { request, passed, clock } = await gateAt({ concurrency: 4 });
    const stop = new AbortController();
    const first = request('BER');
    await settled();
    first.saw({ status: 429, retryAfterMs: 5_000 });
    const called = request('MUC', { signal: stop.signal });
    await settled();
    const during = [...clock.sleeping];

    stop.abort(new Interruption('SIGINT'));
    await called.outcome;
    const after = [...clock.sleeping];
    request('VIE');
    await settled();
    await clock.move(5_001);

    expect({ during, after, passed }).toEqual({ during: [5_000], after: [], passed: ['BER', 'VIE'] });
  });
});

test('the stop of a run ends the wait of writes, but not of reads, which settle unknown outcomes', async () => {
  const stop = new AbortController();
  const { request, passed } = await gateAt({ concurrency: 1, stop: stop.signal });
  const reason = new Interruption('SIGINT');
  const first = request('BER');
  const write = request('MUC', { safety: 'patch' });
  request('VIE', { safety: 'read' });
  await settled();

  stop.abort(reason);
  const late = request('HAM', { safety: 'once' });
  await settled();
  first.leave();
  await settled();

  expect({ reasons: [await write.outcome, await late.outcome], passed }).toEqual({
    reasons: [reason, reason],
    passed: ['BER', 'VIE'],
  });
});

test('many workers listen to one stop signal without a MaxListeners warning of Node', async () => {
  const warnings: unknown[] = [];
  const listen = (warning: Error) => warnings.push(warning.message);
  process.on('warning', listen);
  const { request } = await gateAt({ concurrency: 1, stop: new AbortController().signal });

  for (let workers = 0; workers < 64; workers += 1) request('BER');
  await settled();

  process.off('warning', listen);
  expect(warnings).toEqual([]);
});

test('the stop of a run ends the pause before the retry of a write, but not of a read', async () => {
  const stop = new AbortController();
  const { request, clock } = await gateAt({ concurrency: 2, stop: stop.signal });
  const reason = new Interruption('SIGINT');
  const write = request('BER').pause(5_000);
  const read = request('MUC', { safety: 'read' }).pause(6_000);

  stop.abort(reason);

  await expect(write).rejects.toBe(reason);
  expect(clock.sleeping).toEqual([6_000]);
  await clock.move(6_000);
  await read;
});

test('a finished pause leaves no listener on the stop signal', async () => {
  const stop = new AbortController();
  const { request, clock } = await gateAt({ concurrency: 2, stop: stop.signal });
  const pause = request('BER').pause(5_000);
  await settled();
  const during = getEventListeners(stop.signal, 'abort').length;
  await clock.move(5_000);
  await pause;

  expect([during, getEventListeners(stop.signal, 'abort').length]).toEqual([1, 0]);
});

test.each<[string, Pacing | undefined, number]>([
  ['three without a rate limit', undefined, 3],
  ['the other slots of the concurrency', { concurrency: 2 }, 1],
  ['none with a concurrency of one', { concurrency: 1 }, 0],
  ['none where attempts are spaced by --max-rps', { concurrency: 8, maxRps: 5 }, 0],
])('reads may be prefetched: %s', async (_, pacing, ahead) => {
  expect((await gateAt(pacing)).gate.ahead).toBe(ahead);
});
