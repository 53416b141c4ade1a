import type { ChildProcess } from 'node:child_process';
import { connect } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { rawServer, type TestServer } from '../helpers/servers.ts';
import { type Identity, startIdentity } from './identity.ts';
import { logAnaIn, storedOf } from './logged-in.ts';

beforeAll(() => setup(), 120_000);

/** The faults of a relay for a token request and its response. */
interface Faults {
  /** Called before the request is forwarded; `false` drops it. */
  readonly onRequest?: () => boolean;
  /** How many bytes of the response are forwarded before the connection is closed. Default: all. */
  readonly answered?: number;
}

/** A relay in front of the token endpoint. */
function relayTo(
  { port }: Identity,
  { onRequest = () => true, answered = Number.POSITIVE_INFINITY }: Faults,
) {
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
  ['before the response head', 0],
  ['in the response head', 20],
])(
  'if the connection closes %s, after the server used the refresh token, no process sends it again',
  async (_, answered) => {
    await using identity = await startIdentity();
    await using home = await openHome();
    await using relay = await relayTo(identity, { answered });
    const env = await logAnaIn(home, identity, { tokenUrl: tokenUrlAt(relay), expiresAt: 0 });

    expect(await failureOf(home, env)).toMatchObject(lost);
    expect(await failureOf(home, env)).toMatchObject({
      ...lost,
      message: expect.stringMatching(/^The answer to the last refresh of profile hotels was lost\./),
    });

    expect(relay.connections).toHaveLength(1);
    expect(identity.refreshes()).toMatchObject([{ status: 200 }]);
  },
);

test('if a process is killed while it waits for the response, no other one sends the token again', async () => {
  await using identity = await startIdentity();
  await using home = await openHome();
  let child: ChildProcess | undefined;
  await using relay = await relayTo(identity, { onRequest: () => child?.kill('SIGKILL') !== true });
  const env = await logAnaIn(home, identity, { tokenUrl: tokenUrlAt(relay), expiresAt: 0 });

  const killed = await home.run([process.execPath, 'bin/innctl.js', ...list], {
    env,
    cwd: process.cwd(),
    started: (started) => {
      child = started;
    },
  });

  expect(killed).toMatchObject({ exitCode: null, stdout: '' });
  expect(await failureOf(home, env)).toMatchObject(lost);
  expect([relay.connections.length, identity.refreshes()]).toEqual([1, []]);
});

test('after SIGINT while it waits for the response the run ends, and the new tokens are stored', async () => {
  await using identity = await startIdentity();
  await using home = await openHome();
  let child: ChildProcess | undefined;
  await using relay = await relayTo(identity, { onRequest: () => child?.kill('SIGINT') === true });
  const env = await logAnaIn(home, identity, { tokenUrl: tokenUrlAt(relay), expiresAt: 0 });
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
