import { expect, test } from 'vitest';
import type { Transport } from '../../src/model/ports.ts';
import { tracedExchange } from '../../src/service/exchange.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { get } from '../helpers/wire.ts';
import { settled, standingClock } from './standing-clock.ts';

const dropped = new WireFailure('reset', 'it closed the connection', { sent: true });

/** Exchanges with a service that takes 40 ms and then has this outcome; and all events, in order. */
function exchanging(turns: readonly (number | Error)[]) {
  const clock = standingClock();
  const happened: string[] = [];
  let tries = 0;
  const transport: Transport = {
    async request() {
      happened.push('sent');
      await clock.move(40);
      const turn = turns[tries];
      tries += 1;
      if (typeof turn !== 'number') throw turn;
      return { status: turn, headers: { etag: 'x' }, bytes: new Uint8Array() };
    },
    close: async () => {},
  };
  // The trace takes time, which is awaited.
  const trace = async (lines: readonly string[]) => {
    await settled();
    happened.push(...lines);
  };
  return { happened, options: { transport, trace, clock } };
}

const request = get('https://api.example.com/x');

test('the request is traced before it is sent, and the response with its duration before it is returned', async () => {
  const { happened, options } = exchanging([200]);

  const { status } = await tracedExchange(request, 2, options);

  expect([status, ...happened]).toEqual([
    200,
    '> GET https://api.example.com/x (try 2)',
    'sent',
    '< 200 in 40 ms',
    '<   etag: x',
  ]);
});

test('a network error is traced with its duration, and rethrown unchanged', async () => {
  const { happened, options } = exchanging([dropped]);

  await expect(tracedExchange(request, 1, options)).rejects.toBe(dropped);
  expect(happened).toEqual([
    '> GET https://api.example.com/x (try 1)',
    'sent',
    '< no answer in 40 ms: it closed the connection',
  ]);
});

test('any other error is rethrown unchanged, and not traced', async () => {
  const reason = new Error('interrupted');
  const { happened, options } = exchanging([reason]);

  await expect(tracedExchange(request, 1, options)).rejects.toBe(reason);
  expect(happened).toEqual(['> GET https://api.example.com/x (try 1)', 'sent']);
});

test('without a trace nothing is traced, and the clock is not read', async () => {
  const { happened, options } = exchanging([200]);
  const clock = {
    ...options.clock,
    monotonic: () => {
      throw new Error('the clock was read');
    },
  };

  const { status } = await tracedExchange(request, 1, { ...options, clock, trace: undefined });

  expect([status, ...happened]).toEqual([200, 'sent']);
});
