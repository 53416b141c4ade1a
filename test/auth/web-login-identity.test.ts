import { expect, test } from 'vitest';
import type { Provider } from '../../src/auth/provider.ts';
import { begin, CODE } from './going.ts';
import { jwt, loginServer } from './login-world.ts';
import { issue } from './token-server.ts';

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
  ['no nonce', () => ({}), /nonce/],
  ['another issuer', (nonce: string) => ({ nonce, iss: 'https://evil.example' }), /issuer/],
  ['another client', (nonce: string) => ({ nonce, aud: 'somebody' }), /audience/],
  ['a past expiry', (nonce: string) => ({ nonce, exp: 1 }), /expiration/],
  ['a numeric subject', (nonce: string) => ({ nonce, sub: 7 }), /sub/],
])('an ID token with %s is rejected', async (_, claims, message) => {
  const { end, got } = await identified(claims);

  expect(end).toMatchObject({
    code: 'malformed_answer',
    exitCode: 1,
    message: expect.stringMatching(message),
  });
  expect(got).toMatchObject({ status: 400, body: expect.stringContaining('You are not logged in') });
});

test('an expired ID token hints at the local clock', async () => {
  const { end } = await identified((nonce) => ({ nonce, exp: 1 }));

  expect(end).toMatchObject({ hint: 'Check the clock of this machine.' });
});

test('an ID token must use a signature algorithm of the discovery document', async () => {
  const { end } = await identified((nonce) => ({ nonce }), { signingAlgorithms: ['ES256'] }, 'none');

  expect(end).toMatchObject({ code: 'malformed_answer', exitCode: 1 });
});
