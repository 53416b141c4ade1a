import { expect, test } from 'vitest';
import { closedPort, rawServer } from '../helpers/servers.ts';
import { chain, neverAborted } from './chain.ts';
import { tokenServer } from './login-world.ts';

const refused = {
  status: 401,
  headers: { 'www-authenticate': 'Basic realm="x"' },
  body: { error: 'invalid_client' },
};

test('a wrong secret is sent in both ways and then never again', async () => {
  await using server = await tokenServer(() => ({
    ...refused,
    body: { error: 'invalid_client', error_description: 'wrong secret' },
  }));
  const { credentials } = chain(server.tokenUrl);
  const error = {
    code: 'not_logged_in',
    exitCode: 4,
    status: 401,
    message: `Could not get a token for profile chain: invalid_client; wrong secret (401 from 127.0.0.1:${server.port}).`,
    hint: 'Check client id and client secret of profile chain.',
  };

  await expect(credentials.current(neverAborted())).rejects.toMatchObject(error);
  await expect(credentials.current(neverAborted())).rejects.toMatchObject(error);

  expect(server.requests).toHaveLength(2);
});

const page = '<html><title>Log in</title></html>';
const html = { 'content-type': 'text/html' };
const token = { access_token: 'a', token_type: 'Bearer' };

test.each([
  [
    'a scope that is not granted',
    { status: 400, body: { error: 'invalid_scope' } },
    4,
    'invalid_scope (400 from HOST)',
  ],
  [
    'a server error',
    { status: 503, body: page, headers: html },
    7,
    'a page came instead of an answer (503 from HOST)',
  ],
  ['a rate limit', { status: 429, body: { error: 'slow_down' } }, 7, 'slow_down (429 from HOST)'],
  [
    'an HTML page with 404',
    { status: 404, body: page, headers: html },
    1,
    'a page came instead of an answer (404 from HOST)',
  ],
  [
    'a redirect',
    { status: 302, headers: { location: 'https://login.example.com/' }, body: '' },
    1,
    'http://HOST redirects to https://login.example.com (302), and redirects are not followed',
  ],
  [
    'an HTML page',
    { body: page, headers: html },
    1,
    'the service answered with an HTML or XML page (200 from HOST)',
  ],
  [
    'an empty body',
    { body: '' },
    1,
    'the answer is not a token: "response" body must be a top level object (200 from HOST)',
  ],
  [
    'no access_token',
    { body: { token_type: 'Bearer' } },
    1,
    'the answer is not a token: "response" body "access_token" property must be a string (200 from HOST)',
  ],
  [
    'a token with a line break',
    { body: { ...token, access_token: 'a\r\nx-evil: 1' } },
    1,
    'the response is not a token that fits in a header (200 from HOST)',
  ],
])('a token endpoint that answers with %s', async (_, answer, exitCode, reason) => {
  await using server = await tokenServer(() => answer);
  const { credentials } = chain(server.tokenUrl);
  const host = `127.0.0.1:${server.port}`;

  await expect(credentials.current(neverAborted())).rejects.toMatchObject({
    exitCode,
    message: `Could not get a token for profile chain: ${reason.replace('HOST', host)}.`,
  });
});

test('a request that was not sent is retried, with growing delays', async () => {
  const port = await closedPort();
  const { credentials, world } = chain(`http://127.0.0.1:${port}/connect/token`);

  await expect(credentials.current(neverAborted())).rejects.toMatchObject({
    code: 'connection_refused',
    exitCode: 7,
    message: `Could not get a token for profile chain: 127.0.0.1:${port} refused the connection.`,
  });
  expect(world.slept).toEqual([250, 500]);
});

test('a request that may have arrived is not retried', async () => {
  await using server = await rawServer((socket) => socket.once('data', () => socket.end()));
  const { credentials, world } = chain(`${server.origin}/connect/token`);

  await expect(credentials.current(neverAborted())).rejects.toMatchObject({ code: 'reset', exitCode: 7 });
  expect({ slept: world.slept, connections: server.connections.length }).toEqual({
    slept: [],
    connections: 1,
  });
});

test('a secret is never sent to another machine unencrypted', async () => {
  const { credentials } = chain('http://login.invalid/connect/token');

  await expect(credentials.current(neverAborted())).rejects.toMatchObject({
    exitCode: 2,
    message: 'http://login.invalid/connect/token would be sent credentials unencrypted.',
  });
});
