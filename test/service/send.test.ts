import { expect, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import { Interruption, type Transport, type WireRequest } from '../../src/cli/ports.ts';
import type { Credentials } from '../../src/service/exchange.ts';
import { WireFailure } from '../../src/service/failures.ts';
import { createGate } from '../../src/service/gate.ts';
import type { Safety } from '../../src/service/retry.ts';
import { createSend, failedLook, type ServiceRequest } from '../../src/service/send.ts';

/** What the service does with one try: a status with a body and headers, or a broken connection. */
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
      return { status: turn.status, headers: turn.headers ?? {}, body: chunks(turn.body ?? '') };
    },
    close: async () => {},
  };
  return { seen, waits, transport };
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  if (text !== '') yield Buffer.from(text);
}

function request(safety: Safety): ServiceRequest {
  const method = safety === 'read' ? 'GET' : safety === 'delete' ? 'DELETE' : 'POST';
  return { method, safety, url: 'https://api.example.com/x', ids: [], effect: 'changes', does: 'do it' };
}

const fixed: Credentials = {
  source: 'a test',
  grant: 'token',
  current: async () => ({ header: 'Bearer one', generation: 1 }),
  renew: async () => undefined,
};

async function send(
  safety: Safety,
  turns: readonly Turn[],
  more: {
    credentials?: Credentials;
    signal?: AbortSignal;
    sleep?: () => Promise<void>;
    deadline?: number;
    /** Looks in each pause, and says what is sent next. */
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
  const sendOnce = createSend({
    transport,
    credentials: more.credentials ?? fixed,
    trace: undefined,
    clock,
    gate: createGate(clock),
    random: () => 1,
    signal: more.signal ?? new AbortController().signal,
    deadline: more.deadline,
    maxAttempts: 3,
    maxBytes: 1_000,
    attemptTimeoutMs: 1_000,
    userAgent: 'innctl/test',
    dryRun: false,
    clean: (text) => text,
    guard: () => {},
    beforeWrite: async () => {},
  });
  const first = { ...request(safety), body: 'first', pauses: more.nextBody !== undefined };
  const untilAnswered = async () => {
    let sent = await sendOnce(first);
    while ('past' in sent) {
      const pause = sent;
      const body = await more.nextBody?.().catch((cause) => {
        throw failedLook(cause, pause);
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
  ['read', 'HTML with 200 to the end', Array(3).fill(answer(200, '<html>')), 'exit 1', 3],
  ['keyed', 'a drop, then an answer', [dropped, answer(201, '{"id":"HAM"}')], 'status 201', 2],
  ['keyed', 'three drops', [dropped, dropped, dropped], 'exit 8', 3],
  ['keyed', 'nothing ever sent', [unsent, unsent, unsent], 'exit 7', 3],
  ['keyed', 'throttled to the end', [answer(429), answer(429), answer(429)], 'exit 7', 3],
  ['keyed', 'refused at once', [answer(409)], 'exit 6', 1],
  ['keyed', 'a drop, then a conflict that may be our own', [dropped, answer(409)], 'exit 8', 2],
  ['keyed', 'a drop, then a refusal that may be of our own creation', [dropped, answer(422)], 'exit 8', 2],
  ['keyed', 'a drop, then it cannot be read', [dropped, answer(400)], 'exit 8', 2],
  ['keyed', 'a drop, then the token is refused', [dropped, answer(401)], 'exit 8', 2],
  ['keyed', 'a drop, then forbidden', [dropped, answer(403)], 'exit 8', 2],
  ['keyed', 'HTML with 200, then an answer', [answer(200, '<html>'), answer(201, '{}')], 'status 201', 2],
  ['keyed', 'HTML with 200 to the end', Array(3).fill(answer(200, '<html>')), 'exit 8', 3],
  [
    'delete',
    'HTML with 200, then it is gone',
    [answer(200, '<html>'), answer(404)],
    'status 404, in doubt',
    2,
  ],
  ['once', 'HTML with 200', [answer(200, '<html>')], 'exit 8', 1],
  ['keyed', 'no room', [answer(507)], 'exit 1', 1],
  ['delete', 'no room', [answer(507)], 'exit 1', 1],
  ['once', 'no room', [answer(507)], 'exit 1', 1],
  ['patch', 'no room', [answer(507)], 'exit 1', 1],
  ['keyed', 'a drop, then no room', [dropped, answer(507)], 'exit 8', 2],
  ['delete', 'a drop, then an answer', [dropped, answer(204)], 'status 204', 2],
  ['delete', 'a drop, then it is gone', [dropped, answer(404)], 'status 404, in doubt', 2],
  ['delete', 'a drop, then a page that says 404', [dropped, answer(404, '<html>')], 'exit 8', 2],
  ['delete', 'it was never there', [answer(404)], 'exit 3', 1],
  ['delete', 'not sent, then it was never there', [unsent, answer(404)], 'exit 3', 2],
  ['once', 'a drop', [dropped], 'exit 8', 1],
  ['once', '500', [answer(500)], 'exit 8', 1],
  ['once', 'not sent, then an answer', [unsent, answer(200, '{}')], 'status 200', 2],
  ['once', 'throttled, then an answer', [answer(429), answer(200, '{}')], 'status 200', 2],
  ['once', 'not sent, then a drop', [unsent, dropped], 'exit 8', 2],
  ['once', 'refused', [answer(422)], 'exit 6', 1],
  ['once', '503 with a wait, then a conflict that may be our own', [waiting, answer(409)], 'exit 8', 2],
  ['once', '503 with a wait, then forbidden', [waiting, answer(403)], 'exit 5', 2],
  ['once', '503 with a wait to the end', [waiting, waiting, waiting], 'exit 7', 3],
  ['patch', '503 with a wait, then a refusal that may be our own', [waiting, answer(422)], 'exit 8', 2],
  ['delete', '503 with a wait, then it is gone', [waiting, answer(404)], 'status 404, in doubt', 2],
  ['delete', 'throttled, then it was never there', [answer(429), answer(404)], 'exit 3', 2],
  ['patch', 'a drop', [dropped], 'exit 8', 1],
  ['patch', 'a text with 200', [answer(200, 'OK')], 'exit 8', 1],
  ['patch', '200 that reports an error', [answer(200, '{"error":{"code":"no"}}')], 'exit 8', 1],
  [
    'delete',
    '200 that reports messages, then it is forbidden',
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

test('waits grow, and the service’s own wish is obeyed to the millisecond', async () => {
  const grown = await send('read', [answer(503), answer(503), answer(200, '{}')]);
  const asked = await send('read', [answer(429, '', { 'retry-after': '7' }), answer(200, '{}')]);

  expect([grown.waits, asked.waits]).toEqual([[500, 1000], [7000]]);
});

test('a wait that would outlast the time there is, is not begun', async () => {
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

test('an interruption while waiting leaves a write that may have happened in doubt, and a read in none', async () => {
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

/** Bodies that are made one after the other, or what is in the way. */
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
])('after %s there is a pause, and another body may be sent', async (_, turns) => {
  const more = { credentials: renewing, nextBody: bodies('second') };

  expect(await send('patch', turns, more)).toMatchObject({
    outcome: 'status 200',
    bodies: ['first', 'second'],
  });
});

test('there is a pause before every further try, once the wait is over', async () => {
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

test('a look that fails in a pause ends the sending with its own error, and keeps a doubt', async () => {
  const missing = new CliError('not_found', 'There is no such user.', { exitCode: 3 });

  expect(await send('patch', [answer(429)], { nextBody: bodies(missing) })).toMatchObject({
    outcome: 'exit 3',
    bodies: ['first'],
  });
  expect(await send('keyed', [dropped], { nextBody: bodies(missing) })).toMatchObject({ outcome: 'exit 8' });
});
