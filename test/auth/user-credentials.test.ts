import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { memoryKeyring } from '../helpers/cli.ts';
import { neverAborted } from './chain.ts';
import { issue, tokenServer } from './login-world.ts';
import { markIn, noon, openLogin, secrets, sha256, stored, storeLogin } from './person.ts';

const HOUR = 3_600_000;
const end = noon + HOUR;

/** The n-th tokens of a server with refresh token rotation. */
const rotated = (n: number, more = {}) =>
  issue(`token-${n}-of-ana`, { refresh_token: `refresh-${n}-of-ana`, ...more });

const bearer = (token: string, generation: number) =>
  expect.objectContaining({ header: `Bearer ${token}`, generation });

describe('a stored token', () => {
  test('is used until 30 seconds before its expiry, without a request', async ({ folder }) => {
    await using server = await tokenServer((n) => rotated(n));
    await storeLogin({ folder, ...server });
    const { credentials, world } = openLogin({ folder, ...server });

    world.now = end - 30_001;
    expect(await credentials.current(neverAborted())).toEqual(bearer('token-of-ana', 1));
    expect(server.requests).toEqual([]);

    world.now = end - 30_000;
    expect(await credentials.current(neverAborted())).toEqual(bearer('token-1-of-ana', 2));
    expect([credentials.source, credentials.grant]).toEqual(['profile ana', 'user']);
  });

  test('without an expiry is used until a 401', async ({ folder }) => {
    await using server = await tokenServer((n) => rotated(n));
    await storeLogin({ folder, ...server });
    const path = join(folder, 'credentials.json');
    writeFileSync(
      path,
      JSON.stringify({
        profiles: {
          ana: {
            origins: [new URL(server.tokenUrl).origin],
            refresh_token: secrets.refresh_token,
            cached_token: { access_token: secrets.token },
          },
        },
      }),
    );
    const { credentials, world } = openLogin({ folder, ...server });

    world.now = end + 1_000 * HOUR;
    const token = await credentials.current(neverAborted());
    expect(token).toEqual(bearer('token-of-ana', 1));
    expect(await credentials.renew(token, neverAborted())).toEqual(bearer('token-1-of-ana', 2));
  });

  test.for([['with a blank'], ['']])('that is invalid, %j, is not sent', async ([token = ''], { folder }) => {
    await using server = await tokenServer((n) => rotated(n));
    await storeLogin({ folder, ...server }, { secrets: { ...secrets, token } });

    expect(await openLogin({ folder, ...server }).credentials.current(neverAborted())).toEqual(
      bearer('token-1-of-ana', 1),
    );
  });
});

describe('a refresh', () => {
  test.for([['the file'], ['the keyring']])(
    'is marked on disk before it is sent, and stored in %s before it is used',
    async ([place], { folder }) => {
      const keyring = place === 'the keyring' ? memoryKeyring() : undefined;
      const marks: unknown[] = [];
      await using server = await tokenServer((n) => {
        marks.push(markIn(folder));
        return rotated(n, { scope: 'setup.manage' });
      });
      await storeLogin({ folder, ...server, keyring }, { expiresAt: noon });
      const { credentials, redactor } = openLogin({ folder, ...server, keyring });

      await credentials.current(neverAborted());

      expect(marks).toEqual([sha256('refresh-of-ana')]);
      expect(await stored(folder, keyring)).toEqual({
        login: {
          method: 'web',
          client_auth: 'none',
          token_url: server.tokenUrl,
          scope: 'setup.manage',
        },
        times: { expires_at: end, renew_at: end - 30_000 },
        secrets: { token: 'token-1-of-ana', refresh_token: 'refresh-1-of-ana' },
      });
      expect(redactor.text('token-1-of-ana refresh-1-of-ana')).toBe('[redacted] [redacted]');
    },
  );

  test.for([[{}], [{ refresh_token: null, scope: null, id_token: 'no token at all' }]])(
    'without a new refresh token, %j, keeps the current one',
    async ([more], { folder }) => {
      await using server = await tokenServer((n) => issue(`token-${n}-of-ana`, more));
      await storeLogin({ folder, ...server }, { expiresAt: noon });
      const { credentials, world } = openLogin({ folder, ...server });

      await credentials.current(neverAborted());
      world.now += 2 * HOUR;
      await credentials.current(neverAborted());

      expect(server.requests.map(({ form: sent }) => sent['refresh_token'])).toEqual(
        Array(2).fill('refresh-of-ana'),
      );
      expect(await stored(folder)).toMatchObject({
        login: expect.not.objectContaining({ refresh_begun: expect.anything() }),
        secrets: { token: 'token-2-of-ana', refresh_token: 'refresh-of-ana' },
      });
    },
  );

  test('is not sent when the token URL is unknown, and the token is kept', async ({ folder }) => {
    await using server = await tokenServer((n) => rotated(n));
    await storeLogin({ folder, ...server }, { expiresAt: noon, login: { token_url: undefined } });
    const { credentials } = openLogin({ folder, tokenUrl: undefined });

    await expect(credentials.current(neverAborted())).rejects.toMatchObject({
      code: 'login_ended',
      exitCode: 4,
      message: expect.stringContaining('the token URL of its server is unknown'),
    });
    expect([server.requests, markIn(folder), (await stored(folder)).secrets]).toEqual([
      [],
      undefined,
      secrets,
    ]);
  });
});

