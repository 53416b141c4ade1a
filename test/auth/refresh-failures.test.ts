import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { KeyringFailure } from '../../src/model/ports.ts';
import { test } from '../config/with-folder.ts';
import { memoryKeyring } from '../helpers/cli.ts';
import { closedPort, scriptedServer } from '../helpers/servers.ts';
import { neverAborted } from './chain.ts';
import { issue, type TokenAnswer, tokenServer } from './login-world.ts';
import { markIn, noon, openLogin, sha256, stored, storeLogin } from './person.ts';

const HOUR = 3_600_000;
const mark = sha256('refresh-of-ana');
const expired = { expiresAt: noon };

const rotated = (n: number) => issue(`token-${n}-of-ana`, { refresh_token: `refresh-${n}-of-ana` });

/** Ten concurrent callers, and one after they have their results. */
async function manyCallers(credentials: ReturnType<typeof openLogin>['credentials']) {
  const ten = await Promise.allSettled(Array.from({ length: 10 }, () => credentials.current(neverAborted())));
  return Promise.allSettled([...ten.map(unwrapped), credentials.current(neverAborted())]);
}

function unwrapped<Value>(result: PromiseSettledResult<Value>): Promise<Value> {
  return result.status === 'fulfilled' ? Promise.resolve(result.value) : Promise.reject(result.reason);
}

const failing = (error: object) =>
  Array(11).fill({ status: 'rejected', reason: expect.objectContaining(error) });

const lost = { code: 'login_lost', exitCode: 4, hint: 'innctl login --profile ana' };
const why =
  'Its refresh token may be used up and is not sent again: a server that sees it twice ends the whole login.';

