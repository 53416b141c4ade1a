import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { frontOf } from './asked.ts';
import { createAuthority } from './certificates.ts';
import { startIdentity } from './identity.ts';
import { logAnaIn, storedOf } from './logged-in.ts';
import { startMitmproxy } from './mitmproxy.ts';
import { startTinyproxy } from './tinyproxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-refresh-'));
const authority = createAuthority(folder);

beforeAll(() => setup(), 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

test('a refresh uses a proxy with a password and an intercepting one; only the first gets the password', async () => {
  await using identity = await startIdentity({ authority });
  await using home = await openHome();
  await using intercepting = await startMitmproxy(authority.file);
  await using between = await frontOf(intercepting.port);
  await using authenticating = await startTinyproxy(
    'BasicAuth ana password-of-the-proxy',
    `Upstream http 127.0.0.1:${between.port}`,
  );
  await using front = await frontOf(authenticating.port);
  const login = await logAnaIn(home, identity, { expiresAt: 0 });
  const before = await storedOf(home);
  const proxy = `http://ana:password-of-the-proxy@127.0.0.1:${front.port}`;
  const env = { ...login, HTTPS_PROXY: proxy, INNCTL_CA_FILE: intercepting.authority };

  const ended = await home.innctl(['users', 'me', '--debug', '-o', 'json'], env);

  expect(ended).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('@') });
  expect(identity.refreshes()).toMatchObject([{ status: 200 }]);
  const password = Buffer.from('ana:password-of-the-proxy').toString('base64');
  const connects = front.received().match(/^CONNECT localhost:\d+ HTTP\/1\.1/gm);
  expect(connects).toHaveLength(front.connections.length);
  expect(front.received()).toContain(password);
  expect(between.received()).toContain(`CONNECT localhost:${identity.port}`);
  expect(between.received()).not.toContain(password);
  expect(identity.log().filter(({ proxyAuthorization }) => proxyAuthorization !== undefined)).toEqual([]);
  const { secrets } = await storedOf(home);
  expect(secrets.refresh_token).not.toBe(before.secrets.refresh_token);
  for (const secret of [secrets.refresh_token, before.secrets.refresh_token, secrets.token, password]) {
    expect(ended.stderr).not.toContain(secret);
  }
});

test('with an untrusted intercepting proxy nothing is sent, and the login stays unchanged', async () => {
  await using identity = await startIdentity({ authority });
  await using home = await openHome();
  await using intercepting = await startMitmproxy(authority.file);
  const env = await logAnaIn(home, identity, { expiresAt: 0 });
  const before = await storedOf(home);
  const proxied = {
    ...env,
    HTTPS_PROXY: `http://127.0.0.1:${intercepting.port}`,
    INNCTL_CA_FILE: authority.file,
  };

  const ended = await home.innctl(['users', 'me', '--json'], proxied);

  expect(JSON.parse(ended.stderr)).toMatchObject({ error: { code: 'tls' } });
  expect(await storedOf(home)).toEqual(before);
  expect(identity.refreshes()).toEqual([]);
});