describe('callers', () => {
  test('a hundred at once share one refresh, and a late caller with the old token gets the new one', async ({
    folder,
  }) => {
    await using server = await tokenServer((n) => rotated(n));
    await storeLogin({ folder, ...server });
    const { credentials } = openLogin({ folder, ...server });
    const first = await credentials.current(neverAborted());

    const renewed = await Promise.all(
      Array.from({ length: 100 }, () => credentials.renew(first, neverAborted())),
    );

    expect(new Set(renewed.map((token) => token?.header))).toEqual(new Set(['Bearer token-1-of-ana']));
    expect(await credentials.renew(first, neverAborted())).toEqual(bearer('token-1-of-ana', 2));
    expect(server.requests).toHaveLength(1);
  });

  test('that abort do not cancel a refresh that was sent: its result is stored', async ({ folder }) => {
    const stop = new AbortController();
    const reason = new Error('Ana left');
    let answer = () => {};
    const requested = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await using server = await tokenServer(async (n) => {
      stop.abort(reason);
      await requested;
      return rotated(n);
    });
    await storeLogin({ folder, ...server }, { expiresAt: noon });
    const { credentials } = openLogin({ folder, ...server });

    await expect(credentials.current(stop.signal)).rejects.toBe(reason);
    expect(markIn(folder)).toBe(sha256('refresh-of-ana'));
    const settled = credentials.settled?.();
    const late = credentials.current(neverAborted());
    answer();
    await settled;

    expect(await stored(folder)).toMatchObject({
      secrets: { token: 'token-1-of-ana', refresh_token: 'refresh-1-of-ana' },
    });
    expect((await late).header).toBe('Bearer token-1-of-ana');
    expect(server.requests).toHaveLength(1);
  });
});

describe('processes', () => {
  test('one with a 401 uses the tokens that another one has fetched in the meantime', async ({ folder }) => {
    await using server = await tokenServer((n) => rotated(n));
    await storeLogin({ folder, ...server });
    const [here, there] = [openLogin({ folder, ...server }), openLogin({ folder, ...server })];
    const [first] = [
      await here.credentials.current(neverAborted()),
      await there.credentials.current(neverAborted()),
    ];

    await there.credentials.renew(first, neverAborted());

    expect(await here.credentials.renew(first, neverAborted())).toEqual(bearer('token-1-of-ana', 2));
    expect(server.requests).toHaveLength(1);
  });

  test('one that died after it sent the refresh token leaves a login that requires a new login', async ({
    folder,
  }) => {
    await using server = await tokenServer((n) => rotated(n));
    const login = { refresh_begun: sha256('refresh-of-ana') };
    await storeLogin({ folder, ...server }, { expiresAt: noon, login });

    await expect(openLogin({ folder, ...server }).credentials.current(neverAborted())).rejects.toMatchObject({
      code: 'login_lost',
      exitCode: 4,
      message:
        'The answer to the last refresh of profile ana was lost. Its refresh token may be used up and is not sent again: a server that sees it twice ends the whole login.',
      hint: 'innctl login --profile ana',
    });
    expect(server.requests).toEqual([]);

    await storeLogin(
      { folder, ...server },
      { expiresAt: noon, login, secrets: { ...secrets, refresh_token: 'refresh-of-later' } },
    );
    expect(await openLogin({ folder, ...server }).credentials.current(neverAborted())).toEqual(
      bearer('token-1-of-ana', 1),
    );
  });
});
