import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { test } from '../config/with-folder.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { httpServer } from '../helpers/servers.ts';
import { jwt } from './login-world.ts';

const ofAna = { account_code: 'AURORA', sub: 'ana-7', client_id: 'AURORA-WEB', email: 'ana@aurora.example' };
const API = hotels.INNCTL_BASE_URL;
const IDENTITY = hotels.INNCTL_IDENTITY_URL;
const line = 'properties get BER --json';

onlyIntercepted();

const berlin = () => nock(API).get('/inventory/v1/properties/BER').reply(200, { id: 'BER' });
const me = () => nock(IDENTITY).get('/api/v1/users/me');
const errorOf = ({ stderr }: { readonly stderr: string }) => JSON.parse(stderr).error;

describe('a token with an account', () => {
  const env = { ...hotels, INNCTL_TOKEN: jwt(ofAna) };

  test('is used without a request when that account is expected', async () => {
    berlin();

    expect(await cli(`${line} --expect-account AURORA`, { env })).toMatchObject({ exitCode: 0 });
  });

  test.for(['BOREAL', 'aurora', 'AURORA2', 'ana-7', 'AURORA-WEB', 'ana@aurora.example'])(
    'is rejected when another account is expected, even for a read: %s',
    async (expected) => {
      const ended = await cli(`${line} --expect-account ${expected}`, { env });

      expect({ ...ended, stderr: errorOf(ended) }).toEqual({
        exitCode: 11,
        stdout: '',
        stderr: expect.objectContaining({
          code: 'account_mismatch',
          message: `The expected account is ${expected} (flag --expect-account), but the token of INNCTL_TOKEN belongs to account AURORA. Nothing was written.`,
        }),
      });
    },
  );
});

describe('a token without an account', () => {
  test('is looked up once, however many requests there are', async () => {
    me().reply(200, { subject_id: 'subject-of-ana' });
    nock(API)
      .get('/inventory/v1/properties')
      .query(true)
      .twice()
      .reply(200, (uri) => {
        const number = Number(new URL(uri, API).searchParams.get('page_number'));
        const items =
          number === 1
            ? Array.from({ length: 100 }, (_, index) => ({ id: `H${index}`, name: 'H' }))
            : [{ id: 'BER', name: 'H' }];
        return { count: 101, items };
      });

    const listed = await cli('properties list --all -q --expect-account subject-of-ana', { env: hotels });

    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('BER\n') });
  });

  test.for([403, 404])('is rejected when users/me is not available (%i)', async (status) => {
    me().reply(status, {});

    const ended = await cli(`${line} --expect-account AURORA`, { env: hotels });

    expect({ exitCode: ended.exitCode, message: errorOf(ended).message }).toEqual({
      exitCode: 11,
      message:
        'The expected account is AURORA (flag --expect-account), but the token of INNCTL_TOKEN does not show its account. Nothing was written.',
    });
  });
});

describe('with an expected account', () => {
  const env = { ...hotels, INNCTL_TOKEN: jwt(ofAna) };
  const store = (folder: string, chain: object) =>
    writeFileSync(
      join(folder, 'config.json'),
      JSON.stringify({ version: 1, active_profile: 'chain', profiles: { chain } }),
    );
  const urls = { identity_url: IDENTITY, base_url: API };

  test.for([
    { flag: 'AURORA', variable: 'BOREAL', profile: 'AURORA', wrong: 'BOREAL (INNCTL_EXPECT_ACCOUNT)' },
    { flag: 'BOREAL', variable: 'AURORA', profile: 'AURORA', wrong: 'BOREAL (flag --expect-account)' },
    { flag: 'AURORA', variable: 'AURORA', profile: 'BOREAL', wrong: 'BOREAL (profile chain)' },
  ])('all sources must match: $wrong', async ({ flag, variable, profile, wrong }, { folder }) => {
    store(folder, { ...urls, expect_account: profile });

    const ended = await cli(`${line} --expect-account ${flag}`, {
      folder,
      env: { ...env, INNCTL_EXPECT_ACCOUNT: variable },
    });

    expect(errorOf(ended).message).toContain(`The expected account is ${wrong}, but`);
  });
});

test('nothing is sent to a real service before the account is known', async () => {
  nock.enableNetConnect('127.0.0.1');
  const requests: string[] = [];
  await using server = await httpServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json').end('{"subject_id":"ben-8"}');
  });
  const env = {
    INNCTL_IDENTITY_URL: server.origin,
    INNCTL_BASE_URL: server.origin,
    INNCTL_TOKEN: 'token-of-ben-1234567890',
  };

  const ended = await cli('properties delete BER --confirm BER --json --expect-account ana-7', {
    env,
    connect: connectUndici,
  });

  expect({ exitCode: ended.exitCode, requests }).toEqual({
    exitCode: 11,
    requests: ['GET /api/v1/users/me'],
  });
});
