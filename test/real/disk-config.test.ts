import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readCredential } from '../../src/config/credentials.ts';
import { readConfig } from '../../src/config/file.ts';
import { binary, type Ended, type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { cli } from '../helpers/cli.ts';
import { CONF_DRAFT, DRAFT, withKnownDrafts } from './disk-drafts.ts';

const OLD = { url: 'https://identity.old.example', token: 'token-of-ana-1234567890' };
const NEW = { url: 'https://identity.new.example', token: 'token-of-ben-0987654321' };
const ADD = 'profiles add chain --yes --insecure-storage --base-url https://api.example.com --identity-url';
const line = ({ url }: typeof NEW) => `${ADD} ${url} --token-file -`;

/** The system calls of a writer that change a folder; between two of them the disk does not change. */
const calls = ['mkdir', 'rename', 'fchmod', 'unlink', 'rmdir'];

const isRoot = process.getuid?.() === 0;

beforeAll(setup);

interface Place {
  readonly home: Home;
  readonly folder: string;
  /** Runs innctl with the new token on stdin; `under` is put before it: `strace ...`. */
  innctl(args: readonly string[], under?: readonly string[]): Promise<Ended>;
}

/** A home with the old profile. */
async function openPlace(): Promise<Place> {
  const home = await openHome();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const folder = join(home.folder, 'innctl');
  await cli(line(OLD), { folder, stdin: OLD.token });
  const token = join(home.folder, 'token.txt');
  writeFileSync(token, NEW.token);
  return {
    home,
    folder,
    innctl: (args, under = []) =>
      home.run(['sh', '-c', 'exec "$@" <"$0"', token, ...under, process.execPath, binary, ...args], {
        env: { INNCTL_CONFIG_DIR: folder },
      }),
  };
}

/** Injects a fault into a system call. */
function injecting({ home }: Place, call: string, inject: string): readonly string[] {
  const trace = ['-e', `trace=${call}`, '-e', `inject=${call}:${inject}`];
  return ['strace', '-f', '-qq', '-o', join(home.folder, 'trace'), ...trace];
}

/** Injects a fault into calls about a draft. */
function failingOf(draft: string, call: string, error: string): readonly string[] {
  const trace = ['strace', '-f', '-qq', '-o', 'trace', '-P', draft, '-e', `trace=${call}`];
  return ['env', withKnownDrafts, ...trace, '-e', `inject=${call}:error=${error}`];
}

/** The stored profile. Throws if a file is incomplete. */
function stored({ folder }: Place) {
  const profile = readConfig(folder).profiles['chain'];
  return { url: profile?.['identity_url'], token: readCredential(folder, 'chain')?.token };
}

const isEither = (value: unknown, one: unknown, other: unknown) => value === one || value === other;

describe('a command that is killed while it replaces a profile leaves the old or the new one, and the next command works', () => {
  test.each(calls)('at each %s', async (call) => {
    const ends: unknown[] = [];
    for (let at = 1; ; at++) {
      const place = await openPlace();
      const { exitCode } = await place.innctl(
        line(NEW).split(' '),
        injecting(place, call, `signal=SIGKILL:when=${at}`),
      );
      const { url, token } = stored(place);
      const again = await cli(line(NEW), { folder: place.folder, stdin: NEW.token });
      ends.push({
        isWhole: isEither(url, OLD.url, NEW.url) && isEither(token, OLD.token, NEW.token),
        isDone: exitCode !== 0 || (url === NEW.url && token === NEW.token),
        next: again.exitCode,
        left: readdirSync(place.folder),
        stored: stored(place),
      });
      if (exitCode !== null) break;
    }

    expect(ends.length).toBeGreaterThan(1);
    expect(ends).toEqual(
      ends.map(() => ({
        isWhole: true,
        isDone: true,
        next: 0,
        left: ['config.json', 'credentials.json'],
        stored: NEW,
      })),
    );
  });
});

describe('one failing system call: the command succeeds, or reports path and reason and leaves no draft', () => {
  test.each([
    ['mkdir', 'EDQUOT', 2, 1, 'the quota is used up (EDQUOT)'],
    ['chmod', 'EPERM', 1, 0, 'permission is missing (EPERM)'],
    ['rename', 'ENOSPC', 3, 2, 'the disk is full (ENOSPC)'],
    ['fchmod', 'EROFS', 1, 1, 'the file system is read-only (EROFS)'],
    ['fsync', 'EIO', 2, 2, 'EIO'],
    ['unlink', 'EROFS', 1, 0, ''],
    ['rmdir', 'EBUSY', 1, 0, ''],
  ])('%s: %s', async (call, error, ofCredentials, ofSettings, reason) => {
    const ends: unknown[] = [];
    const wanted: unknown[] = [];
    for (let at = 1; at <= ofCredentials + ofSettings; at++) {
      const place = await openPlace();
      const { exitCode, stdout, stderr } = await place.innctl(
        line(NEW).split(' '),
        injecting(place, call, `error=${error}:when=${at}`),
      );
      const { url, token } = stored(place);
      const isDone = url === NEW.url && token === NEW.token;
      const path = join(place.folder, at > ofCredentials ? 'config.json' : 'credentials.json');
      const drafts = readdirSync(place.folder).filter((name) => name.includes('tmp'));
      ends.push({
        exitCode,
        reported: stderr.split('\n')[0],
        stored: stored(place),
        drafts,
        leaked: leaked(stdout + stderr),
      });
      wanted.push({
        exitCode: isDone ? 0 : 1,
        reported: isDone
          ? 'Added profile chain, which is active now. The token is kept unencrypted in credentials.json.'
          : expect.stringMatching(new RegExp(`^error: Could not write ${path}: .*${escaped(reason)}`)),
        stored: isDone ? NEW : OLD,
        drafts: [],
        leaked: false,
      });
    }

    expect(ends).toEqual(wanted);
  });

  test.each([
    ['credentials.json', `${DRAFT}.tmp`, 'ENOSPC', 'the disk is full (ENOSPC)'],
    ['config.json', CONF_DRAFT, 'EIO', 'what is behind it fails (EIO)'],
  ])('write of %s through its draft %s: %s', async (name, draft, error, reason) => {
    const place = await openPlace();
    const path = join(place.folder, name);

    const { exitCode, stderr } = await place.innctl(
      line(NEW).split(' '),
      failingOf(`${path}.${draft}`, 'write,pwrite64', error),
    );

    expect({ exitCode, stored: stored(place), left: readdirSync(place.folder) }).toEqual({
      exitCode: 1,
      stored: OLD,
      left: ['config.json', 'credentials.json'],
    });
    expect(stderr).toMatch(new RegExp(`^error: Could not write ${path}: .*${escaped(reason)}`));
  });
});

test.each([
  // Pauses of 10 to 640 ms between eight attempts.
  { fault: 'EBUSY', attempts: 8, exitCode: 1, kept: OLD },
  { fault: 'EPERM:when=1..2', attempts: 3, exitCode: 0, kept: NEW },
  { fault: 'EACCES:when=1', attempts: 2, exitCode: 0, kept: NEW },
])('a rename is repeated while the file is held: $fault', async ({ fault, attempts, ...wanted }) => {
  const place = await openPlace();
  const draft = join(place.folder, `credentials.json.${DRAFT}.tmp`);

  const { exitCode } = await place.innctl(line(NEW).split(' '), failingOf(draft, 'rename', fault));

  const trace = readFileSync(join(place.home.folder, 'trace'), 'utf8');
  expect({ exitCode, kept: stored(place) }).toEqual(wanted);
  expect(trace.match(/ rename\(/g)).toHaveLength(attempts);
  expect(readdirSync(place.folder)).toEqual(['config.json', 'credentials.json']);
});

describe('a read that fails', () => {
  test.each(['EIO', 'EMFILE'])('%s', async (error) => {
    const place = await openPlace();
    const path = join(place.folder, 'config.json');
    const under = [
      'strace',
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-P',
      path,
      '-e',
      `inject=openat:error=${error}`,
    ];

    const { exitCode, stdout, stderr } = await place.innctl(['profiles', 'list', '--json'], under);

    expect({ exitCode, stdout, stderr: JSON.parse(stderr) }).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: { error: { message: expect.stringMatching(`^Could not read ${path}: .*${error}`) } },
    });
  });
});

