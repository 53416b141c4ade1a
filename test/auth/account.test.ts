import { beforeEach, describe, expect, test } from 'vitest';
import { findAccount } from '../../src/auth/account.ts';
import { bearerCredentials } from '../../src/auth/credentials.ts';
import { changeCredential } from '../../src/config/credentials.ts';
import { resolveSettings } from '../../src/config/resolve.ts';
import { CliError } from '../../src/model/errors.ts';
import type { ServiceRecord } from '../../src/model/records.ts';
import type { Credentials } from '../../src/service/exchange.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { neverAborted } from './chain.ts';
import { jwt } from './login-world.ts';

const OPAQUE = 'token-of-ana-1234567890';
const urls = { identity_url: 'https://identity.chain.example', base_url: 'https://api.chain.example' };
const profiles = {
  chain: { ...urls, auth: 'token' },
  hotel: { ...urls, auth: 'token' },
  ana: { ...urls, auth: 'user', client_id: 'INNCTL' },
  ben: { ...urls, auth: 'user', client_id: 'INNCTL' },
  ci: { ...urls, auth: 'client-credentials', client_id: 'CHAIN-CI' },
};

let folder = '';

beforeEach(async () => {
  folder = await temporaryFolder();
});

interface Situation {
  readonly token: string;
  readonly grant?: Credentials['grant'];
  readonly profile?: string;
  readonly env?: Record<string, string>;
  /** The response of users/me, or the status or the error of its rejection. */
  readonly me?: ServiceRecord | number | CliError | undefined;
}

/** The account, and the number of requests to users/me. */
async function found({ token, grant = 'token', profile, env = {}, me = 403 }: Situation) {
  const settings = resolveSettings({ flags: { profile }, env, document: { version: 1, profiles } });
  let requested = 0;
  const source = profile === undefined ? 'INNCTL_TOKEN' : `profile ${profile}`;
  const credentials = { ...bearerCredentials(token, source), grant };
  const shown = async () => {
    requested += 1;
    if (me instanceof CliError) throw me;
    if (typeof me === 'number') throw new CliError('refused', 'The service refused.', { status: me });
    return me;
  };
  const account = await findAccount({
    credentials,
    settings,
    folder,
    signal: neverAborted(),
    me: shown,
  });
  return { ...account, requested };
}

const known = (text: string, requested = 0) => ({
  text,
  name: text.replace(/^(account|user|client) /, ''),
  requested,
});

describe('a JSON web token', () => {
  test.each([
    [{ account_code: 'AURORA', client_id: 'AURORA-WEB', sub: 'ana-7' }, 'account AURORA'],
    [{ account_code: 4711, sub: 'ana-7' }, 'account 4711'],
    [{ sub: 'ana-7', client_id: 'AURORA-WEB' }, 'user ana-7'],
    [{ sub: 'AURORA-CI', client_id: 'AURORA-CI' }, 'client AURORA-CI'],
  ])('names %j as %s, without a request', async (claims, text) => {
    expect(await found({ token: jwt({ ...claims, exp: 1 }) })).toEqual(known(text));
    expect(await found({ token: jwt({ ...claims, exp: 2, jti: 'b' }) })).toEqual(known(text));
  });

  test('that names only a client may belong to any user of that client, so users/me is requested', async () => {
    const token = jwt({ client_id: 'AURORA-WEB' });

    expect(await found({ token, me: { subject_id: 'ana-7' } })).toEqual(known('user ana-7', 1));
    expect(await found({ token, me: 403 })).toEqual(known('client AURORA-WEB', 1));
  });
});

describe('an opaque token', () => {
  test.each([
    [{ account_code: 'AURORA', subject_id: 'ana-7' }, 'account AURORA'],
    [{ subject_id: 'ana-7', email: 'ana@aurora.example' }, 'user ana-7'],
  ])('has the account that users/me shows: %j', async (me, text) => {
    expect(await found({ token: OPAQUE, me })).toEqual(known(text, 1));
    expect(await found({ token: 'renewed-token-0987654321', me })).toEqual(known(text, 1));
  });

  test.each<Situation['me']>([
    ...[400, 403, 404, 405, 406, 410, 422, 501],
    {},
    { subject_id: '', email: 7, account: { code: 'AURORA' } },
    new CliError('malformed_answer', 'The service answered with a page of HTML.'),
  ])('without an account in users/me gets an unknown account of its own: %j', async (me) => {
    const one = await found({ token: OPAQUE, me });
    const again = await found({ token: OPAQUE, me });
    const other = await found({ token: 'token-of-ben-1234567890', me });
    const elsewhere = await found({ token: OPAQUE, me, env: { INNCTL_BASE_URL: 'https://api.example' } });

    expect(one).toEqual({
      text: expect.stringMatching(/^unknown account of credential [0-9a-f]{16}$/),
      name: undefined,
      requested: 1,
    });
    expect(again).toEqual(one);
    expect(new Set([one, other, elsewhere].map(({ text }) => text)).size).toBe(3);
  });

  test.each([401, 429, 500, 503])('rejects with status %i when users/me does', async (status) => {
    await expect(found({ token: OPAQUE, me: status })).rejects.toMatchObject({ status });
  });
});

describe('a profile', () => {
  const save = (profile: string, secret: object) =>
    changeCredential(folder, profile, () => ({ origins: [], ...secret }), new AbortController().signal);

  test.each([
    [{ subject: 'ana-7', account: 'AURORA', name: 'Ana' }, known('account AURORA')],
    [{ subject: 'ana-7', email: 'ana@aurora.example' }, known('user ana-7')],
  ])('has the account of its login: %j', async (who, account) => {
    await save('ana', { keyring: 'ana', login: { method: 'web', who } });

    expect(await found({ profile: 'ana', grant: 'user', token: OPAQUE })).toEqual(account);
  });

  test('has the account of its newest token when the login names another', async () => {
    await save('ana', { keyring: 'ana', login: { method: 'web', who: { account: 'AURORA' } } });

    expect(await found({ profile: 'ana', grant: 'user', token: jwt({ account: 'BOREAS' }) })).toEqual(
      known('account BOREAS'),
    );
  });

  test('whose login names no account gets an unknown account of its own, whatever its tokens', async () => {
    await save('ana', { keyring: 'ana', login: { method: 'web' } });
    const ana = (token: string) => found({ profile: 'ana', grant: 'user', token });
    const one = await ana(OPAQUE);

    expect(one.name).toBe(undefined);
    expect(await ana('renewed-token-0987654321')).toEqual(one);
    expect((await found({ profile: 'ben', grant: 'user', token: OPAQUE })).text).not.toBe(one.text);
  });

  test('with client credentials has the account of its client, unless the token names an account', async () => {
    const ci = { profile: 'ci', grant: 'client-credentials' } as const;

    expect(await found({ ...ci, token: OPAQUE })).toEqual(known('client CHAIN-CI'));
    expect(await found({ ...ci, token: jwt({ sub: 'x' }) })).toEqual(known('client CHAIN-CI'));
    expect(await found({ ...ci, token: jwt({ account: 'AURORA' }) })).toEqual(known('account AURORA'));
  });
});

test('the sandbox is its own account', async () => {
  const account = await found({ token: OPAQUE, profile: 'sandbox' });

  expect(account).toEqual(known('sandbox'));
});
