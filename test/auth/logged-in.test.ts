import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { test } from '../config/with-folder.ts';
import { cli } from '../helpers/cli.ts';
import { httpServer } from '../helpers/servers.ts';
import { storeLogin } from './person.ts';

const ana = { subjectId: 'ana', email: 'ana@example.com', firstName: 'Ana', lastName: 'Alves' };

/** A server that issues tokens, and a service that only accepts the newest. */
async function hotels() {
  const requested: string[] = [];
  const clients: unknown[] = [];
  let tokens = 0;
  const server = await httpServer(async (request, response) => {
    const isToken = request.method === 'POST';
    const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    if (isToken) {
      tokens += 1;
      clients.push(form.get('client_id'));
    }
    const isIn = isToken || request.headers.authorization === `Bearer token-${tokens}-of-ana`;
    requested.push(`${request.method} ${request.url} ${isIn ? 200 : 401}`);
    response.writeHead(isIn ? 200 : 401, { 'content-type': 'application/json' });
    const fresh = { access_token: `token-${tokens}-of-ana`, refresh_token: `refresh-${tokens}-of-ana` };
    response.end(JSON.stringify(isToken ? { ...fresh, token_type: 'Bearer' } : isIn ? ana : {}));
  });
  return { ...server, requested, clients };
}

function writeProfile(folder: string, origin: string, more: object = { client_id: 'innctl' }): void {
  const profile = { identity_url: origin, base_url: origin, auth: 'user', ...more };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles: { ana: profile } }));
}

const me = 'users me --profile ana --json';

test.for([
  ['innctl', 'innctl'],
  [undefined, 'another'],
])(
  'a refresh token is sent with the client of its login (%s), or else with the current client',
  async ([own, sent], { folder }) => {
    await using server = await hotels();
    writeProfile(folder, server.origin);
    const login = own && { client_id: own };
    await storeLogin(
      { folder, tokenUrl: `${server.origin}/connect/token` },
      { expiresAt: 0, ...(login && { login }) },
    );

    const env = { INNCTL_PROFILE: 'ana', INNCTL_CLIENT_ID: 'another' };
    expect(await cli('users me', { folder, connect: connectUndici, env })).toMatchObject({ exitCode: 0 });
    expect(server.clients).toEqual([sent]);
  },
);

test.for([
  ['/connect/token', undefined],
  ['/oauth/token', '/oauth/token'],
] as const)('a login without a token URL is refreshed at %s', async ([path, known], { folder }) => {
  await using server = await hotels();
  const settings = known && { token_url: `${server.origin}${known}` };
  writeProfile(folder, server.origin, { client_id: 'innctl', ...settings });
  const login = { token_url: undefined };
  await storeLogin({ folder, tokenUrl: `${server.origin}/connect/token` }, { expiresAt: 0, login });

  expect(await cli(me, { folder, connect: connectUndici })).toMatchObject({ exitCode: 0 });
  expect(server.requested).toEqual([`POST ${path} 200`, 'GET /api/v1/users/me 200']);
});

test.for([
  ['another base URL', {}, { INNCTL_BASE_URL: 'https://api.example.com' }, 'credential_bound'],
  ['another token URL', { token_url: 'https://id.example.com/token' }, {}, 'credential_bound'],
  ['no client', { client_id: undefined }, {}, 'not_logged_in'],
] as const)('with %s nothing is sent', async ([_, more, env, code], { folder }) => {
  await using server = await hotels();
  writeProfile(folder, server.origin, { client_id: 'innctl', ...more });
  await storeLogin({ folder, tokenUrl: `${server.origin}/connect/token` }, { expiresAt: 0 });

  const ended = await cli('users me --json', {
    folder,
    connect: connectUndici,
    env: { INNCTL_PROFILE: 'ana', ...env },
  });

  expect([ended.exitCode, JSON.parse(ended.stderr).error.code]).toEqual([4, code]);
  expect(server.requested).toEqual([]);
});
