import nock from 'nock';
import { describe, expect } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { test } from '../config/with-folder.ts';
import { apaleo, cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { sandbox } from '../sandbox/harness.ts';

onlyIntercepted();

const [identity, api] = [hotels.INNCTL_IDENTITY_URL, hotels.INNCTL_BASE_URL];
const ASK = 'Ask for the missing right or scope (innctl login --scope), or use another profile.';
const GENERIC = 'Ask for the missing right or scope, or use another profile.';

const errorOf = async (line: string | readonly string[], situation: Parameters<typeof cli>[1]) => {
  const { exitCode, stderr } = await cli(line, situation);
  const { hint, code, status } = JSON.parse(stderr).error;
  return { exitCode, code, status, hint };
};

const forbidden = (hint: string) => ({ exitCode: 5, code: 'forbidden', status: 403, hint });

describe('a 403 names the scopes that the operation needs', () => {
  const users = 'one of the scopes identity:account-users.read, identity:account-users.manage';

  test.for<readonly [line: string, method: string, url: string, needs: string]>([
    ['users get ana-1', 'GET', `${identity}/api/v1/users/ana-1`, users],
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
      forbidden(`This needs ${needs}. ${ASK}`),
    );
  });

  test.for<readonly [line: string, path: string, env: Readonly<Record<string, string>>]>([
    ['roles list', '/api/v1/roles', apaleo],
    ['users list', '/api/v1/users?page_size=100&page_number=1', hotels],
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
    forbidden(`This needs the scopes users.read, users.export. ${ASK}`),
  );
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
    error: `This needs one of the scopes properties.manage, setup.manage. ${ASK}`,
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

  const { code, details } = JSON.parse(stderr).error;
  expect({ exitCode, code }).toEqual({
    exitCode: 9,
    code: 'partly_done',
  });
  expect(details).toHaveLength(1);
  expect(details[0].reason).toContain('This needs the scope identity:account-users.manage. Ask for');
});
