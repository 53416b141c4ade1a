import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import { ACCESS, begin, CODE, tokens } from './going.ts';
import { browse, issue, loginServer } from './login-world.ts';

test('a request that is not a callback of the login is rejected, and the login continues', async () => {
  await using server = await tokens();
  const login = await begin(server);
  const { redirectUri, state } = login;
  const { origin, port } = new URL(redirectUri);
  const good = `${redirectUri}?state=${state}&code=${CODE}`;
  const statusOf = async (url: string, more = {}) => (await browse(url, more)).status;

  expect([
    await statusOf(`${origin}/favicon.ico`),
    await statusOf(`${origin}/`),
    await statusOf(`${origin}/callback/?state=${state}&code=${CODE}`),
    await statusOf(`${origin}//callback?state=${state}&code=${CODE}`),
    await statusOf(good, { method: 'HEAD' }),
    await statusOf(good, { method: 'POST' }),
    await statusOf(good, { method: 'OPTIONS' }),
    await statusOf(good, { host: 'evil.example' }),
    await statusOf(good, { host: `evil.example:${port}` }),
    await statusOf(good, { host: `localhost:${port}` }),
    await statusOf(good, { host: '127.0.0.1' }),
    await statusOf(redirectUri),
    await statusOf(`${redirectUri}?code=${CODE}`),
    await statusOf(`${redirectUri}?state=&code=${CODE}`),
    await statusOf(`${redirectUri}?state=${state}x&code=${CODE}`),
    await statusOf(`${redirectUri}?state=${state}&state=${state}&code=${CODE}`),
    await statusOf(`${redirectUri}?state=${state}`),
    await statusOf(`${redirectUri}?state=${state}&code=`),
    await statusOf(`${good}&code=another`),
    await statusOf(`${good}&error=access_denied`),
    await statusOf(`${redirectUri}?error=access_denied`),
  ]).toEqual([
    404, 404, 404, 404, 405, 405, 405, 403, 403, 403, 403, 400, 400, 400, 400, 400, 400, 400, 400, 400, 400,
  ]);
  expect(server.requests).toEqual([]);
  expect(await statusOf(good)).toBe(200);
  expect(await login.end).toMatchObject({ accessToken: ACCESS });
});

test('a callback with another state gets an error page, without details of the login in progress', async () => {
  await using server = await tokens();
  const login = await begin(server);
  const { body } = await login.back({ state: '<script>alert(1)</script>', code: CODE });

  expect(body).toContain('This page does not belong to a login in progress.');
  expect(body).not.toContain(login.state);
  expect(body).not.toContain('<script');
  await login.back({ code: CODE });
  await login.end;
});

test('repeated callbacks get the same page, and the code is exchanged once', async () => {
  const many = 5;
  const arrived: (() => void)[] = [];
  const all = new Promise<void>((resolve) => {
    arrived.push(resolve);
  });
  await using server = await loginServer({
    '/token': async () => {
      await all;
      return issue(ACCESS);
    },
  });
  const login = await begin(server);
  const { port } = new URL(login.redirectUri);
  const line = `GET /callback?state=${login.state}&code=${CODE} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`;
  const texts = Array.from({ length: many }, () => {
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
    socket.write(line);
    return socket.toArray().then(
      (parts) => parts.join(''),
      () => '',
    );
  });
  // Responses on one connection are in order: all earlier requests were handled when this one is answered.
  await browse(new URL('/favicon.ico', login.redirectUri).href);
  arrived[0]?.();

  expect(await login.end).toMatchObject({ accessToken: ACCESS });
  const received = (await Promise.all(texts)).filter((text) => text !== '');
  expect(received.length).toBeGreaterThan(0);
  for (const text of received) expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*You are logged in/);
  expect(server.requests).toHaveLength(1);
});

test.each([
  ['access_denied', 'Ana said no.', 4, 'Log in again.'],
  ['invalid_scope', 'no such scope', 4, 'Check the scope.'],
  ['temporarily_unavailable', undefined, 7, 'Log in again.'],
])('an OAuth error ends the login: %s', async (error, description, exitCode, hint) => {
  await using server = await tokens();
  const login = await begin(server);
  const said = description === undefined ? {} : { error_description: description };
  const { status, body } = await login.back({ error, ...said });

  const message = `The login was refused: ${error}${description === undefined ? '' : `: ${description.replace(/\.$/, '')}`}.`;
  expect(await login.end).toMatchObject({ code: 'login_refused', exitCode, message, hint });
  expect(status).toBe(400);
  expect(body).toContain(message);
  expect(body).toContain('innctl login');
  expect(server.requests).toEqual([]);
});

test('an error description is escaped for the terminal and the browser', async () => {
  await using server = await tokens();
  const login = await begin(server);
  const { body } = await login.back({
    error: 'access_denied',
    error_description: `\u001b[2J<img src=x onerror=alert(1)>\u202e ${'x'.repeat(10_000)}`,
  });
  const error = await login.end;

  expect(error).toMatchObject({ exitCode: 4 });
  expect(error instanceof CliError && error.message.length).toBeLessThan(400);
  expect(error instanceof CliError && error.message).toContain(
    '\\u{1b}[2J<img src=x onerror=alert(1)>\\u{202e} xxx',
  );
  expect(body).toContain('\\u{1b}[2J&lt;img src=x onerror=alert(1)&gt;\\u{202e}');
  expect(body).not.toContain('<img');
});

test.each([
  ['of another issuer', true, { iss: 'https://evil.example' }],
  ['of another issuer, from a server that never sends one', false, { iss: 'https://evil.example' }],
  ['without an issuer, from a server that always sends one', true, {}],
])('a callback %s is rejected, and no code is sent', async (_, sendsIssuer, parameters) => {
  await using server = await tokens();
  const login = await begin({ provider: { ...server.provider, sendsIssuer } });
  const { status } = await login.back({ code: CODE, ...parameters });

  expect(await login.end).toMatchObject({
    code: 'login_refused',
    exitCode: 4,
    message: expect.stringMatching(/^The answer of the server cannot be trusted: /),
  });
  expect(status).toBe(400);
  expect(server.requests).toEqual([]);
});

test('a callback with the issuer of the server is accepted', async () => {
  await using server = await tokens();
  const login = await begin({ provider: { ...server.provider, sendsIssuer: true } });
  await login.back({ code: CODE, iss: server.origin });

  expect(await login.end).toMatchObject({ accessToken: ACCESS });
});

test('a callback may have an issuer when the expected one is unknown', async () => {
  await using server = await tokens();
  const login = await begin({ provider: { ...server.provider, issuer: undefined } });
  await login.back({ code: CODE, iss: 'https://identity.example.com' });

  expect(await login.end).toMatchObject({ accessToken: ACCESS });
});