describe('an unusable home folder', () => {
  test.each([
    ['', 2, 'There is no home folder to keep settings in.'],
    ['/dev/null', 1, 'a part of its path is not a folder (ENOTDIR)'],
    ['/proc', 1, '/proc/.config/innctl/credentials.json: there is no such folder (ENOENT)'],
  ])('HOME=%s', async (HOME, exitCode, reason) => {
    await using home = await openHome();
    const token = join(home.folder, 'token.txt');
    writeFileSync(token, NEW.token);

    const ended = await home.innctl([...line(NEW).split(' ').slice(0, -1), token], { HOME });

    expect({ ...ended, stderr: ended.stderr.includes(reason), leaked: leaked(ended.stderr) }).toEqual({
      exitCode,
      stdout: '',
      stderr: true,
      leaked: false,
    });
    expect(readdirSync(home.folder)).toEqual(['token.txt']);
  });

  test.runIf(isRoot)('a user whom the system does not know adds a profile without HOME', async () => {
    const place = await openPlace();
    execFileSync('chown', ['-R', '54321', place.home.folder]);
    const token = join(place.home.folder, 'token.txt');
    const stranger = ['env', '-u', 'HOME', 'setpriv', '--reuid', '54321', '--clear-groups'];

    const { exitCode, stderr } = await place.home.run(
      [...stranger, process.execPath, binary, ...line(NEW).split(' ').slice(0, -1), token],
      { env: { INNCTL_CONFIG_DIR: place.folder } },
    );

    expect({ exitCode, stderr, stored: stored(place) }).toEqual({
      exitCode: 0,
      stderr: expect.stringMatching(/^Added profile chain/),
      stored: NEW,
    });
  });

  test('in a read-only folder adding a profile fails, and listing works', async () => {
    const place = await openPlace();
    chmodSync(place.folder, 0o500);

    const added = await place.innctl(line(NEW).split(' '), withoutCapabilities);
    const listed = await place.innctl(['profiles', 'list', '-q'], withoutCapabilities);

    chmodSync(place.folder, 0o700);
    expect([added, listed]).toMatchObject([
      {
        exitCode: 1,
        stderr: expect.stringContaining(
          `error: Could not write ${join(place.folder, 'credentials.json')}: permission is missing (EACCES).`,
        ),
      },
      { exitCode: 0, stdout: 'chain\nsandbox\n', stderr: '' },
    ]);
    expect(stored(place)).toEqual(OLD);
  });
});

/** Root ignores modes; without these capabilities it does not. Other users never have them. */
const withoutCapabilities = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

function leaked(text: string): boolean {
  return text.includes(OLD.token) || text.includes(NEW.token);
}

function escaped(text: string): string {
  return text.replaceAll(/[()]/g, '\\$&');
}
