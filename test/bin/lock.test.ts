import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { acquireLock, claimName, processOf } from '../../src/fs/lock.ts';
import { test } from '../config/with-folder.ts';
import { leaveLock } from './left-lock.ts';

/** The claim of a process that cannot be looked up, on another host. */
const REMOTE = '4711.123.0123456789abcdef.11111111-2222-4333-8444-555555555555';

const atOnce = { waitMs: 0, staleMs: Number.POSITIVE_INFINITY };

/** Changes one part of the name of a claim. */
const withPart = (name: string, at: number, part: string) =>
  name
    .split('.')
    .map((each, index) => (index === at ? part : each))
    .join('.');

/** Creates a lock with this claim. */
function createLock(path: string, name: string): void {
  mkdirSync(`${path}.lock`);
  writeFileSync(join(`${path}.lock`, name), '');
}

describe('a free lock', () => {
  test('is acquired, held by this process alone, and released without leaving files', async ({ folder }) => {
    const path = join(folder, 'config.json');

    const release = await acquireLock(path);

    const [name = '', ...more] = readdirSync(`${path}.lock`);
    expect([processOf(name), more]).toEqual([{ pid: process.pid, life: 'alive' }, []]);
    expect((lstatSync(`${path}.lock`).mode & 0o777).toString(8)).toBe('700');
    release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is acquired when its holder was killed between the two steps of the release', async ({ folder }) => {
    mkdirSync(join(folder, 'config.json.lock'));

    const release = await acquireLock(join(folder, 'config.json'));

    release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a release does not remove the lock of another process', async ({ folder }) => {
    const path = join(folder, 'config.json');
    const release = await acquireLock(path);
    renameSync(`${path}.lock`, join(folder, 'away'));
    createLock(path, REMOTE);

    release();

    expect(readdirSync(`${path}.lock`)).toEqual([REMOTE]);
  });
});

describe('a stale lock is acquired immediately', () => {
  test('of a killed process, also with a timestamp in the future', async ({ folder }) => {
    const path = join(folder, 'config.json');
    const name = await leaveLock(path);
    const future = new Date(Date.now() + 86_400_000);
    utimesSync(join(`${path}.lock`, name), future, future);
    utimesSync(`${path}.lock`, future, future);

    const release = await acquireLock(path, atOnce);

    release();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('of a process whose pid was reused', async ({ folder }) => {
    const path = join(folder, 'config.json');
    const own = claimName();
    createLock(path, withPart(own, 1, '1'));

    const release = await acquireLock(path, atOnce);

    release();
    expect([processOf(own)?.life, readdirSync(folder)]).toEqual(['alive', []]);
  });

  test('removes the temporary claims of dead processes', async ({ folder }) => {
    const path = join(folder, 'config.json');
    const dead = withPart(claimName(), 1, '1');
    for (const name of [dead, REMOTE, 'mine']) mkdirSync(`${path}.lock.${name}`);

    const release = await acquireLock(path);

    release();
    expect(readdirSync(folder)).toEqual([`config.json.lock.${REMOTE}`, 'config.json.lock.mine']);
  });
});

test('the lock of a process that cannot be looked up is stale without heartbeats', async ({ folder }) => {
  const path = join(folder, 'config.json');
  createLock(path, REMOTE);

  await expect(acquireLock(path, atOnce)).rejects.toMatchObject({
    code: 'busy',
    message: `Could not change ${path}: another innctl has held its lock for 0 s.`,
    hint: `If no other innctl is running, remove ${path}.lock`,
  });
  const release = await acquireLock(path, { waitMs: 15_000, staleMs: 100 });

  release();
  expect(readdirSync(folder)).toEqual([]);
});

test('the lock of a process that cannot be looked up is kept while it sends heartbeats', async ({
  folder,
}) => {
  const path = join(folder, 'config.json');
  createLock(path, REMOTE);
  let beats = 0;
  // It is called once before each check of the lock.
  const throwIfAborted = () => {
    beats += 1;
    utimesSync(join(`${path}.lock`, REMOTE), beats, beats);
  };
  const signal = Object.assign(new AbortController().signal, { throwIfAborted });

  await expect(acquireLock(path, { signal, waitMs: 600, staleMs: 300 })).rejects.toMatchObject({
    code: 'busy',
  });

  expect(readdirSync(`${path}.lock`)).toEqual([REMOTE]);
});

test('a holder sends heartbeats until it releases the lock', async ({ folder }) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const path = join(folder, 'config.json');
  const release = await acquireLock(path);
  const file = join(`${path}.lock`, readdirSync(`${path}.lock`).join());
  utimesSync(file, 1, 1);

  vi.advanceTimersByTime(5_000);

  expect(statSync(file).mtimeMs).toBeGreaterThan(1_000);
  release();
  expect([vi.getTimerCount(), readdirSync(folder)]).toEqual([0, []]);
});

test('a holder that lost its lock sends no heartbeat to the lock of another', async ({ folder }) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const path = join(folder, 'config.json');
  const release = await acquireLock(path);
  rmSync(`${path}.lock`, { recursive: true });
  createLock(path, REMOTE);
  utimesSync(join(`${path}.lock`, REMOTE), 1, 1);

  vi.advanceTimersByTime(5_000);
  release();

  expect(statSync(join(`${path}.lock`, REMOTE)).mtimeMs).toBe(1_000);
});

