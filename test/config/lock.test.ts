import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { holderOf, nameHolding, takeLock } from '../../src/fs/lock.ts';
import { leaveLock } from './left-lock.ts';
import { test } from './with-folder.ts';

/** Stands where a process is that nobody here can see. */
const ELSEWHERE = '4711.123.0123456789abcdef.11111111-2222-4333-8444-555555555555';

const atOnce = { waitMs: 0, silenceMs: Number.POSITIVE_INFINITY };

/** Changes one of the parts of the name of a holding. */
const withPart = (name: string, at: number, part: string) =>
  name
    .split('.')
    .map((each, index) => (index === at ? part : each))
    .join('.');

/** Makes a lock that a process of this name holds. */
function hold(path: string, name: string): void {
  mkdirSync(`${path}.lock`);
  writeFileSync(join(`${path}.lock`, name), '');
}

describe('a lock that is free', () => {
  test('is taken, held by this process and nobody else, and let go without a trace', async ({ folder }) => {
    const path = join(folder, 'config.json');

    const release = await takeLock(path);

    const [name = '', ...more] = readdirSync(`${path}.lock`);
    expect([holderOf(name), more]).toEqual([{ pid: process.pid, life: 'alive' }, []]);
    expect((lstatSync(`${path}.lock`).mode & 0o777).toString(8)).toBe('700');
    release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('also when its holder was killed between the two steps of letting go', async ({ folder }) => {
    mkdirSync(join(folder, 'config.json.lock'));

    const release = await takeLock(join(folder, 'config.json'));

    release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('letting go leaves the lock of another process alone', async ({ folder }) => {
    const path = join(folder, 'config.json');
    const release = await takeLock(path);
    renameSync(`${path}.lock`, join(folder, 'away'));
    hold(path, ELSEWHERE);

    release();

    expect(readdirSync(`${path}.lock`)).toEqual([ELSEWHERE]);
  });
});

describe('the lock of a process that is gone is taken at once', () => {
  test('of one that was killed, whatever the clock said then', async ({ folder }) => {
    const path = join(folder, 'config.json');
    const name = await leaveLock(path);
    const future = new Date(Date.now() + 86_400_000);
    utimesSync(join(`${path}.lock`, name), future, future);
    utimesSync(`${path}.lock`, future, future);

    const release = await takeLock(path, undefined, atOnce);

    release();
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test('of one whose number another process has by now', async ({ folder }) => {
    const path = join(folder, 'config.json');
    const own = nameHolding();
    hold(path, withPart(own, 1, '1'));

    const release = await takeLock(path, undefined, atOnce);

    release();
    expect([holderOf(own)?.life, readdirSync(folder)]).toEqual(['alive', []]);
  });

  test('what it left while it waited goes with the next lock', async ({ folder }) => {
    const path = join(folder, 'config.json');
    const dead = withPart(nameHolding(), 1, '1');
    for (const name of [dead, ELSEWHERE, 'mine']) mkdirSync(`${path}.lock.${name}`);

    const release = await takeLock(path);

    release();
    expect(readdirSync(folder)).toEqual([`config.json.lock.${ELSEWHERE}`, 'config.json.lock.mine']);
  });
});

test('the lock of a process that nobody can see is taken when nothing was heard of it for a while', async ({
  folder,
}) => {
  const path = join(folder, 'config.json');
  hold(path, ELSEWHERE);

  await expect(takeLock(path, undefined, atOnce)).rejects.toMatchObject({
    code: 'busy',
    message: `Could not change ${path}: another innctl has held its lock for 0 s.`,
    hint: `If no other innctl is running, remove ${path}.lock`,
  });
  const release = await takeLock(path, undefined, { waitMs: 15_000, silenceMs: 100 });

  release();
  expect(readdirSync(folder)).toEqual([]);
});

test('the lock of a process that lives is waited for, and then it is named', async ({ folder }) => {
  const path = join(folder, 'config.json');
  await takeLock(path);

  await expect(takeLock(path, undefined, { waitMs: 500, silenceMs: 0 })).rejects.toMatchObject({
    code: 'busy',
    exitCode: 7,
    message: `Could not change ${path}: another innctl (pid ${process.pid}) has held its lock for 0.5 s.`,
    hint: `If it hangs: kill ${process.pid}`,
  });
  expect(readdirSync(folder)).toEqual(['config.json.lock']);
});

describe('what is no lock is left as it is, and told', () => {
  test.for([
    ['a file', 'is no folder', (lock: string) => writeFileSync(lock, '4711\n')],
    [
      'a folder with something in it',
      'holds a file that is none of innctl',
      (lock: string) => {
        mkdirSync(lock);
        writeFileSync(join(lock, '__proto__'), '');
      },
    ],
  ] as const)('%s', async ([, what, make], { folder }) => {
    const path = join(folder, 'innctl $(touch x).json');
    make(`${path}.lock`);

    await expect(takeLock(path)).rejects.toMatchObject({
      code: 'lock_obstructed',
      message: `${path}.lock ${what}, and innctl needs the name for its lock.`,
      hint: 'Move it away.',
    });
    expect(readdirSync(folder)).toEqual(['innctl $(touch x).json.lock']);
  });

  test('a symbolic link', async ({ folder }) => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'config.json.lock'));

    await expect(takeLock(join(folder, 'config.json'))).rejects.toMatchObject({ code: 'symlink' });
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
])('"%s" is the name of nobody', (name) => {
  expect(holderOf(name)).toBeUndefined();
});
