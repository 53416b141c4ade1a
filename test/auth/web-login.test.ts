import { expect, test } from 'vitest';
import type { Granted } from '../../src/auth/oauth-http.ts';
import { webLogin } from '../../src/auth/web-login.ts';
import { CliError } from '../../src/cli/errors.ts';
import { ACCESS, begin, CODE, tokens } from './going.ts';
import { challengeOf, loginWorld } from './login-world.ts';
import { issue } from './token-server.ts';

const REFRESH = 'refresh-token-of-ana-1234567890';

test('a user logs in, and the code is exchanged with the verifier of its challenge', async () => {
  await using server = await tokens(issue(ACCESS, { refresh_token: REFRESH, scope: 'users.read' }));
  const opened: string[] = [];
  const login = await begin({
    provider: { ...server.provider, authorizationUrl: `${server.origin}/authorize?tenant=chain` },
    scope: 'users.read users.manage',
    openBrowser: async (url) => opened.push(url) > 0,
  });
  const got = await login.back({ code: CODE });

  expect(await login.end).toEqual({
    accessToken: ACCESS,
    refreshToken: REFRESH,
    expiresAt: login.world.now + 3_600_000,
    scope: 'users.read',
    clientAuth: 'none',
    who: {},
  });
  const { code_challenge, ...parameters } = Object.fromEntries(login.url.searchParams);
  expect(parameters).toEqual({
    tenant: 'chain',
    client_id: 'innctl',
    response_type: 'code',
    redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    scope: 'users.read users.manage',
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
  expect(server.requests).toEqual([
    {
      method: 'POST',
      path: '/token',
      authorization: undefined,
      form: {
        grant_type: 'authorization_code',
        code: CODE,
        redirect_uri: login.redirectUri,
        client_id: 'innctl',
        code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      },
    },
  ]);
  expect(challengeOf(server.requests[0]?.form['code_verifier'] ?? '')).toBe(code_challenge);
  expect(opened).toEqual([login.url.href]);
  expect(login.pages).toEqual([
    { url: login.url.href, isOpened: true, port: Number(new URL(login.redirectUri).port) },
  ]);
  expect(got).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^']+';/),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      connection: 'close',
    },
    body: expect.stringContaining('You can close this window'),
  });
});

test('two logins share no random values', async () => {
  await using server = await tokens();
  const [one, two] = [await begin(server), await begin(server)];

  for (const name of ['state', 'code_challenge', 'redirect_uri'])
    expect(one.url.searchParams.get(name)).not.toBe(two.url.searchParams.get(name));
  expect((await one.back({ state: two.state, code: CODE })).status).toBe(400);
  await Promise.all([one.back({ code: CODE }), two.back({ code: CODE })]);
  expect(await one.end).toMatchObject({ accessToken: ACCESS });
  expect(await two.end).toMatchObject({ accessToken: ACCESS });
});

test('a refresh token is requested together with prompt=consent', async () => {
  await using server = await tokens();
  const login = await begin({ ...server, scope: 'openid offline_access' });
  await login.back({ code: CODE });

  expect(login.url.searchParams.get('prompt')).toBe('consent');
  expect(await login.end).toMatchObject({ refreshToken: undefined, scope: 'openid offline_access' });
});

test('a port in use is reported', async () => {
  await using server = await tokens();
  const login = await begin(server);
  const port = Number(new URL(login.redirectUri).port);
  const second = webLogin({
    ...server,
    client: { id: 'innctl' },
    http: login.world.http,
    redirectPort: port,
    openBrowser: async () => false,
    tell: async () => {},
    signal: new AbortController().signal,
  });

  await expect(second).rejects.toMatchObject({
    exitCode: 2,
    details: [{ field: '--redirect-port', reason: `port ${port} of 127.0.0.1 is taken by another program` }],
    hint: expect.stringContaining('--device'),
  });
  await login.back({ code: CODE });
  await login.end;
});

test('a requested port is used for the callback', async () => {
  await using server = await tokens();
  const first = await begin(server);
  const port = Number(new URL(first.redirectUri).port);
  await first.back({ code: CODE });
  await first.end;
  const login = await begin({ ...server, redirectPort: port });

  expect(login.redirectUri).toBe(`http://127.0.0.1:${port}/callback`);
  await login.back({ code: CODE });
  expect(await login.end).toMatchObject({ accessToken: ACCESS });
});

test('success is shown only after everything is stored', async () => {
  await using server = await tokens();
  const kept: Granted[] = [];
  const login = await begin({
    ...server,
    keep: async (granted) => {
      kept.push(granted);
    },
  });
  const { body } = await login.back({ code: CODE });

  expect(body).toContain('You are logged in');
  expect(kept).toEqual([await login.end]);
});

test('a storage error is also shown in the browser, without secrets', async () => {
  await using server = await tokens();
  const error = new CliError('keyring_unavailable', `The keyring refused ${ACCESS}.`, { hint: 'Unlock it.' });
  const login = await begin({ ...server, keep: () => Promise.reject(error) });
  const { status, body } = await login.back({ code: CODE });

  expect(status).toBe(400);
  expect(body).toContain('The keyring refused [redacted].');
  expect(body).toContain('Unlock it.');
  expect(await login.end).toBe(error);
});

test('an unexpected error is shown in the terminal only', async () => {
  await using server = await tokens();
  const error = new Error('at /home/ana/dist');
  const login = await begin({ ...server, keep: () => Promise.reject(error) });
  const { body } = await login.back({ code: CODE });

  expect(body).not.toContain('/home/ana');
  expect(await login.end).toBe(error);
});

test('a server without a login page: the error names the other method', async () => {
  await using server = await tokens();
  const login = webLogin({
    provider: { ...server.provider, authorizationUrl: undefined },
    client: { id: 'innctl' },
    http: loginWorld().http,
    openBrowser: async () => false,
    tell: async () => {},
    signal: new AbortController().signal,
  });

  await expect(login).rejects.toMatchObject({ exitCode: 2, hint: expect.stringContaining('--device') });
});
