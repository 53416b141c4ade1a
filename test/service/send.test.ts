import { expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import { Interruption, type Transport, type WireRequest } from '../../src/model/ports.ts';
import type { ServiceRequest } from '../../src/service/answer.ts';
import type { Credentials } from '../../src/service/exchange.ts';
import { type Safety, WireFailure } from '../../src/service/retry.ts';
import { endedBy } from '../../src/service/send.ts';
import { fixed, sendWith } from './sending.ts';

/** The outcome of one attempt: a status with body and headers, or a network error. */
type Turn =
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | WireFailure;

const dropped = new WireFailure('reset', 'the connection was reset', { sent: true });
const unsent = new WireFailure('refused', 'nobody listens', { sent: false });
const answer = (status: number, body = '', headers: Record<string, string> = {}): Turn => ({
  status,
  body,
  headers,
});
const waiting = answer(503, '', { 'retry-after': '1' });

function service(turns: readonly Turn[]) {
  const seen: WireRequest[] = [];
  const waits: number[] = [];
  const transport: Transport = {
    async request(request) {
      const turn = turns[seen.length];
      seen.push(request);
      if (turn === undefined) throw new Error('one request too many');
      if (turn instanceof WireFailure) throw turn;
      return { status: turn.status, headers: turn.headers ?? {}, bytes: Buffer.from(turn.body ?? '') };
    },
    close: async () => {},
  };
  return { seen, waits, transport };
}

function request(safety: Safety): ServiceRequest {
  const method = safety === 'read' ? 'GET' : safety === 'delete' ? 'DELETE' : 'POST';
  return { method, safety, url: 'https://api.example.com/x', ids: [], effect: 'changes', does: 'do it' };
}

async function send(
  safety: Safety,
  turns: readonly Turn[],
  more: {
    credentials?: Credentials;
    signal?: AbortSignal;
    sleep?: () => Promise<void>;
    deadline?: number;
    /** Looks up the record in each pause, and returns the next body. */
    nextBody?: () => Promise<string | undefined>;
  } = {},
) {
  const { seen, waits, transport } = service(turns);
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: async (ms: number) => {
      waits.push(ms);
      await more.sleep?.();
    },
  };
  const { sleep: _, nextBody: __, ...options } = more;
  const sendOnce = sendWith({ transport, clock, ...options });
  const first = { ...request(safety), body: 'first', pauses: more.nextBody !== undefined };
  const untilAnswered = async () => {
    let sent = await sendOnce(first);
    while ('past' in sent) {
      const pause = sent;
      const body = await more.nextBody?.().catch((cause) => {
        throw endedBy(cause, pause.sending);
      });
      sent = await sendOnce({ ...first, body }, pause);
    }
    return `status ${sent.status}${sent.doubt === undefined ? '' : ', in doubt'}`;
  };
  const outcome = await untilAnswered().catch((error) =>
    error instanceof CliError ? `exit ${error.exitCode}` : error,
  );
  return {
    outcome,
    waits,
    tokens: seen.map(({ headers }) => headers['authorization']),
    bodies: seen.map(({ body }) => body),
  };
}