describe('a lost refresh response', () => {
  test.for([
    ['before it arrives', ''],
    ['in its body', 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"access_token":'],
  ])(
    '%s: the refresh token is never sent again, by this run or another',
    async ([_, head = ''], { folder }) => {
      await using server = await scriptedServer(head, (socket) => socket.destroy());
      const tokenUrl = `${server.origin}/connect/token`;
      await storeLogin({ folder, tokenUrl }, expired);
      const [here, there] = [0, 1].map(() => openLogin({ folder, tokenUrl }));

      expect(await manyCallers(here?.credentials as never)).toEqual(
        failing({
          ...lost,
          message: expect.stringMatching(new RegExp(`^Could not get a token for profile ana: .*${why}$`)),
        }),
      );
      expect(await manyCallers(there?.credentials as never)).toEqual(
        failing({ ...lost, message: `The answer to the last refresh of profile ana was lost. ${why}` }),
      );
      expect([server.connections.length, markIn(folder)]).toEqual([1, mark]);
    },
  );

  test.for<[string, TokenAnswer, string]>([
    ['an HTML page', { body: '<html>Welcome' }, 'malformed_answer'],
    ['another 2xx', { status: 201, body: {} }, 'unexpected_status'],
  ])('because it is %s: the refresh token is not resent either', async ([_, answer], { folder }) => {
    await using server = await tokenServer(() => answer);
    await storeLogin({ folder, ...server }, expired);

    const [first] = await manyCallers(openLogin({ folder, ...server }).credentials);
    expect(first).toMatchObject({ status: 'rejected', reason: { exitCode: 1 } });
    await expect(openLogin({ folder, ...server }).credentials.current(neverAborted())).rejects.toMatchObject(
      lost,
    );
    expect([server.requests.length, markIn(folder)]).toEqual([1, mark]);
  });

  test('leaves a token that is still valid in use until it expires', async ({ folder }) => {
    await using server = await scriptedServer('', (socket) => socket.destroy());
    const tokenUrl = `${server.origin}/connect/token`;
    await storeLogin({ folder, tokenUrl });
    const { credentials, world } = openLogin({ folder, tokenUrl });

    world.now = noon + HOUR - 20_000;
    expect(await credentials.current(neverAborted())).toMatchObject({ header: 'Bearer token-of-ana' });
    world.now = noon + HOUR - 1;
    const last = await credentials.current(neverAborted());
    expect(last).toMatchObject({ header: 'Bearer token-of-ana' });
    await expect(credentials.renew(last, neverAborted())).rejects.toMatchObject(lost);
    await expect(credentials.current(neverAborted())).rejects.toMatchObject(lost);
    expect(server.connections).toHaveLength(1);
  });
});

test('a server that issues the same token again gets one request for each of its generations', async ({
  folder,
}) => {
  await using server = await tokenServer(() => issue('token-of-ana'));
  await storeLogin({ folder, ...server });
  const { credentials } = openLogin({ folder, ...server });
  const first = await credentials.current(neverAborted());

  const second = await credentials.renew(first, neverAborted());
  expect(second).toMatchObject({ header: first.header, generation: 2 });
  expect(await credentials.renew(first, neverAborted())).toEqual(second);
  expect(await credentials.renew(second ?? first, neverAborted())).toMatchObject({ generation: 3 });
  expect(server.requests).toHaveLength(2);
});

describe('a refresh token that was not sent', () => {
  test('is retried as often as the settings allow, and again by the next caller', async ({ folder }) => {
    const tokenUrl = `http://127.0.0.1:${await closedPort()}/connect/token`;
    await storeLogin({ folder, tokenUrl }, expired);
    const { credentials, world } = openLogin({ folder, tokenUrl });

    for (const slept of [2, 4]) {
      await expect(credentials.current(neverAborted())).rejects.toMatchObject({
        code: 'connection_refused',
        exitCode: 7,
      });
      expect([world.slept.length, markIn(folder)]).toEqual([slept, undefined]);
    }
  });

  test('because its caller was interrupted between two attempts: the next caller sends it', async ({
    folder,
  }) => {
    const tokenUrl = `http://127.0.0.1:${await closedPort()}/connect/token`;
    await storeLogin({ folder, tokenUrl }, expired);
    const { credentials, world } = openLogin({ folder, tokenUrl: undefined });
    const stop = new AbortController();
    const reason = new Error('Ana left');
    world.slept.push = () => {
      stop.abort(reason);
      return 0;
    };
    await expect(credentials.current(stop.signal)).rejects.toBe(reason);

    await using server = await tokenServer(rotated);
    await storeLogin({ folder, ...server }, expired);
    expect(await credentials.current(neverAborted())).toMatchObject({ header: 'Bearer token-1-of-ana' });
  });

  test.for([['no refresh token', { secrets: { token: 'token-of-ana' } }, 'login_ended']] as const)(
    'because there is %s: exit code 4',
    async ([_, more, code], { folder }) => {
      await using server = await tokenServer(rotated);
      await storeLogin({ folder, ...server }, { ...expired, ...more });

      await expect(
        openLogin({ folder, ...server }).credentials.current(neverAborted()),
      ).rejects.toMatchObject({
        code,
        exitCode: 4,
        hint: 'innctl login --profile ana',
        message: 'The login of profile ana has ended, and it has no refresh token.',
      });
      expect(server.requests).toEqual([]);
    },
  );

  test('because the disk cannot store the new tokens', async ({ folder }) => {
    await using server = await tokenServer(rotated);
    await storeLogin({ folder, ...server }, expired);
    const { credentials } = openLogin({ folder, ...server });
    writeFileSync(join(folder, 'credentials.json.lock'), '');

    await expect(credentials.current(neverAborted())).rejects.toMatchObject({ code: 'lock_obstructed' });
    expect(server.requests).toEqual([]);

    rmSync(join(folder, 'credentials.json.lock'));
    expect(await credentials.current(neverAborted())).toMatchObject({ header: 'Bearer token-1-of-ana' });
  });
});

describe('a rejected refresh', () => {
  const grant = {
    status: 400,
    body: { error: 'invalid_grant', error_description: 'refresh token is expired' },
  };

  test.for<[string, TokenAnswer, object]>([
    [
      'invalid_grant',
      grant,
      {
        code: 'login_ended',
        exitCode: 4,
        message: expect.stringMatching(/^The login of profile ana has ended: .*refresh token is expired/),
        hint: 'innctl login --profile ana',
      },
    ],
    ['invalid_client', { status: 401, body: { error: 'invalid_client' } }, { exitCode: 4 }],
    ['a gateway error', { status: 503, headers: { 'retry-after': '1' }, body: '' }, { exitCode: 7 }],
    ['a rate limit', { status: 429, body: '' }, { exitCode: 7 }],
  ])(
    'with %s is final for this run, and another run may try again',
    async ([_, answer, error], { folder }) => {
      await using server = await tokenServer((n) => (n === 1 ? answer : rotated(n)));
      await storeLogin({ folder, ...server }, expired);
      const here = openLogin({ folder, ...server });

      expect(await manyCallers(here.credentials)).toEqual(failing(error));
      expect([server.requests.length, markIn(folder), here.world.slept]).toEqual([1, undefined, []]);

      const there = openLogin({ folder, ...server });
      expect(await there.credentials.current(neverAborted())).toMatchObject({
        header: 'Bearer token-2-of-ana',
      });
      // Tokens of another run are used here too.
      expect(await here.credentials.current(neverAborted())).toMatchObject({
        header: 'Bearer token-2-of-ana',
      });
    },
  );

  test.for<[number, Record<string, string>, number]>([
    [429, {}, 30_000],
    [503, { 'retry-after': '120' }, 120_000],
  ])(
    'with %i and %j does not end a long run: the refresh is retried after %i ms',
    async ([status, headers, ms], { folder }) => {
      await using server = await tokenServer((n) => (n === 1 ? { status, headers, body: '' } : rotated(n)));
      await storeLogin({ folder, ...server }, expired);
      const { credentials, world } = openLogin({ folder, ...server });
      await expect(credentials.current(neverAborted())).rejects.toMatchObject({ exitCode: 7 });

      world.now += ms - 1;
      await expect(credentials.current(neverAborted())).rejects.toMatchObject({ exitCode: 7 });
      expect(server.requests.length).toBe(1);
      world.now += 1;
      expect(await credentials.current(neverAborted())).toMatchObject({ header: 'Bearer token-2-of-ana' });
    },
  );

  test('is recorded, or a warning says that it is not, before its error is reported', async ({ folder }) => {
    await using server = await tokenServer(() => {
      writeFileSync(join(folder, 'credentials.json.lock'), '');
      return grant;
    });
    await storeLogin({ folder, ...server }, expired);
    const { credentials, world } = openLogin({ folder, ...server });

    const warned = credentials.current(neverAborted()).catch(() => [...world.warnings]);

    expect(await warned).toEqual([
      expect.stringMatching(
        /^The answer to the refresh of profile ana could not be recorded, and later runs will report it as lost: /,
      ),
    ]);
    expect(markIn(folder)).toBe(mark);
  });

  test('is cleared by a new login of the same user, not of another one', async ({ folder }) => {
    await using server = await tokenServer((n) => (n === 1 ? grant : rotated(n)));
    const login = { who: { subject: 'ana' } };
    await storeLogin({ folder, ...server }, { expiresAt: noon, login });
    const { credentials } = openLogin({ folder, ...server });
    await expect(credentials.current(neverAborted())).rejects.toMatchObject({ code: 'login_ended' });

    const anew = { token: 'token-of-ana-anew', refresh_token: 'refresh-of-ana-anew' };
    await storeLogin({ folder, ...server }, { login: { ...login, who: { subject: 'ben' } }, secrets: anew });
    await expect(credentials.current(neverAborted())).rejects.toMatchObject({
      code: 'account_changed',
      exitCode: 4,
    });
    await storeLogin({ folder, ...server }, { expiresAt: noon, login, secrets: anew });
    expect(await credentials.current(neverAborted())).toMatchObject({ header: 'Bearer token-2-of-ana' });
  });
});

describe('new tokens that cannot be stored', () => {
  const failingKeyring = () => {
    const keyring = memoryKeyring();
    const state = { isGone: false };
    const gone = () => Promise.reject(new KeyringFailure('is locked'));
    return {
      ...keyring,
      state,
      write: (account: string, secret: string) => (state.isGone ? gone() : keyring.write(account, secret)),
      read: (account: string) => (state.isGone ? gone() : keyring.read(account)),
    };
  };

  test('end the login, because the stored refresh token is used up', async ({ folder }) => {
    const keyring = failingKeyring();
    await using server = await tokenServer((n) => {
      keyring.state.isGone = true;
      return rotated(n);
    });
    // The old token is valid for a few seconds more.
    await storeLogin({ folder, ...server, keyring }, { expiresAt: noon + 5_000 });
    const { credentials } = openLogin({ folder, ...server, keyring });
    await expect(credentials.current(neverAborted())).rejects.toMatchObject({
      code: 'login_lost',
      exitCode: 4,
      message:
        'The new tokens of profile ana could not be stored: The keyring of this system is locked. The stored refresh token is used up.',
      hint: 'innctl login --profile ana',
    });
    keyring.state.isGone = false;

    const later = openLogin({ folder, ...server, keyring });
    later.world.now += 10_000;
    await expect(later.credentials.current(neverAborted())).rejects.toMatchObject(lost);
    expect(server.requests).toHaveLength(1);
  });

  test('need no keyring when the refresh token is still valid', async ({ folder }) => {
    const keyring = failingKeyring();
    await using server = await tokenServer((n) => {
      keyring.state.isGone = true;
      return issue(`token-${n}-of-ana`);
    });
    await storeLogin({ folder, ...server, keyring }, expired);
    const { credentials } = openLogin({ folder, ...server, keyring });

    expect(await credentials.current(neverAborted())).toMatchObject({ header: 'Bearer token-1-of-ana' });
    expect(markIn(folder)).toBeUndefined();
  });

  test('do not replace another login, nor a missing one', async ({ folder }) => {
    const later = { token: 'token-of-later', refresh_token: 'refresh-of-later' };
    await using server = await tokenServer(async (n) => {
      await storeLogin({ folder, tokenUrl: server.tokenUrl }, { secrets: later });
      return rotated(n);
    });
    await storeLogin({ folder, ...server }, expired);

    expect(await openLogin({ folder, ...server }).credentials.current(neverAborted())).toMatchObject({
      header: 'Bearer token-1-of-ana',
    });
    expect(await stored(folder)).toMatchObject({ times: { expires_at: noon + HOUR }, secrets: later });
  });
});
