import { readdirSync } from 'node:fs';
import nock from 'nock';
import { expect } from 'vitest';
import { test } from '../config/with-folder.ts';
import { cli } from '../helpers/cli.ts';
import '../helpers/interceptors.ts';
import { printed } from '../helpers/ended.ts';

const env = {
  INNCTL_IDENTITY_URL: 'https://identity.example.com',
  INNCTL_BASE_URL: 'https://api.example.com',
  INNCTL_ISSUER: 'https://login.example.com',
  INNCTL_CLIENT_ID: 'nightly',
  INNCTL_CLIENT_SECRET: 'secret-of-nightly-1234567890',
};
const description = { issuer: env.INNCTL_ISSUER, token_endpoint: 'https://login.example.com/oauth/token' };

const well = '/.well-known/openid-configuration';

function issuing(path: string) {
  nock('https://login.example.com')
    .post(path, { grant_type: 'client_credentials' })
    .reply(200, { access_token: 'token-of-nightly-1234567890', token_type: 'Bearer', expires_in: 3600 });
  nock('https://identity.example.com', {
    reqheaders: { authorization: 'Bearer token-of-nightly-1234567890' },
  })
    .get('/api/v1/roles')
    .reply(200, { roles: ['Housekeeping'] });
}

test('the issuer of the environment determines the token URL of its client, and nothing is stored', async ({
  folder,
}) => {
  nock('https://login.example.com').get(well).reply(200, description);
  issuing('/oauth/token');

  expect(await cli('roles list', { env, folder })).toEqual(printed('Housekeeping\n'));
  expect(readdirSync(folder)).not.toContain('credentials.json');
});

test('a token URL makes the discovery request unnecessary', async ({ folder }) => {
  issuing('/connect/token');

  const more = { INNCTL_TOKEN_URL: 'https://login.example.com/connect/token' };
  expect(await cli('roles list', { env: { ...env, ...more }, folder })).toMatchObject({ exitCode: 0 });
});

test('without a client id no request is sent', async ({ folder }) => {
  expect(await cli('roles list', { env: { ...env, INNCTL_CLIENT_ID: '' }, folder })).toMatchObject({
    exitCode: 2,
  });
});
