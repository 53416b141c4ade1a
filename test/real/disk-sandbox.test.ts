import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openStore, resetState } from '../../src/sandbox/store.ts';
import { binary, type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { hotelsYaml } from '../helpers/seeding.ts';

/** A write that stores nothing outside the sandbox and the journal. */
const invite = ['--sandbox', 'api', 'POST', '/api/v1/invitations', '-f', 'email=mia@example.com'];
const invited = ['-f', 'role=Housekeeping', '-f', 'properties[]=BER', '--timeout', '20'];

beforeAll(setup);

describe('the program is killed while the sandbox stores a write', () => {
  test.each([
    // The journal makes its folder first, and then the calls that the state makes.
    ['creating the lock', 'mkdir', 3, 'old'],
    ['acquiring the lock', 'rename', 2, 'old'],
    ['truncating', 'ftruncate', 1, 'old'],
    ['writing', 'pwrite64', 1, 'old'],
    ['releasing the lock', 'unlink', 2, 'new'],
    ['removing the lock', 'rmdir', 2, 'new'],
  ] as const)(
    '%s: the state is the old or the new one, and the next write works',
    async (_, call, when, kept) => {
      await using home = await seeded();

      // The journal is written by another thread, and strace counts the calls of each.
      const only = call === 'pwrite64' ? ['-P', join(stateOf(home), 'state.ndjson')] : [];
      const killed = await runWithFault(
        home,
        `${call}:signal=SIGKILL:when=${when}`,
        [...invite, ...invited],
        only,
      );

      expect(killed.exitCode).toBe(null);
      expect(await invitedIn(home)).toEqual(kept === 'new' ? ['mia@example.com'] : []);
      expect(await storeAnother(home)).toContain('ben@example.com');
      expect(await readdir(stateOf(home))).toEqual(['state.ndjson']);
    },
  );
});

describe('the program is killed during sandbox reset', () => {
  test.each([
    ['before the new state is written', 'fchmod', 1, 'old'],
    ['before the rename', 'rename', 2, 'old'],
    ['after the rename', 'unlink', 1, 'new'],
  ] as const)('%s: the state is the old or the new one, complete', async (_, call, when, kept) => {
    await using home = await seeded();
    await storeAnother(home);

    const killed = await runWithFault(home, `${call}:signal=SIGKILL:when=${when}`, ['sandbox', 'reset']);

    expect(killed.exitCode).toBe(null);
    expect(await invitedIn(home)).toEqual(kept === 'old' ? ['ben@example.com'] : []);
    await resetState({ folder: stateOf(home), seed: 'small', now: Date.now });
    expect(await readdir(stateOf(home))).toEqual(['state.ndjson']);
  });
});

test.each([
  ['ENOSPC', 1],
  ['EIO', 8],
])(
  'a write that fails with %s is not reported as done, and the state stays unchanged',
  async (error, exitCode) => {
    await using home = await seeded();
    const path = join(stateOf(home), 'state.ndjson');
    const before = readFileSync(path, 'utf8');

    const ended = await runWithFault(
      home,
      `pwrite64:error=${error}:when=1+`,
      [...invite, ...invited],
      ['-P', path],
    );

    expect({ exitCode: ended.exitCode, stdout: ended.stdout }).toEqual({ exitCode, stdout: '' });
    expect(ended.stderr).toContain(`the sandbox's state ${path}`);
    expect(readFileSync(path, 'utf8')).toBe(before);
  },
);

test('a disk too full for the new state keeps the old one, and no draft remains', async () => {
  await using home = await seeded();
  await storeAnother(home);
  const line = `trap '' XFSZ; ulimit -f 4; exec "$@"`;

  const ended = await home.run(['bash', '-c', line, 'bash', process.execPath, binary, 'sandbox', 'reset']);

  expect(ended).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringContaining('There is no room') });
  expect(await invitedIn(home)).toEqual(['ben@example.com']);
  expect(await readdir(stateOf(home))).toEqual(['state.ndjson']);
});

test('on a read-only file system the sandbox can be read, and a write reports the reason', async () => {
  await using home = await seeded();
  const path = join(stateOf(home), 'state.ndjson');
  const list = [process.execPath, binary, '--sandbox', 'properties', 'list', '-q'];
  const log = join(home.folder, 'opened');
  const trace = ['strace', '-f', '-qq', '-o', log, '-P', path, '-e', 'trace=openat'];

  const read = await home.run([...trace, ...list]);
  const written = await runWithFault(home, 'mkdir:error=EROFS:when=1+', [...invite, ...invited]);

  expect(read).toEqual({ exitCode: 0, stdout: 'BER\nMUC\nVIE\n', stderr: '' });
  expect(readFileSync(log, 'utf8')).toMatch(/O_RDONLY/);
  expect(readFileSync(log, 'utf8')).not.toMatch(/O_RDWR|O_WRONLY|O_CREAT/);
  expect([written.exitCode, written.stderr]).toEqual([
    1,
    expect.stringMatching(/the journal .*the file system is read-only \(EROFS\).*\n.*INNCTL_CONFIG_DIR/),
  ]);
});

test.each(['000', '0777'])('with umask %s state and journals have the modes 0700 and 0600', async (umask) => {
  await using home = await openHome();
  const words = [process.execPath, binary, '--sandbox', 'apply', '-', '--yes'];
  const manifest = hotelsYaml('HAM');
  const line = `umask ${umask}; printf %s "$0" | "$@"`;

  const ended = await home.run(['bash', '-c', line, manifest, ...words]);

  expect(ended).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Applied: 1 created') });
  expect(await modesBelow(join(home.folder, '.local'))).toEqual(['d700', 'f600']);
});

function stateOf({ folder }: Home): string {
  return join(folder, '.local/state/innctl/sandbox');
}

/** A home with a fresh sandbox. */
async function seeded(): Promise<Home> {
  const home = await openHome();
  await resetState({ folder: stateOf(home), seed: 'small', now: Date.now });
  return home;
}

/** Runs the program with the fault of `strace -e inject=...`. */
function runWithFault(home: Home, inject: string, words: readonly string[], only: readonly string[] = []) {
  const [name = ''] = inject.split(':');
  const trace = [
    'strace',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    ...only,
    '-e',
    `trace=${name}`,
    '-e',
    `inject=${inject}`,
  ];
  return home.run([...trace, process.execPath, binary, ...words], { env: { UV_THREADPOOL_SIZE: '1' } });
}

/** The addresses that these tests invited, read like another process. */
async function invitedIn(home: Home): Promise<readonly string[]> {
  const store = await openStore({ folder: stateOf(home), seed: 'small', now: Date.now });
  const emails = [...store.read().records.invitations.keys()];
  await store.close();
  return emails.filter((email) => email.endsWith('@example.com'));
}

/** Invites Ben, like another process. */
async function storeAnother(home: Home): Promise<readonly string[]> {
  const store = await openStore({ folder: stateOf(home), seed: 'small', now: Date.now });
  const ben = {
    email: 'ben@example.com',
    is_account_admin: false,
    invited_by: 'ana',
    created: '',
    properties: [],
    roles: [],
  };
  await store.write(() => ({ changes: [{ put: ['invitations', ben.email, ben] }], status: 204 }));
  await store.close();
  return invitedIn(home);
}

/** Each kind and mode that occurs: `d700`, `f600`. */
async function modesBelow(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const modes = await Promise.all(
    found.map(async (each) => {
      const { mode } = await stat(join(each.parentPath, each.name));
      return `${each.isDirectory() ? 'd' : 'f'}${(mode & 0o777).toString(8)}`;
    }),
  );
  return [...new Set(modes)].sort();
}
