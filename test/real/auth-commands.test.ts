import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { clients, startIdentity } from './identity.ts';
import { agree, visit } from './identity-login.ts';
import { PAGE, startLogin } from './login.ts';

test('revokes refresh token and access token', async () => {
  setup();
  await using identity = await startIdentity();
  await using home = await openHome();
  const visitor = visit();
  const login = startLogin(home, identity, ['--web']);
  await visitor.get(await agree(visitor, await login.waitFor(PAGE)));
  expect(await login.ended).toMatchObject({ exitCode: 0 });
  const stored = await readFile(join(home.folder, '.config/innctl/credentials.json'), 'utf8');
  const { cached_token, refresh_token } = JSON.parse(stored).profiles.chain;
  // The server is asked without innctl.
  const headers = { authorization: `Bearer ${cached_token.access_token}` };
  const used = async () => (await fetch(`${identity.issuer}/api/v1/users/me`, { headers })).status;
  expect(await used()).toBe(200);

  const ended = await home.innctl(['logout', '--profile', 'chain', '--json']);

  expect({ ...ended, stdout: JSON.parse(ended.stdout) }).toEqual({
    exitCode: 0,
    stdout: { profile: 'chain', logged_out: true, revoked: true },
    stderr: '',
  });
  const form = { grant_type: 'refresh_token', refresh_token, client_id: clients.native.id };
  const refreshed = await visitor.post(identity.tokenUrl, form);
  expect([await used(), refreshed.status]).toEqual([401, 400]);
  expect((await home.innctl(['users', 'me', '--profile', 'chain'])).exitCode).toBe(4);
});

test.each([clients.basic, clients.post])('$id works and ends with client credentials', async (client) => {
  setup();
  await using identity = await startIdentity();
  await using home = await openHome();
  await writeFile(join(home.folder, 'token.txt'), client.secret);
  const url = identity.issuer;
  const login = ['login', '--client-credentials', '-p', 'ci', '--identity-url', url, '--base-url', url];
  const who = ['--client-id', client.id, '--client-secret-file', join(home.folder, 'token.txt'), '--scope'];

  const logged = await home.innctl([...login, ...who, 'setup.manage', '--insecure-storage']);
  expect(logged).toMatchObject({ exitCode: 0 });
  expect(await home.innctl(['properties', 'list', '-q'])).toMatchObject({ stdout: 'BER\nMUC\nVIE\n' });
  const token = (await home.innctl(['auth', 'token', '-p', 'ci'])).stdout.trim();
  const ended = await home.innctl(['logout', '-p', 'ci', '--json']);

  expect(JSON.parse(ended.stdout)).toEqual({ profile: 'ci', logged_out: true, revoked: true });
  const used = await fetch(`${url}/inventory/v1/properties`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(used.status).toBe(401);
});
