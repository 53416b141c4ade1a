import { expect, test } from 'vitest';
import { WireFailure } from '../../src/service/failures.ts';
import { ACCESS, DEVICE, devices, logIn, page, pending, SECRET, said } from './devices.ts';
import { jwt, loginServer, loginWorld } from './login-world.ts';
import { issue } from './token-server.ts';

test('the user enters the code on another device, and the token is polled until then', async () => {
  await using server = await devices([pending, pending, issue(ACCESS, { scope: 'users.read' })]);
  const { end, pages, seconds, world } = await logIn(server, { scope: 'users.read users.manage' });

  expect(end).toEqual({
    accessToken: ACCESS,
    refreshToken: undefined,
    expiresAt: world.now + 3_600_000,
    scope: 'users.read',
    clientAuth: 'none',
    who: {},
  });
  expect(pages).toEqual([
    {
      url: page.verification_uri,
      completeUrl: page.verification_uri_complete,
      code: 'WDJB-MJHT',
      isOpened: false,
      lifetimeMs: 900_000,
    },
  ]);
  expect(seconds).toEqual([5, 5, 5]);
  expect(server.requests.slice(0, 2)).toEqual([
    {
      method: 'POST',
      path: '/device',
      authorization: undefined,
      form: { client_id: 'innctl', scope: 'users.read users.manage' },
    },
    {
      method: 'POST',
      path: '/token',
      authorization: undefined,
      form: {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        device_code: DEVICE,
        client_id: 'innctl',
      },
    },
  ]);
});

test('the user is identified by the ID token', async () => {
  const seconds = Date.parse('2026-05-01T12:00:00Z') / 1_000;
  let origin = '';
  await using server = await loginServer({
    '/device': () => ({ body: page }),
    '/token': () =>
      issue(ACCESS, {
        id_token: jwt({
          iss: origin,
          aud: 'innctl',
          sub: 'ana',
          email: 'ana@example.com',
          iat: seconds,
          exp: seconds + 300,
        }),
      }),
  });
  origin = server.origin;

  expect((await logIn(server)).end).toMatchObject({ who: { subject: 'ana', email: 'ana@example.com' } });
});

test('a browser is opened when available, with the code filled in', async () => {
  await using server = await devices([issue(ACCESS)]);
  const opened: string[] = [];
  const { pages } = await logIn(server, { openBrowser: async (url) => opened.push(url) > 0 });

  expect(opened).toEqual([page.verification_uri_complete]);
  expect(pages).toMatchObject([{ isOpened: true }]);
});

test.each([
  ['slow_down', said('slow_down')],
  ['429', { status: 429, body: '' }],
  ['500', { status: 500, body: '<html>' }],
  ['503', { status: 503, body: '' }],
])('polling slows down after slow_down and server errors: %s', async (_, failure) => {
  await using server = await devices([pending, failure, failure, pending, issue(ACCESS)]);
  const { end, seconds } = await logIn(server);

  expect(end).toMatchObject({ accessToken: ACCESS });
  expect(seconds).toEqual([5, 5, 10, 15, 15]);
});

test.each([
  ['did not reach the server', 'refused', false],
  ['may have reached the server', 'reset', true],
  ['timed out', 'timeout', true],
  ['got an incomplete response', 'cut', true],
] as const)('a poll that %s is retried', async (_, kind, sent) => {
  await using server = await devices([issue(ACCESS)]);
  const { http } = loginWorld(() => {});
  let failures = 0;
  const request: typeof http.request = async (wire) => {
    if (!wire.url.endsWith('/token') || failures === 2) return http.request(wire);
    failures += 1;
    throw new WireFailure(kind, 'nobody is there.', { sent });
  };

  expect((await logIn(server, { http: { ...http, request } })).end).toMatchObject({ accessToken: ACCESS });
});

