import nock from 'nock';
import { describe, expect } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { test } from '../config/with-folder.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { sandbox } from '../sandbox/harness.ts';
import {
  API,
  anaInBrowser,
  IDENTITY,
  machine,
  NOON,
  pasted,
  type StoredLogin,
  storeLogins,
} from './logins.ts';

onlyIntercepted();

const apaleo = { ...hotels, INNCTL_DIALECT: 'apaleo' };
const [identity, api] = [hotels.INNCTL_IDENTITY_URL, hotels.INNCTL_BASE_URL];
const GENERIC = 'Ask for the missing right or scope, or use another profile.';

const errorOf = async (line: string | readonly string[], situation: Parameters<typeof cli>[1]) => {
  const { exitCode, stderr } = await cli(line, situation);
  const { hint, code, status } = JSON.parse(stderr).error;
  return { exitCode, code, status, hint };
};

const forbidden = (hint: string) => ({ exitCode: 5, code: 'forbidden', status: 403, hint });

describe('a 403 names the scopes that the operation needs', () => {
  const tail = 'set INNCTL_TOKEN to a token that has it, or use another profile.';
  const users = 'one of the scopes identity:account-users.read, identity:account-users.manage';

  test.for<readonly [line: string, method: string, url: string, needs: string]>([
    ['users get ana-1', 'GET', `${identity}/api/v1/users/ana-1`, users],
    [
      'invitations delete ana@example.com --yes',
      'DELETE',
      `${identity}/api/v1/account/invitations/ana%40example.com`,
      'the scope identity:account-users.manage',
    ],
    [
      'properties update BER --tax-id DE2 --no-verify',
      'PATCH',
      `${api}/inventory/v1/properties/BER`,
      'one of the scopes properties.manage, setup.manage',
    ],
    ['api GET /API/v1/Users/ana-1', 'GET', `${identity}/API/v1/Users/ana-1`, users],
  ])('%s', async ([line, method, url, needs]) => {
    nock(new URL(url).origin)
      .intercept(url.slice(new URL(url).origin.length), method)
      .reply(403, { messages: ['No.'] });

    expect(await errorOf(`${line} --json`, { env: apaleo })).toEqual(
      forbidden(`This needs ${needs}: ${tail}`),
    );
  });

  test.for<readonly [line: string, path: string, env: Readonly<Record<string, string>>]>([
    ['roles list', '/api/v1/roles', apaleo],
    ['users list', '/api/v1/users?page_size=100&page_number=1', hotels],
    ['api GET /api/v1/account/invitations', '/api/v1/account/invitations', hotels],
  ])(
    'is unchanged if the operation needs none or the dialect defines none: %s',
    async ([line, path, env]) => {
      nock(identity).get(path).reply(403);

      expect(await errorOf(`${line} --json`, { env })).toEqual(forbidden(GENERIC));
    },
  );

  test('is unchanged for an HTML page', async () => {
    nock(identity).get('/api/v1/account/invitations').reply(403, '<html><title>Blocked</title></html>');

    expect(await errorOf('invitations list --json', { env: apaleo })).toMatchObject({
      code: 'html_answer',
      hint: 'Check the URL, and whether a proxy or a login page is in between.',
    });
  });
});

test.for([hotels, apaleo])('scopes named in the response take precedence, in every dialect', async (env) => {
  const challenge = 'Bearer error="insufficient_scope", scope="users.read users.export"';
  nock(identity).get('/api/v1/roles').reply(403, '', { 'www-authenticate': challenge });

  expect(await errorOf('roles list --json', { env })).toEqual(
    forbidden(
      'This needs the scopes users.read, users.export: set INNCTL_TOKEN to a token that has them, or use another profile.',
    ),
  );
});

