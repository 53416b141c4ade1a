import { expect, test } from 'vitest';
import type { Transport, WireResponse } from '../../src/model/ports.ts';
import type { ServiceRequest } from '../../src/service/answer.ts';
import { createWriteLog } from '../../src/service/exchange.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { fixed, sendWith } from './sending.ts';

const lost = new WireFailure('reset', 'the connection was reset', { sent: true, requestId: 'r-2' });
const answer = (status: number, headers = {}): WireResponse => ({
  status,
  headers,
  bytes: Buffer.from('{}'),
});

const patch: ServiceRequest = {
  method: 'PATCH',
  safety: 'patch',
  url: 'https://identity.example.com/api/v1/users/u-1?x=1',
  headers: { 'idempotency-key': 'k' },
  body: '[{"op":"replace","path":"/enabled","value":false}]',
  ids: ['u-1'],
  effect: 'changes',
  does: 'disable the user',
};

/** Sends with a service that answers in these ways, in turn. */
function sender(turns: readonly (WireResponse | Error)[]) {
  const left = [...turns];
  const transport: Transport = {
    async request() {
      const turn = left.shift() ?? new Error('one request too many');
      if (turn instanceof Error) throw turn;
      return turn;
    },
    close: async () => {},
  };
  let now = 0;
  const clock = { now: () => (now += 1_000), monotonic: () => 0, sleep: async () => {} };
  const writes = createWriteLog();
  const current = async () => ({ header: 'Bearer secret', generation: 1 });
  const send = sendWith({ transport, clock, writes, credentials: { ...fixed, current } });
  return { send, writes };
}

const sent = {
  method: 'PATCH',
  path: '/api/v1/users/u-1?x=1',
  ids: ['u-1'],
  body: [{ op: 'replace', path: '/enabled', value: false }],
};

test('every attempt of a write is kept with its time, body, status and request id, and no header', async () => {
  const { send, writes } = sender([
    answer(429, { 'retry-after': '1' }),
    answer(204, { 'x-request-id': 'r-1' }),
  ]);
  const kept = writes.keep();

  await send(patch);

  expect(kept).toEqual([
    { at: expect.any(String), ...sent, attempt: 1, status: 429, request_id: undefined },
    { at: expect.any(String), ...sent, attempt: 2, status: 204, request_id: 'r-1' },
  ]);
  expect(JSON.stringify(kept)).not.toMatch(/secret|idempotency|example\.com/);
});

test('an attempt without an answer is kept with the reason', async () => {
  const { send, writes } = sender([lost]);
  const kept = writes.keep();

  await expect(send(patch)).rejects.toMatchObject({ exitCode: 8 });

  expect(kept).toEqual([
    { at: expect.any(String), ...sent, attempt: 1, failure: 'the connection was reset', request_id: 'r-2' },
  ]);
});

test('an attempt that was interrupted is kept', async () => {
  const { send, writes } = sender([new Error('aborted')]);
  const kept = writes.keep();

  await expect(send(patch)).rejects.toThrow();

  expect(kept).toEqual([
    { at: expect.any(String), ...sent, attempt: 1, failure: 'innctl was interrupted before an answer came' },
  ]);
});

test('reads are not kept, and writes only once a command asks for them', async () => {
  const { send, writes } = sender([answer(204), answer(200), answer(204)]);
  await send(patch);
  const kept = writes.keep();

  await send({ ...patch, method: 'GET', safety: 'read', body: undefined });
  await send(patch);

  expect(kept).toEqual([{ at: expect.any(String), ...sent, attempt: 1, status: 204, request_id: undefined }]);
});
