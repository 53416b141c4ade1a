import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { Provider } from '../../src/auth/oauth-http.ts';
import { webLogin } from '../../src/auth/web-login.ts';
import { CliError } from '../../src/model/errors.ts';
import { ACCESS, begin, CODE, tokens } from './going.ts';
import { browse, challengeOf, issue, jwt, loginServer, loginWorld } from './login-world.ts';

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
  expect(server.requests).toMatchObject([
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
    details: [{ field: '--redirect-port', reason: `${port} of 127.0.0.1 is not available (EADDRINUSE)` }],
    hint: expect.stringContaining('--device'),
  });
  await login.back({ code: CODE });
  await login.end;
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

test('the login times out after five minutes, and the port is closed', async () => {
  await using server = await tokens();
  const login = await begin({ ...server, sleep: () => {} });

  expect(await login.end).toMatchObject({
    code: 'login_timeout',
    exitCode: 4,
    message: 'The login was not finished within 300 s.',
    hint: 'Log in again.',
  });
  expect(login.world.slept).toEqual([300_000]);
  await expect(login.back({ code: CODE })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('an interruption ends the login, and closes every connection', async () => {
  const stop = new AbortController();
  const reason = new Error('interrupted');
  await using server = await tokens();
  const login = await begin({ ...server, signal: stop.signal });
  const silent = connect(Number(new URL(login.redirectUri).port), '127.0.0.1');
  const half = connect(Number(new URL(login.redirectUri).port), '127.0.0.1');
  half.write('GET /callback HTTP/1.1\r\n');
  const closed = Promise.all(
    [silent, half].map(
      (socket) => new Promise((resolve) => socket.on('error', () => {}).once('close', resolve)),
    ),
  );
  // Responses are in order: they come after these requests.
  await browse(login.redirectUri);
  stop.abort(reason);

  expect(await login.end).toBe(reason);
  await closed;
  await expect(login.back({ code: CODE })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('an interruption cancels an exchange in progress, and the browser gets no page', async () => {
  const stop = new AbortController();
  const reason = new Error('interrupted');
  await using server = await loginServer({
    '/token': () => {
      stop.abort(reason);
      return undefined;
    },
  });
  const login = await begin({ ...server, signal: stop.signal });
  const back = login.back({ code: CODE }).catch((cause: unknown) => cause);

  expect(await login.end).toBe(reason);
  expect(await back).toMatchObject({ code: 'ECONNRESET' });
});

test('a browser that disconnects does not fail a successful login', async () => {
  const gone: (() => void)[] = [];
  const left = new Promise<void>((resolve) => {
    gone.push(resolve);
  });
  await using server = await loginServer({
    '/token': async () => {
      socket?.destroy();
      await left;
      return issue(ACCESS);
    },
  });
  const login = await begin(server);
  const { port } = new URL(login.redirectUri);
  const socket = connect(Number(port), '127.0.0.1');
  socket.once('close', () => gone[0]?.());
  socket.write(`GET /callback?state=${login.state}&code=${CODE} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);

  expect(await login.end).toMatchObject({ accessToken: ACCESS });
});

/** Logs in with `openid`, at a server with these ID token claims; `nonce` is that of the request. */
async function identified(claims: (nonce: string) => object, more: Partial<Provider> = {}, alg = 'RS256') {
  let idToken = '';
  await using server = await loginServer({
    '/token': () => issue(jwt({ account_code: 'AURORA', sub: 'ana' }), { id_token: idToken }),
  });
  const login = await begin({ provider: { ...server.provider, ...more }, scope: 'openid' });
  const seconds = login.world.now / 1_000;
  idToken = jwt(
    {
      iss: server.origin,
      aud: 'innctl',
      sub: 'ana',
      iat: seconds,
      exp: seconds + 300,
      ...claims(login.url.searchParams.get('nonce') ?? ''),
    },
    alg,
  );
  const got = await login.back({ code: CODE });
  return { end: await login.end, got };
}

test('the user is identified by the tokens, and named on the page', async () => {
  const { end, got } = await identified((nonce) => ({
    nonce,
    email: 'ana@example.com',
    name: 'Ana <b>Lima</b>',
  }));

  expect(end).toMatchObject({
    who: { subject: 'ana', email: 'ana@example.com', name: 'Ana <b>Lima</b>', account: 'AURORA' },
  });
  expect(got.body).toContain('Ana &lt;b&gt;Lima&lt;/b&gt; (ana@example.com)');
  expect(got.body).toContain('Account AURORA');
});

test('the ID token of a server with an unknown issuer is accepted by its nonce', async () => {
  const claims = (nonce: string) => ({
    nonce,
    iss: 'https://identity.example.com',
    email: 'ana@example.com',
  });
  const { end } = await identified(claims, { issuer: undefined }, 'ES256');

  expect(end).toMatchObject({ who: { email: 'ana@example.com' } });
});

test.each([
  ['another nonce', () => ({ nonce: 'n' }), /nonce/],
  ['another issuer', (nonce: string) => ({ nonce, iss: 'https://evil.example' }), /issuer/],
  ['another client', (nonce: string) => ({ nonce, aud: 'somebody' }), /audience/],
  ['a past expiry', (nonce: string) => ({ nonce, exp: 1 }), /expiration/],
])('an ID token with %s is rejected', async (_, claims, message) => {
  const { end, got } = await identified(claims);

  expect(end).toMatchObject({
    code: 'malformed_answer',
    exitCode: 1,
    message: expect.stringMatching(message),
  });
  expect(got).toMatchObject({ status: 400, body: expect.stringContaining('You are not logged in') });
});

test('an ID token must use a signature algorithm of the discovery document', async () => {
  const { end } = await identified((nonce) => ({ nonce }), { signingAlgorithms: ['ES256'] }, 'none');

  expect(end).toMatchObject({ code: 'malformed_answer', exitCode: 1 });
});
