import { chmod, cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, type Home, openHome, root } from './home.ts';

test('the package contains only the built program, its documents and completions', async () => {
  await using home = await openHome();

  const { stdout } = await home.run(['npm', 'pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
  });

  const [{ files }]: readonly [{ readonly files: readonly { readonly path: string }[] }] = JSON.parse(stdout);
  const parts = files.map(({ path }) => path.replace(/^(dist|completions|man)\/.*/, '$1/'));
  expect([...new Set(parts)].toSorted()).toEqual([
    'LICENSE',
    'NOTICE',
    'README.md',
    'bin/innctl.js',
    'completions/',
    'dist/',
    'man/',
    'package.json',
  ]);
});

test('without completions and manual pages the package has at most 40 files', async () => {
  const names = await readdir(join(root, 'dist'));

  // The other five: the binary, package.json, the licence, the notice and the readme.
  expect(names.length + 5).toBeLessThanOrEqual(40);
});

const chain = [
  ...['-p', 'chain', '--identity-url', 'https://identity.example.com'],
  ...['--base-url', 'https://api.example.com'],
];

test('the packed program installs without a network and runs from any folder, without a keyring', async () => {
  await using home = await openHome();
  const prefix = join(home.folder, 'apps');
  const quiet = ['--ignore-scripts', '--cache', join(home.folder, 'cache'), '--loglevel', 'error'];
  const packed = await home.run(['npm', 'pack', ...quiet, '--pack-destination', home.folder], { cwd: root });
  const tarball = join(home.folder, packed.stdout.trim());

  const installed = await home.run([
    'npm',
    'install',
    '--global',
    '--offline',
    '--prefix',
    prefix,
    ...quiet,
    tarball,
  ]);
  const innctl = join(prefix, 'bin/innctl');
  const ran = await home.run([innctl, '--sandbox', 'properties', 'list'], { cwd: '/' });
  const loggedIn = await home.run([innctl, 'login', '--with-token', ...chain], {
    cwd: '/',
    stdio: 'pipe',
    started: (child) => child.stdin?.end('token-of-ana-1234567890'),
  });

  expect(installed).toMatchObject({ exitCode: 0, stderr: '' });
  expect({ ...ran, stdout: ran.stdout.match(/^\w+/gm) }).toEqual({
    exitCode: 0,
    stdout: ['BER', 'MUC', 'VIE'],
    stderr: '',
  });
  expect(loggedIn).toMatchObject({
    exitCode: 11,
    stderr: expect.stringContaining('the optional package @napi-rs/keyring is not installed'),
  });
});

test('an installation runs no script, and its only dependency is the keyring, with an exact version', async () => {
  const manifest: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  );
  const lock: { readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>> } =
    JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));

  // npm runs these three at installation, and node-gyp if there is a binding.gyp, which is not among the files.
  const runs = Object.keys(manifest['scripts'] ?? {}).filter((name) => /^(pre|post)?install$/.test(name));
  const kinds = ['dependencies', 'peerDependencies', 'bundleDependencies', 'optionalDependencies'];
  const keyrings = Object.entries(lock.packages).filter(([path]) => path.includes('/@napi-rs/keyring'));
  expect({
    runs,
    fetches: kinds.filter((kind) => manifest[kind] !== undefined),
    optional: manifest['optionalDependencies'],
  }).toEqual({
    runs: [],
    fetches: ['optionalDependencies'],
    optional: { '@napi-rs/keyring': expect.stringMatching(/^\d+\.\d+\.\d+$/) },
  });
  expect(keyrings.length).toBeGreaterThan(5);
  expect(keyrings.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
});

test('the keyring is not bundled, because it is built for one platform', async () => {
  const names = await readdir(join(root, 'dist'));

  expect(names.filter((name) => name.endsWith('.node'))).toEqual([]);
  expect(await readFile(join(root, 'NOTICE'), 'utf8')).not.toContain('@napi-rs/keyring');
});

test('the built files contain no path of the build machine', async () => {
  const names = await readdir(join(root, 'dist'));
  const texts = await Promise.all(names.map((name) => readFile(join(root, 'dist', name), 'utf8')));

  expect(names.filter((_, index) => texts[index]?.includes(root))).toEqual([]);
});

test('NOTICE has the licence of every bundled package', async () => {
  const notice = await readFile(join(root, 'NOTICE'), 'utf8');

  const sections = notice.split(/^--- /m).slice(1);
  const bare = sections.filter((section) => section.length < 300).map((section) => section.split('\n')[0]);

  expect(sections.length).toBeGreaterThan(20);
  expect(bare).toEqual([]);
});

test('a Node version that is too old is rejected', async () => {
  await using home = await openHome();
  const preload = join(home.folder, 'old.cjs');
  await writeFile(preload, "Object.defineProperty(process.versions, 'node', { value: '20.18.3' });");

  expect(await home.run([process.execPath, '--require', preload, binary, '--version'])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'error: innctl needs Node 20.19 or newer; this is 20.18.3.\n',
  });
});

const list = ['--sandbox', 'properties', 'list', '--output', 'table'];

/** Copies the package into a home, as an installation does. */
async function install(home: Home) {
  const folder = join(home.folder, 'package');
  for (const name of ['bin', 'dist', 'completions', 'package.json'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  const run = (args = list) => home.run([process.execPath, join(folder, 'bin/innctl.js'), ...args]);
  return { dist: join(folder, 'dist'), run };
}

test('a run writes nothing into the package, which may be read-only', async () => {
  await using home = await openHome();
  const { dist, run } = await install(home);
  const names = await readdir(dist);
  await chmod(dist, 0o500);

  const ended = await run();

  await chmod(dist, 0o700);
  expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await readdir(dist)).toEqual(names);
});
