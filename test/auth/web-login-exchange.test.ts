import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Client } from '../../src/auth/oauth-http.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { httpServer } from '../helpers/servers.ts';
import { ACCESS, begin, CODE, tokens } from './going.ts';
import { issue, jwt, loginServer, loginWorld } from './login-world.ts';

const REFRESH = 'refresh-token-of-ana-1234567890';
const SECRET = 'secret of the chain: 1234567890';

const confidential: Client = { id: 'chain:ci', secret: SECRET };
const basic = `Basic ${Buffer.from(
  `chain%3Aci:${new URLSearchParams([['', SECRET]]).toString().slice(1)}`,
).toString('base64')}`;
const unknownClient = { status: 401, body: { error: 'invalid_client' } };

test('a client whose Authorization header is rejected is sent in the form, once, with the same code', async () => {
  await using server = await loginServer({
    '/token': (_, { authorization }) => (authorization === undefined ? issue(ACCESS) : unknownClient),
  });
  const login = await begin({ ...server, client: confidential });
  await login.back({ code: CODE });

  expect(await login.end).toMatchObject({ accessToken: ACCESS, clientAuth: 'post' });
  expect(server.requests.map(({ authorization, form }) => [authorization, form['code']])).toEqual([
    [basic, CODE],
    [undefined, CODE],
  ]);
});

test.each([
  [
    'an unknown client',
    confidential,
    unknownClient,
    2,
    4,
    'Check the client id and the client secret. To be asked for the secret: --confidential',
  ],
  ['a rejected code', confidential, { status: 400, body: { error: 'invalid_grant' } }, 1, 4, 'Log in again.'],
  [
    'an HTML page',
    confidential,
    { status: 404, body: '<html>' },
    1,
    1,
    expect.stringContaining('Check the token URL'),
  ],
])('%s ends the login', async (_, client, answer, times, exitCode, hint) => {
  await using server = await tokens(answer);
  const login = await begin({ ...server, client });
  const { status, body } = await login.back({ code: CODE });

  expect(await login.end).toMatchObject({
    exitCode,
    hint,
    message: expect.stringContaining('Could not get a token for this login: '),
  });
  expect(status).toBe(400);
  expect(body).toContain('Could not get a token for this login: ');
  expect(server.requests).toHaveLength(times);
});

test('a code whose exchange may have arrived is not resent', async () => {
  let requests = 0;
  await using server = await httpServer((_, response) => {
    requests += 1;
    response.destroy();
  });
  const provider = { ...server, authorizationUrl: `${server.origin}/authorize`, sendsIssuer: false };
  const login = await begin({ provider: { ...provider, tokenUrl: `${server.origin}/token` } });
  await login.back({ code: CODE });

  expect(await login.end).toMatchObject({ code: 'reset', exitCode: 7 });
  expect(requests).toBe(1);
});

test('a code whose exchange was not sent is resent after a pause', async () => {
  await using server = await tokens();
  const { http } = loginWorld(() => {});
  const events: string[] = [];
  const request: typeof http.request = async (wire) => {
    events.push('attempt');
    if (events.length < 5) throw new WireFailure('refused', 'nobody is there.', { sent: false });
    return http.request(wire);
  };
  // The user takes time to log in; no time passes between the attempts.
  const sleep: typeof http.clock.sleep = (ms, signal) =>
    ms < 60_000
      ? setImmediate().then(() => void events.push('pause'))
      : loginWorld().http.clock.sleep(ms, signal);
  const login = await begin({ ...server, http: { ...http, request, clock: { ...http.clock, sleep } } });
  await login.back({ code: CODE });

  expect(await login.end).toMatchObject({ accessToken: ACCESS });
  expect(events).toEqual(['attempt', 'pause', 'attempt', 'pause', 'attempt']);
});

test('codes, verifiers and tokens are redacted as soon as they are known, rejected ones too', async () => {
  const idToken = jwt({ sub: 'ana' });
  await using server = await tokens(
    issue('two words of a token', { refresh_token: REFRESH, id_token: idToken }),
  );
  const login = await begin(server);
  const { body } = await login.back({ code: CODE });
  await login.end;
  const verifier = server.requests[0]?.form['code_verifier'] ?? 'none';
  const secrets = [CODE, verifier, REFRESH, idToken, 'two words of a token'];

  expect(login.world.http.redactor.text(secrets.join(' '))).not.toMatch(new RegExp(secrets.join('|')));
  for (const secret of secrets) expect(body).not.toContain(secret);
});
