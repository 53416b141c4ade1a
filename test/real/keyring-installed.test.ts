import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { openHome, root } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { startKeyring } from './keyring.ts';

const folder = await mkdtemp(join(tmpdir(), 'innctl-installed-'));
const prefix = join(folder, 'apps');
const installed = join(prefix, 'lib/node_modules/innctl');
const packages = join(installed, 'node_modules/@napi-rs');

/** npm with the environment of the user, which configures the registry. */
async function npm(...words: readonly string[]) {
  await using home = await openHome();
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value = '']) => [name, value]));
  const ended = await home.run(['npm', ...words, '--ignore-scripts', '--silent'], { cwd: root, env });
  if (ended.exitCode !== 0) throw new Error(`npm ${words[0]} ended with ${ended.exitCode}: ${ended.stderr}`);
  return ended.stdout.trim();
}

/** A login with the installed program, in a session with an unlocked keyring. */
async function logIn() {
  await using home = await openHome();
  await using session = await startKeyring();
  const service = await startSandbox({ folder: join(home.folder, 'sandbox'), now: Date.now });
  const urls = ['--identity-url', service.url, '--base-url', service.url];
  const login = ['login', '--with-token', '-p', 'chain', ...urls];
  const ended = await home.run([join(prefix, 'bin/innctl'), ...login], {
    cwd: '/',
    env: session.env,
    stdio: 'pipe',
    started: (child) => child.stdin?.end(service.token),
  });
  const me = await home.run([join(prefix, 'bin/innctl'), 'users', 'me'], { cwd: '/', env: session.env });
  await service.close();
  return { ...ended, me: me.exitCode, kept: await session.lookup('chain'), token: service.token };
}

beforeAll(async () => {
  setup();
  const tarball = await npm('pack', '--pack-destination', folder);
  await npm('install', '--global', '--prefix', prefix, join(folder, tarball));
}, 300_000);

afterAll(() => rm(folder, { recursive: true }));

test('an installation includes the keyring for this platform only, and uses it', async () => {
  const { exitCode, me, kept, token } = await logIn();

  const names = await readdir(packages);
  expect(names).toEqual(['keyring', expect.stringMatching(`^keyring-${process.platform}-${process.arch}`)]);
  expect(await readdir(join(installed, 'node_modules'))).toEqual(['@napi-rs']);
  expect({ exitCode, me, kept }).toEqual({ exitCode: 0, me: 0, kept: JSON.stringify({ token }) });
});

test.each([
  { without: 'the binary for this platform', path: (name: string) => name },
  { without: 'the library', path: () => '' },
])('an installation without $without reports it, and stores nothing', async ({ path }) => {
  const [, part = ''] = (await readdir(packages)).toSorted();
  await rm(join(packages, path(part)), { recursive: true });

  const { exitCode, stderr, me, kept } = await logIn();

  expect({ exitCode, me, kept }).toEqual({ exitCode: 11, me: 4, kept: undefined });
  expect(stderr).toContain(
    'error: The keyring of this system cannot be reached: the optional package @napi-rs/keyring is not installed, or does not support this system. ',
  );
});
