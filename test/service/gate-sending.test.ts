import { expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import { Interruption } from '../../src/model/ports.ts';
import type { ServiceRequest } from '../../src/service/answer.ts';
import { createGate, type Pacing } from '../../src/service/gate.ts';
import { type Safety, WireFailure } from '../../src/service/retry.ts';
import type { SendOptions } from '../../src/service/send.ts';
import { fixed, sendWith } from './sending.ts';
import { settled, standingClock } from './standing-clock.ts';

const dropped = new WireFailure('reset', 'the connection was reset', { sent: true });
const unsent = new WireFailure('refused', 'nobody listens', { sent: false });

type Turn = { readonly status: number; readonly headers?: Record<string, string> } | Error;

/** Sends through a rate-limited gate to a service with these responses, in order. */
async function hotelChain(pacing: Pacing, turns: readonly Turn[], more: Partial<SendOptions> = {}) {
  const clock = standingClock();
  const gate = createGate(clock);
  await gate.pace(pacing);
  const seen: string[] = [];
  const send = sendWith({
    transport: {
      async request({ url, signal }) {
        signal.throwIfAborted();
        const turn = turns[seen.length] ?? { status: 204 };
        seen.push(url.slice(url.lastIndexOf('/') + 1));
        if (turn instanceof Error) throw turn;
        return { status: turn.status, headers: turn.headers ?? {}, bytes: new Uint8Array() };
      },
      close: async () => {},
    },
    clock,
    gate,
    ...more,
  });
  /** @param lookFirst called in each pause before a retry. */
  const go = async (
    safety: Safety,
    name: string,
    more: Partial<ServiceRequest> = {},
    lookFirst?: () => Promise<unknown>,
  ) => {
    const request: ServiceRequest = {
      method: safety === 'read' ? 'GET' : 'POST',
      safety,
      url: `https://api.example.com/${name}`,
      ids: [],
      effect: 'changes',
      does: `reach ${name}`,
      pauses: lookFirst !== undefined,
      ...more,
    };
    try {
      let sent = await send(request);
      while ('past' in sent) {
        await lookFirst?.();
        sent = await send(request, sent);
      }
      return `status ${sent.status}`;
    } catch (error) {
      return error instanceof CliError ? `exit ${error.exitCode}: ${error.message}` : error;
    }
  };
  /** Takes one slot of the gate, and keeps it. */
  const occupy = () => {
    const forever = { signal: new AbortController().signal, expired: false, allows: () => true };
    const budget = { ...forever, begin: () => {}, close: () => {}, reopen: () => {} };
    return gate.passage({ safety: 'read', does: 'stay' }, budget).enter();
  };
  return { clock, seen, go, occupy };
}

test.each<Safety>(['keyed', 'once', 'delete', 'patch'])(
  'a write (%s) that times out in the queue was not sent, and its outcome is known',
  async (safety) => {
    const atGate = await hotelChain({ concurrency: 1 }, [], { deadline: 1_000_020 });
    await atGate.occupy();
    const afterIt = await hotelChain({ concurrency: 1 }, [], { deadline: 999_999 });

    const waiting = atGate.go(safety, 'BER');
    await atGate.clock.move(20);

    expect([await waiting, await afterIt.go(safety, 'BER')]).toEqual(
      Array(2).fill('exit 7: Could not reach BER: the time was over before an answer came.'),
    );
    expect([atGate.seen, afterIt.seen]).toEqual([[], []]);
  },
);

test.each([
  ['on', 3_600_000],
  ['back', -3_600_000],
])('a system clock that jumps %s by an hour neither ends nor extends a pause', async (_, ms) => {
  const turns = [{ status: 503, headers: { 'retry-after': '5' } }, { status: 500 }];
  const { clock, go, seen } = await hotelChain({ concurrency: 1 }, turns, { deadline: 1_060_000 });
  const going = go('keyed', 'BER');
  await settled();

  clock.set(ms);
  await clock.move(4_999);
  const early = [...seen];
  await clock.move(2);
  clock.set(ms);
  await clock.move(2_000);

  expect({ early, outcome: await going, tries: seen.length }).toEqual({
    early: ['BER'],
    outcome: 'status 204',
    tries: 3,
  });
});

const refusing = () => Promise.reject(new CliError('blocked', 'No.', { exitCode: 11 }));

test.each<[string, readonly Turn[], Partial<SendOptions>, Partial<ServiceRequest>]>([
  ['a response', [{ status: 204 }], {}, {}],
  ['a rejection', [{ status: 422 }], {}, {}],
  ['a response that cannot be decoded', [{ status: 200, headers: { 'content-encoding': 'gzip' } }], {}, {}],
  ['a network error', [new WireFailure('tls', 'no trust', { sent: false })], {}, {}],
  ['an error that nobody foresaw', [new Error('a fault')], {}, {}],
  ['no token', [], { credentials: { ...fixed, current: refusing } }, {}],
  ['no renewed token', [{ status: 401 }], { credentials: { ...fixed, renew: refusing } }, {}],
  ['no confirmation', [], { beforeWrite: refusing }, {}],
  ['no time left', [], {}, { deadline: 1 }],
])('the slot of the gate is released after %s', async (_, turns, more, request) => {
  const chain = await hotelChain({ concurrency: 1 }, turns, more);

  const first = await chain.go('once', 'BER', request);
  const second = await chain.go('read', 'MUC', {});

  expect([first, second]).toEqual([expect.anything(), expect.not.stringMatching(/^status 200/)]);
  expect(chain.seen.at(-1) === 'MUC' || more.credentials?.current === refusing).toBe(true);
});

test('other requests pass while a write waits for its retry and reads in its pause', async () => {
  const chain = await hotelChain({ concurrency: 1 }, [{ status: 429 }]);

  const update = chain.go('patch', 'BER', {}, () => chain.go('read', 'state'));
  await settled();
  const other = await chain.go('read', 'MUC');
  await chain.clock.move(500);

  expect([await update, other]).toEqual(['status 204', 'status 204']);
  expect(chain.seen).toEqual(['BER', 'MUC', 'state', 'BER']);
});

test('waiting for the first attempt does not use up the time of an operation', async () => {
  const chain = await hotelChain({ concurrency: 2 }, [{ status: 429, headers: { 'retry-after': '600' } }]);
  const first = chain.go('read', 'BER');
  await settled();
  const deadline = chain.clock.now() + 120_000;
  const second = chain.go('once', 'MUC', { deadline });

  await chain.clock.move(600_001);

  expect(await Promise.all([first, second])).toEqual(['status 204', 'status 204']);
});

test.each<[string, Turn, Safety, unknown]>([
  ['may have been carried out', dropped, 'keyed', expect.stringMatching(/^exit 130: The outcome .* unknown/)],
  ['was certainly not sent', unsent, 'keyed', expect.any(Interruption)],
])(
  'a write that %s and waits in the queue for its retry ends when the run stops',
  async (_, turn, safety, end) => {
    const stop = new AbortController();
    const chain = await hotelChain({ concurrency: 1, stop: stop.signal }, [turn]);
    const write = chain.go(safety, 'BER');
    await settled();
    await chain.go('read', 'MUC');
    await chain.occupy();
    await chain.clock.move(500);

    stop.abort(new Interruption('SIGINT'));

    expect(await write).toEqual(end);
    expect(chain.seen).toEqual(['BER', 'MUC']);
  },
);
