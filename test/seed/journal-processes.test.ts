import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { openJournal, readMemory } from '../../src/seed/journal.ts';
import { here, runLockHolder, takeRunLock } from '../../src/seed/run-lock.ts';
import { contextAt, hotels, isAlive, rowOf } from './run.ts';
import { test } from './with-path.ts';

const script = join(import.meta.dirname, 'journal-writer.ts');
const limits = { timeout: 120_000 };

interface Writer {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly said: () => string;
}

function start(...args: readonly string[]): Writer {
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args]);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return { child, pid: child.pid ?? 0, said: () => text };
}

const says = ({ said }: Writer, words: string) => expect.poll(said, { timeout: 30_000 }).toContain(words);

async function kill({ child }: Writer): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'close');
}

const open = (path: string) => openJournal({ path, run: hotels, context: contextAt(Date.now) });

/** The lock of a process of this place, unless said otherwise, as it would be left behind. */
function leaveLock(path: string, holder: object): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.pid`, JSON.stringify({ ...here(), ...holder }));
}

/** The number of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'close');
  return child.pid ?? 0;
}

test(
  'a second run on a journal is refused with the number of the first, until that is killed',
  limits,
  async ({ path }) => {
    const holder = start(path, '3', 'hold');
    await says(holder, 'done');

    await expect(open(path)).rejects.toMatchObject({
      code: 'busy',
      exitCode: 6,
      message: `The journal ${path} is in use by another innctl (pid ${holder.pid}).`,
    });
    await kill(holder);
    const journal = await open(path);

    expect(journal.recall('property', 'H2')).toMatchObject({ state: 'sent', runId: journal.runId });
    await journal.close();
    expect(readdirSync(dirname(path))).toEqual(['journal.ndjson']);
  },
);

test(
  'a run that is killed while it writes has every row that it said was written',
  limits,
  async ({ path }) => {
    const writer = start(path, '1000000');
    await says(writer, 'H50\n');
    await kill(writer);

    const rows = writer
      .said()
      .split('\n')
      .filter((line) => /^H\d+$/.test(line));
    const memory = await readMemory(path, hotels);
    expect(rows.filter((name) => memory.recall('property', name) === undefined)).toEqual([]);
    const journal = await open(path);
    await journal.write(rowOf('BER'));
    await journal.close();
    expect((await readMemory(path, hotels)).recall('property', 'BER')?.runId).toBe(journal.runId);
  },
);

test('of six processes that find the lock of a dead one, exactly one takes it', limits, async ({ path }) => {
  leaveLock(path, { pid: await deadPid(), started: '1', id: 'dead' });

  const writers = Array.from({ length: 6 }, () => start(path, '1', 'hold'));
  await Promise.all(writers.map(({ said }) => expect.poll(said, { timeout: 50_000 }).toMatch(/done|busy/)));

  const holders = writers.filter(({ said }) => said().includes('done'));
  expect(holders).toHaveLength(1);
  expect(writers.filter(({ said }) => said().includes(`(pid ${holders[0]?.pid})`))).toHaveLength(5);
  expect(JSON.parse(readFileSync(`${path}.pid`, 'utf8'))).toMatchObject({ pid: holders[0]?.pid });
  await Promise.all(holders.map(kill));
});

test('the lock is taken over from a process whose number another one has now', async ({ path }) => {
  const sleeper = spawn('sleep', ['60']);
  leaveLock(path, { pid: sleeper.pid, started: '1', id: 'dead' });

  const journal = await open(path);

  await journal.close();
  expect(readdirSync(dirname(path))).toEqual([]);
  sleeper.kill('SIGKILL');
});

test('a process that has ended keeps no lock, though nobody asked how it ended', async ({ path }) => {
  const negligent = spawn('sh', ['-c', 'exec 3<&0; { read line <&3; } & echo $!; exec sleep 60']);
  onTestFinished(() => void negligent.kill('SIGKILL'));
  const [line] = await once(negligent.stdout, 'data');
  const pid = Number(String(line));
  const program = () => readFileSync(`/proc/${negligent.pid}/comm`, 'utf8');
  await expect.poll(program, { timeout: 30_000 }).toBe('sleep\n');
  negligent.stdin.write('\n');
  const fields = () => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  await expect.poll(() => fields()[0], { timeout: 30_000 }).toBe('Z');
  leaveLock(path, { pid, started: fields()[19], id: 'ended' });

  const journal = await open(path);

  await journal.close();
  expect([isAlive(pid), readdirSync(dirname(path))]).toEqual([true, []]);
});

test('a process that lives keeps its lock where nothing tells when it was started', async ({ path }) => {
  const sleeper = spawn('sleep', ['60']);
  leaveLock(path, { pid: sleeper.pid, id: 'alive' });

  await expect(open(path)).rejects.toMatchObject({ code: 'busy' });
  sleeper.kill('SIGKILL');
});

test.for([
  ['nothing', ''],
  ['zeros', '\0\0\0\0'],
  ['no process', '{"pid":-1,"id":"x"}'],
  [
    'the number of this very process from an earlier start of the machine',
    JSON.stringify({ ...here(), pid: process.pid, started: '1', id: 'x' }),
  ],
] as const)('a lock that holds %s is nobody’s', async ([, text], { folder }) => {
  const path = `${folder}/journal.ndjson`;
  writeFileSync(`${path}.pid`, text);

  const journal = await open(path);

  await journal.close();
  expect(readdirSync(folder)).toEqual([]);
});

test('a dead one that died while it took over is followed as well', async ({ path }) => {
  const pid = await deadPid();
  leaveLock(path, { pid, started: '1', id: 'first' });
  const taker = { pid: process.pid, isAlive };
  const { hashOf } = await import('../../src/seed/canonical.ts');
  const first = readFileSync(`${path}.pid`, 'utf8');
  writeFileSync(
    `${path}.pid.${hashOf(first).slice(0, 32)}`,
    JSON.stringify({ ...here(), pid, started: '1', id: 'second' }),
  );

  const release = takeRunLock(path, taker);

  expect(takeRunLock(path, taker)).toEqual({ pid: process.pid, elsewhere: undefined });
  if (typeof release === 'function') release();
  expect(readdirSync(dirname(path))).not.toContain('journal.ndjson.pid');
});

test.for([1, 2])(
  'of two that take a dead one’s lock at once, one has it (moment %i)',
  async (moment, { folder }) => {
    const path = `${folder}/journal.ndjson`;
    const pid = await deadPid();
    leaveLock(path, { pid, started: '1', id: 'dead' });
    let other: ReturnType<typeof takeRunLock> | undefined;
    let looks = 0;
    const isAliveMeanwhile = (each: number) => {
      looks += 1;
      if (looks === moment) other = takeRunLock(path, { pid: process.ppid, isAlive });
      return isAlive(each);
    };

    const mine = takeRunLock(path, { pid: process.pid, isAlive: isAliveMeanwhile });

    expect([typeof mine, typeof other].sort()).toEqual(['function', 'object']);
    const isMine = typeof mine === 'function';
    expect(isMine ? other : mine).toEqual({
      pid: isMine ? process.pid : process.ppid,
      elsewhere: undefined,
    });
    expect(readdirSync(folder)).toEqual(['journal.ndjson.pid']);
  },
);

test.for([
  ['another machine', { host: 'build-7', boot: 'b', namespace: 'n' }],
  ['another container of this machine', { host: 'build-7', namespace: 'pid:[1]' }],
  ['another machine that tells no more than its name', { host: 'build-7', boot: undefined }],
] as const)('a process of %s holds its lock while it is heard of', async ([, place], { path }) => {
  // The number is that of a living process here, and of a dead one there or the other way round: it says nothing.
  const pids = [process.pid, await deadPid()];

  for (const pid of pids) {
    leaveLock(path, { pid, started: '1', id: 'other', ...place });
    const heardAt = (secondsAgo: number) => {
      const time = Date.now() / 1000 - secondsAgo;
      utimesSync(`${path}.pid`, time, time);
    };
    heardAt(20);
    await expect(open(path)).rejects.toMatchObject({
      code: 'busy',
      exitCode: 6,
      message: `The journal ${path} is in use by another innctl (pid ${pid} on "build-7", last heard of 20 s ago).`,
      hint: 'Wait until it has ended; one that was killed counts as gone when nothing was heard of it for 30 s.',
    });
    heardAt(31);
    await (await open(path)).close();
  }

  expect(readdirSync(dirname(path))).toEqual([]);
});

test('who holds a lock lets others hear of it again and again, until it lets go', ({ folder }) => {
  const path = `${folder}/journal.ndjson`;
  const taker = { pid: process.pid, isAlive };
  const signs: (() => void)[] = [];
  const release = takeRunLock(path, taker, (sign) => {
    signs.push(sign);
    return () => void signs.pop();
  });
  const heardAt = () => statSync(`${path}.pid`).mtimeMs;
  const takenAt = Math.floor(heardAt());
  utimesSync(`${path}.pid`, 1, 1);

  signs[0]?.();
  expect(heardAt()).toBeGreaterThanOrEqual(takenAt);
  if (typeof release === 'function') release();
  expect([signs, runLockHolder(path, taker)]).toEqual([[], undefined]);
});

test('who lost its lock lets nobody hear of it, and goes on', ({ folder }) => {
  const path = `${folder}/journal.ndjson`;
  const signs: (() => void)[] = [];
  takeRunLock(path, { pid: process.pid, isAlive }, (sign) => {
    signs.push(sign);
    return () => {};
  });
  writeFileSync(`${path}.pid`, '{"pid":1,"id":"other"}');
  utimesSync(`${path}.pid`, 1, 1);

  signs[0]?.();
  expect(statSync(`${path}.pid`).mtimeMs).toBe(1_000);
  rmSync(`${path}.pid`);
  signs[0]?.();
  expect(readdirSync(folder)).toEqual([]);
});

test('letting go leaves the lock of somebody else alone', async ({ path }) => {
  mkdirSync(dirname(path), { recursive: true });
  const release = takeRunLock(path, { pid: process.pid, isAlive });
  writeFileSync(`${path}.pid`, '{"pid":1,"id":"other"}');

  if (typeof release === 'function') release();

  expect(readFileSync(`${path}.pid`, 'utf8')).toBe('{"pid":1,"id":"other"}');
});

test('no room on the disk ends the writing, and the journal stays readable', limits, async ({ path }) => {
  const command = `ulimit -f 8; exec node --import tsx '${script}' '${path}' 100000`;

  const { stdout } = await promisify(execFile)('bash', ['-c', command]).catch((error) => error);

  const written = stdout.split('\n').filter((line: string) => /^H\d+$/.test(line));
  expect(stdout).toContain(`journal_failed: Could not write the journal ${path}: `);
  const memory = await readMemory(path, hotels);
  expect([written.length > 10, memory.recall('property', written.at(-1))?.state]).toEqual([true, 'sent']);
  expect(memory.recall('property', `H${written.length}`)).toBeUndefined();
  expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(true);
});
