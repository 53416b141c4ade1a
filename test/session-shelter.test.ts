import { Command } from '@commander-js/extra-typings';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Context, Interruption, type Sink } from '../src/model/ports.ts';
import { createRedactor } from '../src/model/redaction.ts';
import { createShelter } from '../src/service/budget.ts';
import { connectUndici } from '../src/service/wire/undici.ts';
import { type Session, withSession } from '../src/session/session.ts';
import { memoryKeyring } from './helpers/cli.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { httpServer } from './helpers/servers.ts';

const reason = new Interruption('SIGINT');

let folder = '';

beforeEach(async () => {
  folder = await temporaryFolder();
});

const quiet: Sink = { isTerminal: false, columns: 80, rows: 24, write: async () => {} };
const unexpected = () => Promise.reject(new Error('nobody is asked'));

function contextAt(url: string, signal: AbortSignal): Context {
  return {
    version: '0.0.0-test',
    node: '20.19.0',
    env: {
      INNCTL_CONFIG_DIR: folder,
      INNCTL_IDENTITY_URL: url,
      INNCTL_BASE_URL: url,
      INNCTL_TOKEN: 'token-of-ana-1234567890',
    },
    platform: 'linux',
    home: folder,
    pid: 4711,
    uid: undefined,
    stdin: {
      isTerminal: false,
      spent: false,
      ends: signal,
      limit: () => {},
      read: async () => new Uint8Array(),
    },
    stdout: quiet,
    annotations: quiet,
    unmasked: quiet,
    stderr: quiet,
    clock: {
      now: Date.now,
      monotonic: Date.now,
      sleep: async (_ms, abortSignal) => abortSignal.throwIfAborted(),
    },
    random: () => 0.5,
    uuid: () => '11111111-2222-4333-8444-555555555555',
    signal,
    forced: new AbortController().signal,
    prompter: {
      text: unexpected,
      secret: unexpected,
      confirm: unexpected,
      choose: unexpected,
      chooseSeveral: unexpected,
    },
    connect: connectUndici,
    keyring: memoryKeyring(),
    openBrowser: async () => false,
    openPager: async () => undefined,
    argv: [],
    redactor: createRedactor(),
    presentation: { json: false, colour: false, held: [] },
  };
}

/** Runs a session against a service that interrupts the run at the first request, and then answers. */
async function interrupted(body: (session: Session) => Promise<unknown>) {
  const stop = new AbortController();
  const requests: string[] = [];
  await using server = await httpServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    stop.abort(reason);
    response.setHeader('content-type', 'application/json').end('{"roles":[]}');
  });
  const open = withSession(contextAt(server.origin, stop.signal), (session, _: unknown) =>
    body(session).then(() => {}),
  );
  const outcome = await open(new Command().option('--no-input')).then(
    () => 'done',
    (cause) => cause,
  );
  return { outcome, requests };
}

const read = async ({ api }: Session, path = '/api/v1/roles') => {
  const { status } = await api.raw.send({ method: 'GET', path, query: '' });
  return status;
};

test('an interruption aborts a request in flight', async () => {
  expect(await interrupted(read)).toEqual({ outcome: reason, requests: ['GET /api/v1/roles'] });
});

test('an interruption does not abort sheltered work, including further requests', async () => {
  const statuses: number[] = [];

  const { outcome, requests } = await interrupted((session) =>
    session.sheltered(async () => {
      statuses.push(await read(session));
      statuses.push(await read(session, '/api/v1/users'));
    }),
  );

  expect({ outcome, requests, statuses }).toEqual({
    outcome: 'done',
    requests: ['GET /api/v1/roles', 'GET /api/v1/users'],
    statuses: [200, 200],
  });
});

test('after an interruption no request is sent outside the shelter', async () => {
  const ended = await interrupted(async (session) => {
    await session.sheltered(() => read(session));
    await read(session);
  });

  expect(ended).toEqual({ outcome: reason, requests: ['GET /api/v1/roles'] });
});

test('after an interruption no sheltered work is started', async () => {
  let started = 0;

  const ended = await interrupted(async (session) => {
    await session.sheltered(() => read(session));
    await session.sheltered(async () => {
      started += 1;
    });
  });

  expect({ ...ended, started }).toEqual({ outcome: reason, requests: ['GET /api/v1/roles'], started: 0 });
});

test('a queued write is not sent after the pace is stopped', async () => {
  const stop = new AbortController();
  const outcomes: unknown[] = [];
  await using server = await httpServer((_, response) => {
    stop.abort(reason);
    response.writeHead(204).end();
  });
  const { signal } = new AbortController();
  const open = withSession(contextAt(server.origin, signal), async (session, _: unknown) => {
    await session.pace({ concurrency: 1, stop: stop.signal });
    const withdraw = (email: string) => session.api.invitations.delete(email, { verify: false });
    const ended = await Promise.allSettled([withdraw('ana@example.com'), withdraw('ben@example.com')]);
    outcomes.push(...ended.map((each) => (each.status === 'rejected' ? each.reason : each.status)));
  });

  await open(new Command().option('--no-input'));

  expect(outcomes).toEqual(['fulfilled', reason]);
});

test('a shelter aborts its work 30 seconds after the interruption', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const run = new AbortController();
  const { signal, sheltered } = createShelter(run.signal);
  const ended = sheltered(
    () => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
  );
  run.abort(reason);

  vi.advanceTimersByTime(29_999);
  const during = signal.aborted;
  vi.advanceTimersByTime(1);

  expect({ during, ended: await ended }).toEqual({ during: false, ended: reason });
});