test('the lock of a zombie process is stale', async ({ folder }) => {
  const path = join(folder, 'config.json');
  const zombie = await startZombie();
  createLock(path, withPart(withPart(claimName(), 0, zombie.pid), 1, zombie.start));

  const release = await acquireLock(path, atOnce);

  release();
  expect(readdirSync(folder)).toEqual([]);
});

/** A zombie: a process that has exited and whose parent does not wait for it. */
async function startZombie() {
  const parent = spawn('sh', ['-c', 'exec 3<&0; { read line <&3; } & echo $!; exec sleep 60']);
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(parent.stdout, 'data');
  const pid = String(line).trim();
  const program = () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8');
  await expect.poll(program, { timeout: 30_000 }).toBe('sleep\n');
  parent.stdin.write('\n');
  const fields = () => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  await expect.poll(() => fields()[0], { timeout: 30_000 }).toBe('Z');
  return { pid, start: fields()[19] ?? '' };
}

test('acquireLock waits for a live process', async ({ folder }) => {
  const path = join(folder, 'config.json');
  await acquireLock(path);

  await expect(acquireLock(path, { waitMs: 500, staleMs: 0 })).rejects.toMatchObject({
    code: 'busy',
    exitCode: 7,
    message: `Could not change ${path}: another innctl has held its lock for 0.5 s.`,
    hint: `If no other innctl is running, remove ${path}.lock`,
  });
  expect(readdirSync(folder)).toEqual(['config.json.lock']);
});

describe('a path that is not a lock is kept and reported', () => {
  test.for([
    ['a file', (lock: string) => writeFileSync(lock, '4711\n')],
    [
      'a folder with another file in it',
      (lock: string) => {
        mkdirSync(lock);
        writeFileSync(join(lock, '__proto__'), '');
      },
    ],
  ] as const)('%s', async ([, make], { folder }) => {
    const path = join(folder, 'innctl $(touch x).json');
    make(`${path}.lock`);

    await expect(acquireLock(path)).rejects.toMatchObject({
      code: 'lock_obstructed',
      message: `${path}.lock is not from innctl, which needs the name for its lock.`,
      hint: 'Move it away.',
    });
    expect(readdirSync(folder)).toEqual(['innctl $(touch x).json.lock']);
  });

  test('a symbolic link', async ({ folder }) => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'config.json.lock'));

    await expect(acquireLock(join(folder, 'config.json'))).rejects.toMatchObject({ code: 'symlink' });
    expect(readdirSync(join(folder, 'elsewhere'))).toEqual([]);
  });
});

test.for([
  '',
  '.',
  '1',
  '1.1.0',
  '1.1.0.x',
  '-1.1.0.11111111-2222-4333-8444-555555555555',
  '1.1.0.11111111-2222-4333-8444-555555555555/..',
  '99999999999999999999.1.0.11111111-2222-4333-8444-555555555555',
])('"%s" is not a valid claim', (name) => {
  expect(processOf(name)).toBeUndefined();
});