test.each<[Safety, string, readonly Turn[], string, number]>([
  ['read', 'a drop, then an answer', [dropped, answer(200, '{}')], 'status 200', 2],
  ['read', 'three drops', [dropped, dropped, dropped], 'exit 7', 3],
  ['read', '500 three times', [answer(500), answer(500), answer(500)], 'exit 1', 3],
  ['read', '503 three times', [answer(503), answer(503), answer(503)], 'exit 7', 3],
  ['read', '404', [answer(404)], 'exit 3', 1],
  ['read', '501', [answer(501)], 'exit 1', 1],
  ['read', 'HTML with 200, then an answer', [answer(200, '<html>'), answer(200, '{}')], 'status 200', 2],
  ['read', 'HTML with 200 on every attempt', Array(3).fill(answer(200, '<html>')), 'exit 1', 3],
  ['keyed', 'a drop, then an answer', [dropped, answer(201, '{"id":"HAM"}')], 'status 201', 2],
  ['keyed', 'three drops', [dropped, dropped, dropped], 'exit 8', 3],
  ['keyed', 'three attempts that are not sent', [unsent, unsent, unsent], 'exit 7', 3],
  ['keyed', '429 on every attempt', [answer(429), answer(429), answer(429)], 'exit 7', 3],
  ['keyed', 'a rejection', [answer(409)], 'exit 6', 1],
  [
    'keyed',
    'a drop, then a conflict that the first attempt may have caused',
    [dropped, answer(409)],
    'exit 8',
    2,
  ],
  [
    'keyed',
    'a drop, then a rejection that the first attempt may have caused',
    [dropped, answer(422)],
    'exit 8',
    2,
  ],
  ['keyed', 'a drop, then 400', [dropped, answer(400)], 'exit 8', 2],
  ['keyed', 'a drop, then 401', [dropped, answer(401)], 'exit 8', 2],
  ['keyed', 'a drop, then forbidden', [dropped, answer(403)], 'exit 8', 2],
  ['keyed', 'HTML with 200, then an answer', [answer(200, '<html>'), answer(201, '{}')], 'status 201', 2],
  ['keyed', 'HTML with 200 on every attempt', Array(3).fill(answer(200, '<html>')), 'exit 8', 3],
  ['delete', 'HTML with 200, then 404', [answer(200, '<html>'), answer(404)], 'status 404, in doubt', 2],
  ['once', 'HTML with 200', [answer(200, '<html>')], 'exit 8', 1],
  ['keyed', 'no space (507)', [answer(507)], 'exit 1', 1],
  ['patch', 'no space (507)', [answer(507)], 'exit 1', 1],
  ['keyed', 'a drop, then no space (507)', [dropped, answer(507)], 'exit 8', 2],
  ['delete', 'a drop, then an answer', [dropped, answer(204)], 'status 204', 2],
  ['delete', 'a drop, then 404', [dropped, answer(404)], 'status 404, in doubt', 2],
  ['delete', 'a drop, then 404 with an HTML page', [dropped, answer(404, '<html>')], 'exit 8', 2],
  ['delete', '404', [answer(404)], 'exit 3', 1],
  ['delete', 'not sent, then 404', [unsent, answer(404)], 'exit 3', 2],
  ['once', 'a drop', [dropped], 'exit 8', 1],
  ['once', '500', [answer(500)], 'exit 8', 1],
  ['once', 'not sent, then an answer', [unsent, answer(200, '{}')], 'status 200', 2],
  ['once', 'throttled, then an answer', [answer(429), answer(200, '{}')], 'status 200', 2],
  ['once', 'not sent, then a drop', [unsent, dropped], 'exit 8', 2],
  ['once', 'a rejection', [answer(422)], 'exit 6', 1],
  [
    'once',
    '503 with Retry-After, then a conflict that the first attempt may have caused',
    [waiting, answer(409)],
    'exit 8',
    2,
  ],
  ['once', '503 with Retry-After, then forbidden', [waiting, answer(403)], 'exit 5', 2],
  ['once', '503 with Retry-After on every attempt', [waiting, waiting, waiting], 'exit 7', 3],
  [
    'patch',
    '503 with Retry-After, then a rejection that the first attempt may have caused',
    [waiting, answer(422)],
    'exit 8',
    2,
  ],
  ['delete', '503 with Retry-After, then 404', [waiting, answer(404)], 'status 404, in doubt', 2],
  ['delete', 'throttled, then 404', [answer(429), answer(404)], 'exit 3', 2],
  ['patch', 'a drop', [dropped], 'exit 8', 1],
  ['patch', 'plain text with 200', [answer(200, 'OK')], 'exit 8', 1],
  ['patch', '200 that reports an error', [answer(200, '{"error":{"code":"no"}}')], 'exit 8', 1],
  [
    'delete',
    '200 that reports messages, then 403',
    [answer(200, '{"messages":["not allowed"]}'), answer(403)],
    'exit 8',
    2,
  ],
  ['once', '200 that reports no success', [answer(200, '{"success":false}')], 'exit 8', 1],
  ['once', '200 without an error', [answer(200, '{"error":null,"messages":[]}')], 'status 200', 1],
  ['read', 'a record with a field named error', [answer(200, '{"error":"text"}')], 'status 200', 1],
])('%s: after %s', async (safety, _, turns, outcome, tries) => {
  const result = await send(safety, turns);

  expect({ outcome: result.outcome, tries: result.tokens.length }).toEqual({ outcome, tries });
});

