import { readFileSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openStore, resetState } from '../../src/sandbox/store.ts';
import { binary, type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { hotelsYaml } from '../helpers/seeding.ts';

/** A write that stores nothing but what the sandbox does. */
const invite = ['--sandbox', 'api', 'POST', '/api/v1/invitations', '-f', 'email=mia@example.com'];
const invited = ['-f', 'role=Housekeeping', '-f', 'properties[]=BER', '--timeout', '20'];

beforeAll(setup);

describe('the system kills the program while the sandbox stores a write', () => {
  test.each([
    ['making its lock', 'mkdir', 'old'],
    ['taking its lock', 'rename', 'old'],
    ['making room', 'ftruncate', 'old'],
    ['writing', 'pwrite64', 'old'],
    ['letting go of its lock', 'unlink', 'new'],
    ['removing its lock', 'rmdir', 'new'],
  ] as const)(
    '%s: what was there or what was written is there, and the next one works',
    async (_, call, kept) => {
      await using home = await seeded();

      const killed = await tampered(home, `${call}:signal=SIGKILL:when=1`, [...invite, ...invited]);

      expect(killed.exitCode).toBe(null);
      expect(await invitedIn(home)).toEqual(kept === 'new' ? ['mia@example.com'] : []);
      expect(await storeAnother(home)).toContain('ben@example.com');
      expect(await readdir(stateOf(home))).toEqual(['state.ndjson']);
    },
  );
});

describe('the system kills the program while the sandbox is started anew', () => {
  test.each([
    ['before the new state is begun', 'fchmod', 1, 'old'],
    ['before it is put into place', 'rename', 2, 'old'],
    ['after that', 'unlink', 1, 'new'],
  ] as const)('%s: the old state or the new one is there, whole', async (_, call, when, kept) => {
    await using home = await seeded();
    await storeAnother(home);

    const killed = await tampered(home, `${call}:signal=SIGKILL:when=${when}`, ['sandbox', 'reset']);

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
  'a disk that says %s to a write: it is not done, it is not said to be, and nothing is torn',
  async (error, exitCode) => {
    await using home = await seeded();
    const path = join(stateOf(home), 'state.ndjson');
    const before = readFileSync(path, 'utf8');

    const ended = await tampered(
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

test('a disk on which the new state has no room leaves the old one, and nothing beside it', async () => {
  await using home = await seeded();
  await storeAnother(home);
  const line = `trap '' XFSZ; ulimit -f 4; exec "$@"`;

  const ended = await home.run(['bash', '-c', line, 'bash', process.execPath, binary, 'sandbox', 'reset']);

  expect(ended).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringContaining('There is no room') });
  expect(await invitedIn(home)).toEqual(['ben@example.com']);
  expect(await readdir(stateOf(home))).toEqual(['state.ndjson']);
});

test('on a file system that takes no writes the sandbox can be read, and a write says why it cannot be', async () => {
  await using home = await seeded();
  const path = join(stateOf(home), 'state.ndjson');
  const isReadOnly = 'openat:error=EROFS:when=1';

  const read = await tampered(home, isReadOnly, ['--sandbox', 'properties', 'list', '-q'], ['-P', path]);
  const written = await tampered(home, 'mkdir:error=EROFS:when=1+', [...invite, ...invited]);

  expect(read).toEqual({ exitCode: 0, stdout: 'BER\nMUC\nVIE\n', stderr: '' });
  expect([written.exitCode, written.stderr]).toEqual([
    1,
    expect.stringContaining(`the sandbox's state ${path}: the file system is read-only (EROFS)`),
  ]);
});

test.each(['000', '0777'])(
  'under the umask %s the state and the journals are for their owner alone, and he can use them',
  async (umask) => {
    await using home = await openHome();
    const words = [process.execPath, binary, '--sandbox', 'apply', '-', '--yes'];
    const manifest = hotelsYaml('HAM');
    const line = `umask ${umask}; printf %s "$0" | "$@"`;

    const ended = await home.run(['bash', '-c', line, manifest, ...words]);

    expect(ended).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Applied: 1 created') });
    expect(await modesBelow(join(home.folder, '.local'))).toEqual(['d700', 'f600']);
  },
);

function stateOf({ folder }: Home): string {
  return join(folder, '.local/state/innctl/sandbox');
}

/** A home whose sandbox stands at its beginning, with nobody invited. */
async function seeded(): Promise<Home> {
  const home = await openHome();
  await resetState({ folder: stateOf(home), seed: 'small', now: Date.now });
  return home;
}

/** Runs the program while the system does what `strace -e inject=...` says. */
function tampered(home: Home, inject: string, words: readonly string[], only: readonly string[] = []) {
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

/** Who was invited by these tests, as another process reads it. */
async function invitedIn(home: Home): Promise<readonly string[]> {
  const store = await openStore({ folder: stateOf(home), seed: 'small', now: Date.now });
  const emails = [...store.read().records.invitations.keys()];
  await store.close();
  return emails.filter((email) => email.endsWith('@example.com'));
}

/** Invites Ben, as another process does it. */
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
