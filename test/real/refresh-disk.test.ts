import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { binary, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { type Identity, startIdentity } from './identity.ts';
import { logAnaIn } from './logged-in.ts';

beforeAll(() => setup(), 120_000);

/** A refresh writes three times: that it started, the refresh token, the access token. Each write makes this call once. */
const CALL = 'fchmod';

const me = ['users', 'me', '--json'];

/** Runs innctl with an expired token and a fault injected into one write, and then once without. */
async function runTwice(inject: string) {
  const identity: Identity = await startIdentity();
  const home = await openHome();
  onTestFinished(async () => {
    await home[Symbol.asyncDispose]();
    await identity[Symbol.asyncDispose]();
  });
  const env = await logAnaIn(home, identity, { expiresAt: 0 });
  const trace = ['-e', `trace=${CALL}`, '-e', `inject=${CALL}:${inject}`];
  const strace = ['strace', '-f', '-qq', '-o', join(home.folder, 'trace'), ...trace];
  const first = await home.run([...strace, process.execPath, binary, ...me], { env });
  const sentByFirst = identity.refreshes().length;
  const second = await home.innctl(me, env);
  return {
    first,
    second: second.exitCode === 0 ? 0 : JSON.parse(second.stderr).error.code,
    sent: [sentByFirst, identity.refreshes().length],
    reused: identity.reused(),
  };
}

test.each([
  [1, 1, 'Could not write', 0, [0, 1]],
  [2, 4, 'The new tokens of profile hotels could not be stored: Could not write', 'login_lost', [1, 1]],
  [3, 0, 'The new access token of profile hotels could not be stored', 0, [1, 2]],
])(
  'a full disk at write %i of a refresh is reported, with exit %i; no token is sent twice',
  async (at, exitCode, expectedStderr, next, sent) => {
    const { first, ...rest } = await runTwice(`error=ENOSPC:when=${at}`);

    expect(first).toMatchObject({ exitCode, stderr: expect.stringContaining(expectedStderr) });
    expect(rest).toEqual({ second: next, sent, reused: [] });
  },
);

test.each([
  [1, 0, [0, 1]],
  [2, 'login_lost', [1, 1]],
  [3, 0, [1, 2]],
])('a run that is killed at write %i of a refresh: no token is sent twice', async (at, next, sent) => {
  const { first, ...rest } = await runTwice(`signal=KILL:when=${at}`);

  expect(first).toMatchObject({ exitCode: null, stdout: '' });
  expect(rest).toEqual({ second: next, sent, reused: [] });
});
