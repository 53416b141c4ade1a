import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { lockHolder } from '../../src/fs/lock.ts';
import { openJournal, readMemory } from '../../src/seed/journal.ts';
import { bundled } from '../helpers/bundled.ts';
import { contextAt, hotels, rowOf } from './run.ts';
import { test } from './with-path.ts';

const script = await bundled(join(import.meta.dirname, 'journal-writer.ts'));
const limits = { timeout: 120_000 };

interface Writer {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly said: () => string;
}

function start(...args: readonly string[]): Writer {
  const child = spawn(process.execPath, [script, ...args]);
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

test(
  'a second run on a journal is rejected with the pid of the first, until that is killed',
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
  'a run that is killed while it writes keeps every row that it reported as written',
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

test('of six processes that find a stale lock, exactly one takes it', limits, async ({ path }) => {
  const dead = start(path, '1', 'hold');
  await says(dead, 'done');
  await kill(dead);

  const writers = Array.from({ length: 6 }, () => start(path, '1', 'hold'));
  await Promise.all(writers.map(({ said }) => expect.poll(said, { timeout: 50_000 }).toMatch(/done|busy/)));

  const holders = writers.filter(({ said }) => said().includes('done'));
  expect(holders).toHaveLength(1);
  expect(writers.filter(({ said }) => said().includes(`(pid ${holders[0]?.pid})`))).toHaveLength(5);
  expect(lockHolder(path)).toMatchObject({ pid: holders[0]?.pid, life: 'alive' });
  await Promise.all(holders.map(kill));
});

test('a process on another machine holds the lock while it sends heartbeats', async ({ path }) => {
  const name = '4711.123.0123456789abcdef.11111111-2222-4333-8444-555555555555';
  mkdirSync(`${path}.lock`, { recursive: true });
  writeFileSync(join(`${path}.lock`, name), '');
  const heartbeat = (secondsAgo: number) => {
    const time = Date.now() / 1000 - secondsAgo;
    utimesSync(join(`${path}.lock`, name), time, time);
  };

  heartbeat(20);
  await expect(open(path)).rejects.toMatchObject({
    code: 'busy',
    exitCode: 6,
    message: `The journal ${path} is in use by another innctl (pid 4711, last heartbeat 20 s ago).`,
    hint: 'Wait until it has ended; the lock of a killed run is stale after 30 s.',
  });
  heartbeat(31);
  await (await open(path)).close();

  expect(readdirSync(dirname(path))).toEqual([]);
});

test('a full disk stops the writing, and the journal stays readable', limits, async ({ path }) => {
  const command = `ulimit -f 8; exec node '${script}' '${path}' 100000`;

  const { stdout } = await promisify(execFile)('bash', ['-c', command]).catch((error) => error);

  const written = stdout.split('\n').filter((line: string) => /^H\d+$/.test(line));
  expect(stdout).toContain(`journal_failed: Could not write the journal ${path}: `);
  const memory = await readMemory(path, hotels);
  expect([written.length > 10, memory.recall('property', written.at(-1))?.state]).toEqual([true, 'sent']);
  expect(memory.recall('property', `H${written.length}`)).toBeUndefined();
  expect(readFileSync(path, 'utf8').endsWith('\n')).toBe(true);
});
