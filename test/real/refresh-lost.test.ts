import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { rawServer, type TestServer } from '../helpers/servers.ts';
import { type Identity, startIdentity } from './identity.ts';
import { logAnaIn, storedOf } from './logged-in.ts';

beforeAll(() => setup(), 120_000);

/** What happens to a token request on its way, and to its answer. */
interface Way {
  /** Called with the whole request, before it is passed on; `false` keeps it from the server. */
  readonly onRequest?: () => boolean;
  /** How much of the answer comes back before the connection is cut; all of it otherwise. */
  readonly answered?: number;
}

/** Stands before the token endpoint. */
function wayTo({ port }: Identity, { onRequest = () => true, answered = Number.POSITIVE_INFINITY }: Way) {
  return rawServer((client) => {
    const server = connect(port, '127.0.0.1').on('error', () => client.destroy());
    client.on('close', () => server.destroy());
    client.on('data', (chunk) => {
      if (!chunk.includes('grant_type=') || onRequest()) server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (answered > chunk.length) return void client.write(chunk);
      client.write(chunk.subarray(0, answered));
      client.destroySoon();
    });
  });
}

const tokenUrlAt = ({ origin }: TestServer) => `${origin}/connect/token`;

const list = ['properties', 'list', '--json'];

async function failureOf(home: Home, env: Readonly<Record<string, string>>) {
  const { exitCode, stdout, stderr } = await home.innctl(list, env);
  return { exitCode, stdout, ...JSON.parse(stderr).error };
}

const lost = {
  exitCode: 4,
  stdout: '',
  code: 'login_lost',
  message: expect.stringContaining('is not sent again: a server that sees it twice ends the whole login.'),
  hint: 'innctl login --profile hotels',
};

test.each([
  ['before its head', 0],
  ['in its head', 20],
])(
  'a connection that ends %s, when the server has used the token up: it is sent once, by all processes together',
  async (_, answered) => {
    await using identity = await startIdentity();
    await using home = await openHome();
    await using way = await wayTo(identity, { answered });
    const env = await logAnaIn(home, identity, { tokenUrl: tokenUrlAt(way), expiresAt: 0 });

    expect(await failureOf(home, env)).toMatchObject(lost);
    expect(await failureOf(home, env)).toMatchObject({
      ...lost,
      message: expect.stringMatching(/^The answer to the last refresh of profile hotels was lost\./),
    });

    expect(way.connections).toHaveLength(1);
    expect(identity.refreshes()).toMatchObject([{ status: 200 }]);
  },
);

test('a process that is killed while it waits for the answer: no other one sends the token again', async () => {
  await using identity = await startIdentity();
  await using home = await openHome();
  let child: ChildProcess | undefined;
  await using way = await wayTo(identity, { onRequest: () => child?.kill('SIGKILL') !== true });
  const env = await logAnaIn(home, identity, { tokenUrl: tokenUrlAt(way), expiresAt: 0 });

  const killed = await home.run([process.execPath, 'bin/innctl.js', ...list], {
    env,
    cwd: process.cwd(),
    started: (started) => {
      child = started;
    },
  });

  expect(killed).toMatchObject({ exitCode: null, stdout: '' });
  expect(await failureOf(home, env)).toMatchObject(lost);
  expect([way.connections.length, identity.refreshes()]).toEqual([1, []]);
});

test('an interruption while the answer is waited for: the run ends, and what the answer brings is kept', async () => {
  await using identity = await startIdentity();
  await using home = await openHome();
  let child: ChildProcess | undefined;
  await using way = await wayTo(identity, { onRequest: () => child?.kill('SIGINT') === true });
  const env = await logAnaIn(home, identity, { tokenUrl: tokenUrlAt(way), expiresAt: 0 });
  const before = await storedOf(home);

  const interrupted = await home.run([process.execPath, 'bin/innctl.js', ...list], {
    env,
    cwd: process.cwd(),
    started: (started) => {
      child = started;
    },
  });

  expect(interrupted).toMatchObject({ exitCode: 130, stdout: '' });
  const after = await storedOf(home);
  expect(after.secrets.refresh_token).not.toBe(before.secrets.refresh_token);
  expect(after.login).not.toHaveProperty('refresh_begun');
  expect(await home.innctl(list, env)).toMatchObject({ exitCode: 0 });
  expect(identity.refreshes()).toMatchObject([{ status: 200 }]);
});

test('a server that is not there was not sent anything: the next run tries again', async () => {
  await using identity = await startIdentity();
  await using home = await openHome();
  const way = await wayTo(identity, {});
  const env = await logAnaIn(home, identity, { tokenUrl: tokenUrlAt(way), expiresAt: 0 });
  await way[Symbol.asyncDispose]();

  expect(await failureOf(home, { ...env, INNCTL_MAX_ATTEMPTS: '2' })).toMatchObject({
    exitCode: 7,
    code: 'connection_refused',
  });
  expect((await storedOf(home)).login).not.toHaveProperty('refresh_begun');
});