test('delays grow, and Retry-After is obeyed to the millisecond', async () => {
  const grown = await send('read', [answer(503), answer(503), answer(200, '{}')]);
  const requested = await send('read', [answer(429, '', { 'retry-after': '7' }), answer(200, '{}')]);

  expect([grown.waits, requested.waits]).toEqual([[500, 1000], [7000]]);
});

test('no retry waits beyond the deadline', async () => {
  const late = await send('read', [answer(429, '', { 'retry-after': '121' })]);
  const bounded = await send('read', [answer(503)], { deadline: 400 });

  expect([late, bounded].map(({ outcome, waits }) => ({ outcome, waits }))).toEqual([
    { outcome: 'exit 7', waits: [] },
    { outcome: 'exit 7', waits: [] },
  ]);
});

test('after a 401 the token is renewed once', async () => {
  const credentials: Credentials = {
    ...fixed,
    renew: async ({ generation }) => ({ header: 'Bearer two', generation: generation + 1 }),
  };

  const recovered = await send('read', [answer(401), answer(200, '{}')], { credentials });
  const dead = await send('read', [answer(401), answer(401)], { credentials });

  expect(recovered).toMatchObject({ outcome: 'status 200', tokens: ['Bearer one', 'Bearer two'], waits: [] });
  expect(dead).toMatchObject({ outcome: 'exit 4', tokens: ['Bearer one', 'Bearer two'] });
});

test('an interruption during a wait leaves the outcome of a possibly sent write unknown, but not of a read', async () => {
  const interrupted = async (safety: Safety, first: Turn) => {
    const stop = new AbortController();
    const reason = new Interruption('SIGINT');
    const sleep = async () => {
      stop.abort(reason);
      throw reason;
    };
    return (await send(safety, [first], { signal: stop.signal, sleep })).outcome;
  };

  expect(await interrupted('keyed', dropped)).toBe('exit 130');
  expect(await interrupted('keyed', unsent)).toBeInstanceOf(Interruption);
  expect(await interrupted('read', dropped)).toBeInstanceOf(Interruption);
});

const renewing: Credentials = {
  ...fixed,
  renew: async () => ({ header: 'Bearer two', generation: 2 }),
};

/** Bodies in order; an error is thrown. */
function bodies(...made: readonly (string | Error)[]) {
  const left = [...made];
  return async () => {
    const next = left.shift();
    if (next instanceof Error) throw next;
    return next;
  };
}

test.each<[string, readonly Turn[]]>([
  ['429', [answer(429), answer(200)]],
  ['503 with Retry-After', [answer(503, '', { 'retry-after': '1' }), answer(200)]],
  ['a connection that was refused', [unsent, answer(200)]],
  ['a token that was renewed', [answer(401), answer(200)]],
])('after %s the send pauses, and another body may be sent', async (_, turns) => {
  const more = { credentials: renewing, nextBody: bodies('second') };

  expect(await send('patch', turns, more)).toMatchObject({
    outcome: 'status 200',
    bodies: ['first', 'second'],
  });
});

test('the send pauses before every retry, after the delay', async () => {
  const order: string[] = [];
  const sleep = async () => {
    order.push('wait');
  };
  const nextBody = async () => {
    order.push('look');
    return `body ${order.length}`;
  };

  const result = await send('patch', [answer(429), unsent, answer(200)], { sleep, nextBody });

  expect({ order, bodies: result.bodies }).toEqual({
    order: ['wait', 'look', 'wait', 'look'],
    bodies: ['first', 'body 2', 'body 4'],
  });
});

test('a lookup that fails in a pause ends the send with its own error, or keeps an unknown outcome', async () => {
  const missing = new CliError('not_found', 'There is no such user.', { exitCode: 3 });

  expect(await send('patch', [answer(429)], { nextBody: bodies(missing) })).toMatchObject({
    outcome: 'exit 3',
    bodies: ['first'],
  });
  expect(await send('keyed', [dropped], { nextBody: bodies(missing) })).toMatchObject({ outcome: 'exit 8' });
});
