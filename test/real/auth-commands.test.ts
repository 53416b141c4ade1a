import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { type Client, clients, type Identity, scopes, startIdentity } from './identity.ts';
import { agree, visit } from './identity-login.ts';
import { PAGE, startLogin } from './login.ts';

let identity: Identity;

beforeAll(async () => {
  setup();
  identity = await startIdentity();
});

afterAll(() => identity[Symbol.asyncDispose]());

/** Logs Ana in, like a headless browser. */
async function logIn(home: Home, at: Identity = identity, client: Client = clients.native): Promise<void> {
  const secret = 'secret' in client ? await secretFile(home, client.secret) : [];
  const login = startLogin(home, at, ['--web', ...secret], { client });
  const visitor = visit(at);
  await visitor.get(await agree(visitor, await login.waitFor(PAGE)));
  expect(await login.ended).toMatchObject({ exitCode: 0 });
}

async function secretFile(home: Home, secret: string): Promise<readonly string[]> {
  const path = join(home.folder, 'token.txt');
  await writeFile(path, secret);
  return ['--client-secret-file', path];
}

interface Tokens {
  readonly token: string;
  readonly refresh_token: string;
}

async function tokensOf({ folder }: Home): Promise<Tokens> {
  const text = await readFile(join(folder, '.config/innctl/credentials.json'), 'utf8');
  return JSON.parse(text).profiles.chain;
}

/** The statuses with which the service and the server answer these tokens, without innctl. */
async function statusesOf({ token, refresh_token }: Tokens) {
  const used = await fetch(`${identity.issuer}/api/v1/users/me`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const refreshed = await visit(identity).post(identity.tokenUrl, {
    grant_type: 'refresh_token',
    refresh_token,
    client_id: clients.native.id,
  });
  return { used: used.status, refreshed: refreshed.status };
}

const revocations = (client: Client) =>
  identity.log().filter((each) => each.route === 'revocation' && each.client === client.id);

describe('logout with oidc-provider', () => {
  test('revokes refresh token and access token', async () => {
    await using home = await openHome();
    await logIn(home);
    const tokens = await tokensOf(home);

    const ended = await home.innctl(['logout', '--profile', 'chain', '--json']);

    expect({ ...ended, stdout: JSON.parse(ended.stdout) }).toEqual({
      exitCode: 0,
      stdout: { profile: 'chain', logged_out: true, revoked: true },
      stderr: '',
    });
    expect(await statusesOf(tokens)).toEqual({ used: 401, refreshed: 400 });
    expect((await home.innctl(['users', 'me', '--profile', 'chain'])).exitCode).toBe(4);
  });

  test.each([clients.basic, clients.post])('authenticates the revocation as $id', async (client) => {
    await using home = await openHome();
    await logIn(home, identity, client);

    expect(await home.innctl(['logout', '--profile', 'chain'])).toMatchObject({ exitCode: 0 });
    const sent = revocations(client).map(({ status, auth }) => ({ status, isAnonymous: auth === 'none' }));
    expect(sent).toEqual(Array(2).fill({ status: 200, isAnonymous: false }));
  });
});

describe('auth status with oidc-provider', () => {
  const status = async (home: Home) => {
    const { exitCode, stdout } = await home.innctl(['auth', 'status', '--json']);
    return { exitCode, ...JSON.parse(stdout) };
  };

  test('exits with 4 after the server revoked the login', async () => {
    await using home = await openHome();
    await logIn(home);
    const { refresh_token: token } = await tokensOf(home);

    const alive = await status(home);
    await visit(identity).post(identity.revocationUrl, { token, client_id: clients.native.id });
    const dead = await status(home);

    expect(alive).toMatchObject({
      exitCode: 0,
      count: 1,
      items: [
        { profile: 'chain', valid: 'yes', method: 'web', stored: 'file', client_id: clients.native.id },
      ],
    });
    expect(dead).toMatchObject({ exitCode: 4, items: [{ profile: 'chain', valid: 'no' }] });
  });

  test('shows the client of a login with client credentials', async () => {
    await using home = await openHome();
    const secret = await secretFile(home, clients.machine.secret);
    const where = ['--identity-url', identity.issuer, '--base-url', identity.issuer];
    const who = ['--client-id', clients.machine.id, '--scope', 'setup.manage', ...secret];
    const login = [
      'login',
      '--client-credentials',
      '--profile',
      'ci',
      ...where,
      ...who,
      '--insecure-storage',
    ];
    expect(scopes).toContain('setup.manage');
    expect(await home.innctl(login)).toMatchObject({ exitCode: 0 });

    const found = await status(home);
    const whoami = await home.innctl(['whoami', '--profile', 'ci', '--json']);
    const token = await home.innctl(['auth', 'token', '--profile', 'ci']);
    const ended = await home.innctl(['logout', '--profile', 'ci', '--json']);

    expect(found).toMatchObject({
      exitCode: 0,
      items: [{ valid: 'yes', who: clients.machine.id, method: 'client-credentials' }],
    });
    expect(JSON.parse(whoami.stdout)).toMatchObject({ type: 'client', client_id: clients.machine.id });
    expect(JSON.parse(ended.stdout)).toEqual({ profile: 'ci', logged_out: true, revoked: true });
    const used = await fetch(`${identity.issuer}/inventory/v1/properties`, {
      headers: { authorization: `Bearer ${token.stdout.trim()}` },
    });
    expect(used.status).toBe(401);
  });
});

test('auth token prints a token that other programs can use', async () => {
  await using home = await openHome();
  await logIn(home);

  const { stdout } = await home.innctl(['auth', 'token', '--profile', 'chain']);

  const me = await fetch(`${identity.issuer}/api/v1/users/me`, {
    headers: { authorization: `Bearer ${stdout.trim()}` },
  });
  expect(me.status).toBe(200);
});
