import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { formerAccountOf } from '../../src/auth/account.ts';
import { changeCredential } from '../../src/config/credentials.ts';
import { type Flags, resolveSettings } from '../../src/config/resolve.ts';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (claims: unknown) => `${part({ alg: 'RS256' })}.${part(claims)}.signature`;
const chain = { identity_url: 'https://identity.chain.example', base_url: 'https://api.chain.example' };
const profiles = {
  chain: { ...chain, auth: 'token' },
  ana: { ...chain, auth: 'user', client_id: 'INNCTL' },
  ci: { ...chain, auth: 'client-credentials', client_id: 'CHAIN-CI' },
};

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const accountIn = (env: Record<string, string> = {}, flags: Flags = {}) =>
  formerAccountOf(resolveSettings({ flags, env, document: { version: 1, profiles } }), folder);

const save = (profile: string, secret: object) =>
  changeCredential(folder, profile, () => ({ origins: [], ...secret }), new AbortController().signal);

test('a JSON web token names its account, client and user, and no other claims', () => {
  const claims = { account_code: 'AURORA', client_id: 'AURORA-CI', sub: 'ana' };

  expect(accountIn({ INNCTL_TOKEN: jwt({ ...claims, exp: 1, jti: 'a' }) })).toBe(
    'account AURORA, client AURORA-CI, user ana',
  );
  expect(accountIn({ INNCTL_TOKEN: jwt({ ...claims, exp: 2, jti: 'b' }) })).toBe(
    'account AURORA, client AURORA-CI, user ana',
  );
});

test.each([
  ['opaque', 'token-of-ana'],
  ['a JSON web token with two parts', `${part({})}.${part({ sub: 'ana' })}`],
  ['invalid JSON', 'a.b.c'],
  ['a JSON string', jwt('ana')],
  ['nothing', jwt(null)],
  ['claims that are not strings', jwt({ sub: 7, account: { code: 'A' }, client_id: '' })],
  ['an overlong claim', jwt({ sub: 'x'.repeat(201) })],
])('a token names nothing when it is %s', (_, token) => {
  expect(accountIn({ INNCTL_TOKEN: token })).toBe('');
});

test('a profile is named with the account of its own token', async () => {
  await save('chain', { token: jwt({ account: 'AURORA' }) });

  expect(accountIn({}, { profile: 'chain' })).toBe('profile chain, account AURORA');
});

test.each([
  [{ subject: 'ana', account: 'AURORA', name: 'Ana' }, ', account AURORA, user ana'],
  [{ email: 'ana@example.com' }, ', user ana@example.com'],
  [{}, ''],
])('a login names its user, %j, whatever its current token is', async (who, named) => {
  const login = { method: 'web' as const, who };
  await save('ana', { token: jwt({ sub: 'somebody', jti: 'a' }), login });
  const before = accountIn({}, { profile: 'ana' });
  await save('ana', { keyring: 'ana', login });

  expect([before, accountIn({}, { profile: 'ana' })]).toEqual(
    Array(2).fill(`profile ana, client INNCTL${named}`),
  );
});

test('a credential command names nothing: it is not run for that, and stored credentials are ignored', async () => {
  await save('chain', { token: jwt({ account: 'AURORA' }) });

  expect(accountIn({ INNCTL_PROFILE: 'chain', INNCTL_CREDENTIAL_COMMAND: 'pass chain' })).toBe(
    'profile chain',
  );
});

test('client credentials name the client, whatever token was fetched with them', async () => {
  const secret = {
    client_secret: 'secret',
    cached_token: { access_token: jwt({ sub: 'x' }), expires_at: 1, key: '' },
  };
  await save('ci', { ...secret, token: jwt({ sub: 'of before' }) });

  expect(accountIn({}, { profile: 'ci' })).toBe('profile ci, client CHAIN-CI');
  expect(accountIn({ INNCTL_CLIENT_ID: 'CHAIN-CI', INNCTL_CLIENT_SECRET: 'secret' })).toBe('client CHAIN-CI');
});

test('a client is named once when settings and token name the same', () => {
  const env = { INNCTL_CLIENT_ID: 'CHAIN-CI', INNCTL_TOKEN: jwt({ client_id: 'CHAIN-CI' }) };

  expect(accountIn(env)).toBe('client CHAIN-CI');
});