describe('the hint depends on the login method', () => {
  const answers403 = () =>
    nock(API)
      .patch('/inventory/v1/properties/BER')
      .reply(403, { messages: ['No.'] });
  const hintFor = async (folder: string, login: StoredLogin, env: Readonly<Record<string, string>> = {}) => {
    await storeLogins(folder, { chain: { ...login, settings: { ...login.settings, dialect: 'apaleo' } } });
    answers403();
    const { hint } = await errorOf('properties update BER --tax-id DE2 --no-verify --json', {
      folder,
      env,
      now: NOON,
    });
    const needs = 'This needs one of the scopes properties.manage, setup.manage: ';
    expect(hint).toContain(needs);
    return hint.slice(needs.length).replace(', or use another profile.', '');
  };
  const withScope = (login: StoredLogin, scope: string): StoredLogin => ({
    ...login,
    settings: { ...login.settings, scope },
  });
  const issuesToken = () =>
    nock(IDENTITY)
      .post('/connect/token')
      .reply(200, { access_token: 'token-1234567890', token_type: 'Bearer' });

  test('a person logs in again with the granted scopes and the missing one', async ({ folder }) => {
    expect(await hintFor(folder, anaInBrowser)).toBe(
      "log in again with it (innctl login --profile chain --scope 'openid offline_access properties.manage')",
    );
  });

  test('a person whose login has the scope needs a right', async ({ folder }) => {
    const login = { method: 'web' as const, scope: 'openid setup.manage' };
    const facts = { ...anaInBrowser.facts, login };

    expect(await hintFor(folder, { ...anaInBrowser, facts })).toBe(
      'the login has it, so ask for the right that is missing',
    );
  });

  test('a client adds the scope to its settings', async ({ folder }) => {
    issuesToken();

    expect(await hintFor(folder, withScope(machine, 'setup.read'))).toBe(
      "ask for it as well (innctl config set scope 'setup.read properties.manage' --profile chain)",
    );
  });

  test('a client with INNCTL_SCOPE adds the scope there', async ({ folder }) => {
    issuesToken();
    const env = { INNCTL_SCOPE: 'setup.read' };

    expect(await hintFor(folder, machine, env)).toBe('add it to INNCTL_SCOPE');
  });

  test.for([machine, withScope(machine, 'setup.manage')])(
    'a client that already requests the scope, or requests no particular scope, needs it allowed at the service',
    async (login, { folder }) => {
      issuesToken();

      expect(await hintFor(folder, login)).toBe('have it allowed to the client at the service');
    },
  );

  test('a given token is replaced', async ({ folder }) => {
    expect(await hintFor(folder, pasted)).toBe('give a token that has it (innctl profiles add chain)');
  });
});

/** A client of a sandbox, with the scope that it asks for. */
async function clientOfSandbox() {
  nock.enableNetConnect('127.0.0.1');
  const service = await sandbox({ dialect: 'apaleo', now: Date.now });
  const env = {
    INNCTL_IDENTITY_URL: service.url,
    INNCTL_BASE_URL: service.url,
    INNCTL_DIALECT: 'apaleo',
    INNCTL_CLIENT_ID: service.clientId,
    INNCTL_CLIENT_SECRET: service.clientSecret,
  };
  return (scope: string) => ({ connect: connectUndici, env: { ...env, INNCTL_SCOPE: scope } });
}

test('in the sandbox following the hint succeeds', async ({ folder }) => {
  const situation = await clientOfSandbox();
  const update = (scope: string) =>
    cli('properties update BER --tax-id DE2 --no-verify --json', { folder, ...situation(scope) });

  const rejected = await update('properties.create');
  const corrected = await update('properties.create properties.manage');

  expect({ ...rejected, error: JSON.parse(rejected.stderr).error.hint }).toMatchObject({
    exitCode: 5,
    error:
      'This needs one of the scopes properties.manage, setup.manage: add it to INNCTL_SCOPE, or use another profile.',
  });
  expect(corrected.exitCode).toBe(0);
});

test('in the sandbox a run with forbidden rows names the missing scope', async ({ folder }) => {
  const situation = await clientOfSandbox();
  const stdin = 'email: zoe@example.com\nrole: Housekeeping\nproperties: [BER]\n';

  const { exitCode, stderr } = await cli('apply - --yes --json', {
    ...situation('identity:account-users.read'),
    folder,
    stdin,
  });

  const { code, hint, details } = JSON.parse(stderr).error;
  expect({ exitCode, code, hint }).toEqual({
    exitCode: 9,
    code: 'partly_done',
    hint: expect.stringMatching(
      /^This needs the scope identity:account-users\.manage: add it to INNCTL_SCOPE, or use another profile\.\nFix the rejected rows, then: innctl apply /,
    ),
  });
  expect(details).toHaveLength(1);
});
