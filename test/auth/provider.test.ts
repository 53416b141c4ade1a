import { expect, test } from 'vitest';
import { discover } from '../../src/auth/provider.ts';
import { loginServer, loginWorld, type TokenAnswer } from './login-world.ts';

const OIDC = '/.well-known/openid-configuration';
const OAUTH = '/.well-known/oauth-authorization-server';
const { signal } = new AbortController();

const ask = (issuer: string) =>
  discover(issuer, loginWorld(() => {}).http, signal).catch((cause: unknown) => cause);

/** A server with this discovery document, which may need its origin. */
async function describedBy(describe: (origin: string) => TokenAnswer) {
  let origin = '';
  const server = await loginServer({ [OIDC]: () => describe(origin) });
  origin = server.origin;
  return server;
}

test('OpenID Connect Discovery is supported', async () => {
  await using server = await describedBy((origin) => ({
    body: {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize?tenant=chain`,
      token_endpoint: `${origin}/token`,
      device_authorization_endpoint: `${origin}/device`,
      revocation_endpoint: 'https://identity.example.com/revoke',
      scopes_supported: ['openid', 7, 'offline_access'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      id_token_signing_alg_values_supported: 'RS256',
      authorization_response_iss_parameter_supported: true,
    },
  }));

  expect(await ask(server.origin)).toEqual({
    issuer: server.origin,
    authorizationUrl: `${server.origin}/authorize?tenant=chain`,
    tokenUrl: `${server.origin}/token`,
    deviceAuthorizationUrl: `${server.origin}/device`,
    revocationUrl: 'https://identity.example.com/revoke',
    scopes: ['openid', 'offline_access'],
    clientAuthMethods: ['client_secret_post'],
    signingAlgorithms: undefined,
    sendsIssuer: true,
  });
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([`GET ${OIDC}`]);
});

test('RFC 8414 is supported, which appends the path of the issuer', async () => {
  let origin = '';
  await using server = await loginServer({
    [`${OAUTH}/hotels`]: () => ({
      body: { issuer: `${origin}/hotels`, token_endpoint: `${origin}/hotels/token` },
    }),
  });
  origin = server.origin;

  expect(await ask(`${origin}/hotels`)).toMatchObject({
    issuer: `${origin}/hotels`,
    tokenUrl: `${origin}/hotels/token`,
    authorizationUrl: undefined,
    sendsIssuer: false,
  });
  expect(server.requests.map(({ path }) => path)).toEqual([`/hotels${OIDC}`, `${OAUTH}/hotels`]);
});

test('a server without a discovery document is reported with what to give instead', async () => {
  await using server = await loginServer({});

  expect(await ask(server.origin)).toMatchObject({
    code: 'no_discovery',
    exitCode: 3,
    message: `${server.origin} has no discovery document.`,
    hint: `Check the issuer ${server.origin}, or give its endpoints: --authorization-url and --token-url.`,
  });
});

test.each([
  ['missing in the option', '', '/'],
  ['extra in the option', '/', ''],
])('the trailing slash of the issuer may be %s', async (_, typed, published) => {
  await using server = await describedBy((origin) => ({
    body: { issuer: `${origin}${published}`, token_endpoint: `${origin}/token` },
  }));

  expect(await ask(`${server.origin}${typed}`)).toMatchObject({ issuer: `${server.origin}${published}` });
});

test.each([
  ['another host', 'https://identity.evil.example'],
  ['another path', (origin: string) => `${origin}/tenant`],
])('a document whose issuer has %s is rejected', async (_, issuer) => {
  await using server = await describedBy((origin) => ({
    body: {
      issuer: typeof issuer === 'string' ? issuer : issuer(origin),
      token_endpoint: `${origin}/token`,
    },
  }));

  expect(await ask(server.origin)).toMatchObject({
    code: 'malformed_answer',
    exitCode: 1,
    message: expect.stringMatching(/: it calls itself "http/),
    hint: expect.stringContaining(`Check the issuer ${server.origin},`),
  });
});

test.each([
  ['authorization_endpoint', 'http://identity.example.com/authorize', 'is not encrypted'],
  ['authorization_endpoint', `https://identity.example.com/${'a'.repeat(2_048)}`, 'is longer than'],
  ['token_endpoint', ['https://identity.example.com'], 'is not a text'],
  ['token_endpoint', undefined, 'is missing'],
])('an invalid endpoint is rejected with its field: %s %j', async (field, value, reason) => {
  await using server = await describedBy((origin) => ({
    body: { issuer: origin, token_endpoint: `${origin}/token`, [field]: value },
  }));

  expect(await ask(server.origin)).toMatchObject({
    code: 'malformed_answer',
    exitCode: 1,
    message: expect.stringContaining(`Could not find the endpoints of ${server.origin}: ${field} ${reason}`),
  });
});

test.each([
  ['a list', { body: [] }, 'malformed_answer', 1],
  ['an invalid issuer', { body: { issuer: 'chain' } }, 'malformed_answer', 1],
  [
    'an HTML page',
    { headers: { 'content-type': 'text/html' }, body: '<html><title>Wi-Fi</title>' },
    'malformed_answer',
    1,
  ],
  ['a redirect', { status: 302, headers: { location: 'https://evil.example' }, body: '' }, 'redirected', 1],
  ['503', { status: 503, body: '' }, 'unavailable', 7],
])('a server that answers with %s gets no second discovery request', async (_, answer, code, exitCode) => {
  await using server = await describedBy(() => answer);

  expect(await ask(server.origin)).toMatchObject({
    code,
    exitCode,
    message: expect.stringContaining(`Could not find the endpoints of ${server.origin}: `),
    hint: expect.stringContaining(`Check the issuer ${server.origin},`),
  });
  expect(server.requests).toHaveLength(1);
});

test('an issuer must use https', async () => {
  expect(await ask('http://identity.example.com')).toMatchObject({ exitCode: 2 });
});

test('a remote server cannot have endpoints on this machine', async () => {
  const issuer = 'https://identity.example.com';
  const body = JSON.stringify({ issuer, token_endpoint: 'http://127.0.0.1:8080/token' });
  const { http } = loginWorld();
  const request = async () => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    bytes: Buffer.from(body),
  });

  await expect(discover(issuer, { ...http, request }, signal)).rejects.toMatchObject({
    code: 'malformed_answer',
    message: expect.stringContaining('token_endpoint is not encrypted, and the issuer is: "http://127.0.0.1'),
  });
});
