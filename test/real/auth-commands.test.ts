import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { type Client, clients, type Identity, scopes, startIdentity } from './identity.ts';
import { agree, visit } from './identity-login.ts';
import { startKeyring } from './keyring.ts';
import { PAGE, startLogin } from './login.ts';

let identity: Identity;

beforeAll(async () => {
  setup();
  identity = await startIdentity();
});

afterAll(() => identity[Symbol.asyncDispose]());

type Environment = Readonly<Record<string, string>>;

/** Logs Ana in, as a browser without a screen does. */
async function logIn(
  home: Home,
  at: Identity = identity,
  { client = clients.native, env }: { readonly client?: Client; readonly env?: Environment } = {},
): Promise<void> {
  const secret = 'secret' in client ? await secretFile(home, client.secret) : [];
  const login = startLogin(home, at, ['--web', ...secret], { client, ...(env && { env, keyring: true }) });
  const visitor = visit(at);
  await visitor.get(await agree(visitor, await login.said(PAGE)));
  expect(await login.ended).toMatchObject({ exitCode: 0 });
}

/** Nobody is there any more afterwards. */
async function logInAtServerThatEnds(home: Home): Promise<void> {
  await using gone = await startIdentity();
  await logIn(home, gone);
}

async function secretFile(home: Home, secret: string): Promise<readonly string[]> {
  const path = join(home.folder, 'token.txt');
  await writeFile(path, secret);
  return ['--client-secret-file', path];
}

async function tokensOf({
  folder,
}: Home): Promise<{ readonly token: string; readonly refresh_token: string }> {
  const text = await readFile(join(folder, '.config/innctl/credentials.json'), 'utf8');
  return JSON.parse(text).profiles.chain;
}

/** Whether the server still takes both, asked by no program of ours. */
async function worth({ token, refresh_token }: { readonly token: string; readonly refresh_token: string }) {
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

describe('logout at a server that nobody here wrote', () => {
  test('ends refresh token and access token there', async () => {
    await using home = await openHome();
    await logIn(home);
    const tokens = await tokensOf(home);

    const ended = await home.innctl(['logout', '--profile', 'chain', '--json']);

    expect({ ...ended, stdout: JSON.parse(ended.stdout) }).toEqual({
      exitCode: 0,
      stdout: { profile: 'chain', logged_out: true, revoked: true },
      stderr: '',
    });
    expect(await worth(tokens)).toEqual({ used: 401, refreshed: 400 });
    expect((await home.innctl(['users', 'me', '--profile', 'chain'])).exitCode).toBe(4);
  });

  test.each([clients.basic, clients.post])('shows that it is $id who asks', async (client) => {
    await using home = await openHome();
    await logIn(home, identity, { client });

    expect(await home.innctl(['logout', '--profile', 'chain'])).toMatchObject({ exitCode: 0 });
    const asked = revocations(client).map(({ status, auth }) => ({ status, isAnonymous: auth === 'none' }));
    expect(asked).toEqual(Array(2).fill({ status: 200, isAnonymous: false }));
  });

  test('leaves the settings, with which a login logs in again', async () => {
    await using home = await openHome();
    await logIn(home);
    await home.innctl(['logout', '--profile', 'chain']);

    await logIn(home);

    expect(await home.innctl(['whoami', '--profile', 'chain', '-q'])).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  test('works without the server, and says until when the token works on', async () => {
    await using home = await openHome();
    await logInAtServerThatEnds(home);

    const { exitCode, stdout, stderr } = await home.innctl(['logout', '--profile', 'chain', '--json']);

    expect({ exitCode, ...JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      profile: 'chain',
      logged_out: true,
      revoked: false,
    });
    expect(stderr).toMatch(
      /^Could not revoke the refresh token of profile chain: .* The access token remains valid until \d{4}-.*Z\.\n$/,
    );
    const again = await home.innctl(['logout', '--profile', 'chain', '--json']);
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"logged_out": false') });
  });

  test('leaves no entry in the keyring that secret-tool finds', async () => {
    await using home = await openHome();
    await using session = await startKeyring();
    await logIn(home, identity, { env: session.env });
    const before = await session.search();

    const ended = await home.innctl(['logout', '--profile', 'chain'], session.env);

    expect(ended).toMatchObject({ exitCode: 0, stderr: 'Logged out of profile chain.\n' });
    expect(before).toContain('username = chain');
    expect(await session.search()).toBe('');
  });

  test('keeps everything while the keyring is locked, and is done when it is open', async () => {
    await using home = await openHome();
    await using session = await startKeyring();
    await logIn(home, identity, { env: session.env });
    await session.lock();

    const ended = await home.innctl(['logout', '--profile', 'chain'], session.env);

    expect(ended).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('innctl logout --profile chain'),
    });
    expect(await tokensOf(home)).toMatchObject({ keyring: 'chain' });
  });
});

describe('auth status at a server that nobody here wrote', () => {
  const status = async (home: Home) => {
    const { exitCode, stdout } = await home.innctl(['auth', 'status', '--json']);
    return { exitCode, ...JSON.parse(stdout) };
  };

  test('turns to 4 when the server ends the login', async () => {
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

  test('says 7 when the server is away', async () => {
    await using home = await openHome();
    await logInAtServerThatEnds(home);

    expect(await status(home)).toMatchObject({ exitCode: 7, items: [{ valid: 'unknown' }] });
  });

  test('tells a program from a person', async () => {
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

test('auth token prints what the service takes from any program', async () => {
  await using home = await openHome();
  await logIn(home);

  const { stdout } = await home.innctl(['auth', 'token', '--profile', 'chain']);

  const me = await fetch(`${identity.issuer}/api/v1/users/me`, {
    headers: { authorization: `Bearer ${stdout.trim()}` },
  });
  expect(me.status).toBe(200);
});
