import { expect, test } from 'vitest';
import { ACCESS, devices, logIn, page } from './devices.ts';
import { loginServer } from './login-world.ts';
import { issue } from './token-server.ts';

test.each([
  ['javascript:alert(1)', 'is not a URL'],
  ['http://identity.example.com/device', 'is not encrypted'],
  ['https://identity.example.com/\u001b[2J', 'is not a URL'],
  ['file:///etc/passwd', 'is not a URL'],
  ['', 'must not be empty'],
  [7, 'must be a string'],
  [undefined, 'must be a string'],
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
  ['a user_code that is too long', { ...page, user_code: 'A'.repeat(65) }],
  ['a blank user_code', { ...page, user_code: '  ' }],
  ['no user_code', { ...page, user_code: undefined }],
  ['an empty device_code', { ...page, device_code: '' }],
  ['nothing', null],
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
  [400, { error: 'unauthorized_client' }, 4, expect.stringContaining('--web')],
  [400, { error: 'invalid_scope' }, 4, 'Check the scope.'],
  [404, '', 1, expect.stringContaining('Check the token URL')],
  [500, '', 7, undefined],
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
  ['an interval of zero', { interval: 0 }, 1, 900],
  ['an interval as a string', { interval: '7' }, 7, 900],
  ['an interval of years', { interval: 1e9 }, 60, 900],
  ['no expires_in', { expires_in: undefined }, 5, 600],
  ['an expires_in of zero', { expires_in: 0 }, 5, 600],
  ['an expires_in of a second', { expires_in: 1 }, 5, 30],
  ['an expires_in as a string', { expires_in: '300' }, 5, 300],
  ['an expires_in of years', { expires_in: 1e12 }, 5, 1_800],
])(
  'an invalid interval or expires_in is replaced by a usable one: %s',
  async (_, more, seconds, lifetime) => {
    await using server = await devices([issue(ACCESS)], { ...page, ...more });
    const { end, pages, seconds: waited } = await logIn(server);

    expect(end).toMatchObject({ accessToken: ACCESS });
    expect(waited).toEqual([seconds]);
    expect(pages).toMatchObject([{ lifetimeMs: lifetime * 1_000 }]);
  },
);