test('a certificate error is not retried', async () => {
  await using server = await devices([issue(ACCESS)]);
  const { http } = loginWorld(() => {});
  const request: typeof http.request = async (wire) => {
    if (!wire.url.endsWith('/token')) return http.request(wire);
    throw new WireFailure('tls', 'the certificate is not trusted.', { sent: false });
  };

  expect((await logIn(server, { http: { ...http, request } })).end).toMatchObject({
    code: 'tls',
    exitCode: 1,
  });
});

test('polling ends when the code expires', async () => {
  await using server = await devices([pending], { ...page, expires_in: 60, interval: 20 });
  const { end, seconds, times } = await logIn(server);

  expect(end).toMatchObject({
    code: 'login_timeout',
    exitCode: 4,
    message: 'The login was not finished within 1 minute.',
  });
  expect([seconds, times]).toEqual([[20, 20, 20], 2]);
});

test.each([
  ['expired_token', {}, 'login_timeout', 4, 'The login was not finished within 15 minutes.'],
  [
    'access_denied',
    { error_description: 'Ana said no.' },
    'login_refused',
    4,
    'The login was refused: access_denied: Ana said no.',
  ],
  ['access_denied', {}, 'login_refused', 4, 'The login was refused: access_denied.'],
  [
    'invalid_grant',
    {},
    'not_logged_in',
    4,
    'Could not get a token for this login: invalid_grant (400 from HOST).',
  ],
  [
    'unauthorized_client',
    {},
    'not_logged_in',
    4,
    'Could not get a token for this login: unauthorized_client (400 from HOST).',
  ],
])('an OAuth error ends the polling: %s %j', async (error, more, code, exitCode, message) => {
  await using server = await devices([pending, said(error, more)]);
  const { end, times } = await logIn(server);

  const { host } = new URL(server.origin);
  expect(end).toMatchObject({ code, exitCode, message: message.replace('HOST', host) });
  expect(times).toBe(2);
});

test('the error description is escaped for the terminal', async () => {
  await using server = await devices([said('access_denied', { error_description: '\u001b[2J\u202e' })]);

  expect((await logIn(server)).end).toMatchObject({
    message: 'The login was refused: access_denied: \\u{1b}[2J\\u{202e}.',
  });
});

test('a client whose Authorization header is rejected is sent in the form from then on', async () => {
  await using server = await loginServer({
    '/device': (_, { authorization }) =>
      authorization === undefined ? { body: page } : { status: 401, body: { error: 'invalid_client' } },
    '/token': (n) => (n < 2 ? pending : issue(ACCESS)),
  });
  const { end } = await logIn(server, { client: { id: 'innctl', secret: SECRET } });

  expect(end).toMatchObject({ clientAuth: 'post' });
  expect(
    server.requests.map(({ path, authorization, form }) => [
      path,
      authorization !== undefined,
      form['client_secret'],
    ]),
  ).toEqual([
    ['/device', true, undefined],
    ['/device', false, SECRET],
    ['/token', false, SECRET],
    ['/token', false, SECRET],
  ]);
});

test('an interruption ends the polling at once', async () => {
  const stop = new AbortController();
  const reason = new Error('interrupted');
  await using server = await devices([pending]);
  const { end, times } = await logIn(server, { signal: stop.signal }, (_, { slept }) => {
    if (slept.length === 3) stop.abort(reason);
  });

  expect(end).toBe(reason);
  expect(times).toBe(2);
});

test('the codes and the tokens of a login are redacted', async () => {
  await using server = await devices([issue(ACCESS)]);
  const { world } = await logIn(server);

  expect(world.http.redactor.text(`${DEVICE} ${ACCESS} WDJB-MJHT`)).toBe('[redacted] [redacted] WDJB-MJHT');
});

test('a server without a device login: the error names the other method', async () => {
  await using server = await devices([]);
  const { end } = await logIn(server, {
    provider: { ...server.provider, deviceAuthorizationUrl: undefined },
  });

  expect(end).toMatchObject({ exitCode: 2, hint: expect.stringContaining('--web') });
});
