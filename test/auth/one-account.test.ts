import { expect, test } from 'vitest';
import { oneAccount } from '../../src/auth/one-account.ts';
import { resolveSettings } from '../../src/config/resolve.ts';
import type { Credentials, Token } from '../../src/service/exchange.ts';
import { neverAborted } from './chain.ts';

/** Credentials with numbered tokens, and the tokens for which users/me was requested. */
function watched(grant: Credentials['grant'], accountOf: (generation: number) => string) {
  let token: Token = { header: 'Bearer 1', generation: 1 };
  const looked: number[] = [];
  const credentials: Credentials = {
    source: 'credential_command',
    grant,
    current: async () => token,
    renew: async () => {
      token = { header: 'Bearer 2', generation: 2 };
      return token;
    },
  };
  const askWho = async () => {
    looked.push(token.generation);
    return { account: accountOf(token.generation) };
  };
  const env = { INNCTL_CLIENT_ID: 'AURORA-CI' };
  const settings = resolveSettings({ flags: {}, env, document: { version: 1, profiles: {} } });
  const folder = '/nowhere';
  return { looked, ...oneAccount({ credentials, settings, folder, askWho, signal: neverAborted() }) };
}

test('each token of a credential command is looked up once', async () => {
  const { account, credentials, looked } = watched('token', () => 'AURORA');
  await account();
  const first = await credentials.current(neverAborted());
  await credentials.current(neverAborted());
  await account();
  const before = looked.length;
  await credentials.renew(first, neverAborted());
  await credentials.current(neverAborted());
  await credentials.current(neverAborted());

  expect({ before: looked.slice(0, before), after: looked.slice(before) }).toEqual({
    before: [1, 1],
    after: [2],
  });
});

test('a token of another account is rejected', async () => {
  const { account, credentials } = watched('token', (generation) => `account ${generation}`);
  await account();
  const first = await credentials.current(neverAborted());

  await expect(credentials.renew(first, neverAborted())).rejects.toMatchObject({ code: 'account_mismatch' });
  await expect(credentials.current(neverAborted())).rejects.toMatchObject({ exitCode: 11 });
});

test.each<[string, Credentials['grant'], boolean, readonly number[]]>([
  ['before the account was requested', 'token', false, []],
  ['of a login, always refreshed for the same user,', 'user', true, [1]],
  ['of a client, identified by its id,', 'client-credentials', true, []],
])('tokens %s are not looked up', async (_, grant, isAsked, expected) => {
  const { account, credentials, looked } = watched(grant, (generation) => `account ${generation}`);
  if (isAsked) await account();
  const first = await credentials.current(neverAborted());
  await credentials.renew(first, neverAborted());

  expect(looked).toEqual(expected);
});
