import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { clients, type Identity, startIdentity } from './identity.ts';
import { logIn, visit } from './identity-login.ts';
import { logAnaIn, storedOf } from './logged-in.ts';

beforeAll(() => setup(), 120_000);

/** The refreshes that the server received: their count, and those that were reused or rejected. */
function refreshesOf(identity: Identity) {
  const refreshes = identity.refreshes();
  return {
    count: refreshes.length,
    reused: identity.reused(),
    refused: refreshes.filter(({ status }) => status !== 200),
  };
}

const once = { count: 1, reused: [], refused: [] };

/** A manifest of that many invitations. */
function invitations(home: Home, count: number): string {
  const path = join(home.folder, 'people.json');
  const list = Array.from({ length: count }, (_, n) => ({
    email: `guest-${n}@example.com`,
    role: 'Housekeeping',
    properties: ['BER'],
  }));
  writeFileSync(path, JSON.stringify({ invitations: list }));
  return path;
}

test.each([clients.native, clients.basic, clients.post])(
  'an expired token is refreshed for the client $id, and the new tokens are stored',
  async (client) => {
    await using identity = await startIdentity();
    await using home = await openHome();
    const env = await logAnaIn(home, identity, { client, expiresAt: 0 });
    const before = await storedOf(home);

    const results = [
      await home.innctl(['users', 'me', '-o', 'json'], env),
      await home.innctl(['users', 'me'], env),
    ];

    expect(results).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
    expect(refreshesOf(identity)).toEqual(once);
    const after = await storedOf(home);
    expect(after.secrets.refresh_token).not.toBe(before.secrets.refresh_token);
    expect(after.login).not.toHaveProperty('refresh_begun');
  },
);

test('8 workers of one run with many expiring tokens send each refresh token once', async () => {
  await using identity = await startIdentity({ uses: 25 });
  await using home = await openHome();
  const env = await logAnaIn(home, identity);

  const ended = await home.innctl(
    ['apply', invitations(home, 120), '--yes', '--concurrency', '8', '-o', 'json'],
    env,
  );

  expect(ended).toMatchObject({ exitCode: 0 });
  const invited = identity.log().filter(({ method, path, status }) => {
    return method === 'POST' && path?.includes('invit') === true && status < 300;
  });
  expect(invited).toHaveLength(120);
  const refused = identity.log().filter(({ route, status }) => route === 'service' && status === 401);
  expect(refused.length).toBeGreaterThan(3);
  expect(refreshesOf(identity)).toEqual({ ...once, count: expect.any(Number) });
  expect(identity.refreshes().length).toBeGreaterThan(3);
});

test('8 processes with many expiring tokens send each refresh token once', async () => {
  await using identity = await startIdentity({ uses: 30 });
  await using home = await openHome();
  const env = await logAnaIn(home, identity);
  const list = ['properties', 'list', '--all', '--page-size', '1', '-q'];

  const rounds = Array.from({ length: 8 }, async () => {
    const results = [];
    for (let round = 0; round < 5; round += 1) results.push(await home.innctl(list, env));
    return results;
  });
  const ended = (await Promise.all(rounds)).flat();

  expect(ended.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(Array(40).fill([0, '']));
  expect(refreshesOf(identity)).toEqual({ ...once, count: expect.any(Number) });
  expect(identity.refreshes().length).toBeGreaterThan(2);
});

test('the server ends a login whose refresh token is sent twice, and says so', async () => {
  await using identity = await startIdentity();
  const { refresh_token: first } = await logIn(identity);
  const refresh = async (token: string) => {
    const form = { grant_type: 'refresh_token', client_id: clients.native.id, refresh_token: token };
    const { status, body } = await visit().post(identity.tokenUrl, form);
    return { status, ...JSON.parse(body) };
  };

  const { refresh_token: second } = await refresh(first);
  expect(identity.reused()).toEqual([]);
  expect(await refresh(first)).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(await refresh(second)).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(identity.reused()).toEqual([identity.refreshes()[0]?.token]);
});
