import { expect, test } from 'vitest';
import { type DeviceLogin, type DevicePage, deviceLogin } from '../../src/auth/device-login.ts';
import { WireFailure } from '../../src/service/retry.ts';
import {
  issue,
  type LoginServer,
  type LoginWorld,
  loginServer,
  loginWorld,
  type TokenAnswer,
} from './login-world.ts';

const ACCESS = 'access-token-of-ana-1234567890';
const DEVICE = 'device-code-of-ana-1234567890';
const SECRET = 'secret-of-the-chain-1234567890';

/** A successful device authorization response. */
const page = {
  device_code: DEVICE,
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://identity.example.com/device',
  verification_uri_complete: 'https://identity.example.com/device?user_code=WDJB-MJHT',
  expires_in: 900,
  interval: 5,
};

/** An OAuth error response. */
const said = (error: string, more: object = {}): TokenAnswer => ({
  status: 400,
  body: { error, ...more },
});
/** The user has not entered the code yet. */
const pending = said('authorization_pending');

/** A server with this device code, and these responses to the polls in order; the last one repeats. */
function devices(answers: readonly TokenAnswer[], code: unknown = page): Promise<LoginServer> {
  return loginServer({
    '/device': () => ({ body: code }),
    '/token': (n) => answers[n - 1] ?? answers.at(-1) ?? pending,
  });
}

/** Time passes only by sleeping. */
const pass = (ms: number, world: LoginWorld) => {
  world.now += ms;
};

/** Logs in, and returns the printed page, the waits, and the times of the polls. */
async function logIn(server: LoginServer, more: Partial<DeviceLogin> = {}, sleep = pass) {
  const world = loginWorld(sleep);
  const pages: DevicePage[] = [];
  const end = await deviceLogin({
    provider: server.provider,
    client: { id: 'innctl' },
    http: world.http,
    tell: async (page) => {
      pages.push(page);
    },
    signal: new AbortController().signal,
    ...more,
  }).catch((cause: unknown) => cause);
  const seconds = world.slept.map((ms) => ms / 1_000);
  const times = server.requests.filter(({ path }) => path === '/token').length;
  return { end, pages, seconds, times, world };
}

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
  expect(server.requests.slice(0, 2)).toMatchObject([
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

test('a browser is opened when available, with the code filled in', async () => {
  await using server = await devices([issue(ACCESS)]);
  const opened: string[] = [];
  const { pages } = await logIn(server, { openBrowser: async (url) => opened.push(url) > 0 });

  expect(opened).toEqual([page.verification_uri_complete]);
  expect(pages).toMatchObject([{ isOpened: true }]);
});

test.each([
  ['slow_down', said('slow_down')],
  ['503', { status: 503, body: '' }],
])('polling slows down after slow_down and server errors: %s', async (_, failure) => {
  await using server = await devices([pending, failure, failure, pending, issue(ACCESS)]);
  const { end, seconds } = await logIn(server);

  expect(end).toMatchObject({ accessToken: ACCESS });
  expect(seconds).toEqual([5, 5, 10, 15, 15]);
});

test.each([
  ['did not reach the server', 'refused', false],
  ['timed out', 'timeout', true],
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
    message: 'The login was not finished within 60 s.',
  });
  expect([seconds, times]).toEqual([[20, 20, 20], 2]);
});

test.each([
  ['expired_token', {}, 'login_timeout', 4, 'The login was not finished within 900 s.'],
  [
    'access_denied',
    { error_description: 'Ana said no.' },
    'login_refused',
    4,
    'The login was refused: access_denied: Ana said no.',
  ],
  [
    'invalid_grant',
    {},
    'not_logged_in',
    4,
    'Could not get a token for this login: invalid_grant (400 from HOST).',
  ],
])('an OAuth error ends the polling: %s %j', async (error, more, code, exitCode, message) => {
  await using server = await devices([pending, said(error, more)]);
  const { end, times } = await logIn(server);

  const { host } = new URL(server.origin);
  expect(end).toMatchObject({ code, exitCode, message: message.replace('HOST', host) });
  expect(times).toBe(2);
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

test.each([
  ['javascript:alert(1)', 'is not a URL'],
  ['https://identity.example.com/\u001b[2J', 'is not a URL'],
  [7, 'must be a string'],
])('the verification_uri %j is rejected', async (verification_uri, reason) => {
  await using server = await devices([issue(ACCESS)], { ...page, verification_uri });
  const { end, pages, times } = await logIn(server, { openBrowser: async () => true });

  expect(end).toMatchObject({
    code: 'malformed_answer',
    exitCode: 1,
    message: expect.stringMatching(
      new RegExp(`^Could not get a code for this login: .*verification_uri.* ${reason}`),
    ),
    hint: expect.stringContaining('--web'),
  });
  expect([pages, times]).toEqual([[], 0]);
});

test.each(['javascript:alert(1)', 'http://identity.example.com/device?user_code=A', 'calc.exe'])(
  'an unusable verification_uri_complete is ignored: %s',
  async (verification_uri_complete) => {
    await using server = await devices([issue(ACCESS)], { ...page, verification_uri_complete });
    const opened: string[] = [];
    const { pages } = await logIn(server, { openBrowser: async (url) => opened.push(url) > 0 });

    expect(pages).toMatchObject([{ url: page.verification_uri, completeUrl: undefined }]);
    expect(opened).toEqual([page.verification_uri]);
  },
);

test('the user code is escaped for the terminal', async () => {
  await using server = await devices([issue(ACCESS)], { ...page, user_code: ' AB\u001b[31m\nCD ' });

  expect((await logIn(server)).pages).toMatchObject([{ code: 'AB\\u{1b}[31m\\nCD' }]);
});

test.each([
  ['an empty user_code', { ...page, user_code: '' }],
  ['no expires_in', { ...page, expires_in: undefined }],
  ['an HTML page', '<html>'],
])('a response without a valid code is rejected: %s', async (_, body) => {
  await using server = await devices([issue(ACCESS)], body);
  const { end, pages, times } = await logIn(server);

  expect(end).toMatchObject({ code: 'malformed_answer', exitCode: 1 });
  expect([pages, times]).toEqual([[], 0]);
});

test.each([
  [
    401,
    { error: 'invalid_client' },
    4,
    'Check the client id and the client secret. To be asked for the secret: --confidential',
  ],
  [400, { error: 'invalid_scope' }, 4, 'Check the scope.'],
  [404, '', 1, expect.stringContaining('Check the token URL')],
])(
  'the error of a device authorization request is reported with a hint: %s %j',
  async (status, body, exitCode, hint) => {
    await using server = await loginServer({ '/device': () => ({ status, body }) });
    const { end, pages } = await logIn(server);

    expect(end).toMatchObject({
      exitCode,
      hint,
      message: expect.stringMatching(/^Could not get a code for this login: /),
    });
    expect(pages).toEqual([]);
  },
);

test.each([
  ['no interval', { interval: undefined }, 5, 900],
  ['an interval of a tenth', { interval: 0.1 }, 1, 900],
  ['an interval of years', { interval: 1e9 }, 60, 900],
  ['an expires_in of years', { expires_in: 1e12 }, 5, 1_800],
])(
  'an interval or expires_in out of bounds is replaced by a usable one: %s',
  async (_, more, seconds, lifetime) => {
    await using server = await devices([issue(ACCESS)], { ...page, ...more });
    const { end, pages, seconds: waited } = await logIn(server);

    expect(end).toMatchObject({ accessToken: ACCESS });
    expect(waited).toEqual([seconds]);
    expect(pages).toMatchObject([{ lifetimeMs: lifetime * 1_000 }]);
  },
);
