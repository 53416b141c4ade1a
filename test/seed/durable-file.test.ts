import { mkdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import { createDurableFile } from '../../src/seed/durable-file.ts';
import { test } from './with-path.ts';

/** A file in which each sync completes when the test resolves it. */
async function slowDisk(path: string, close?: () => Promise<void>) {
  const syncs: ((error?: Error) => void)[] = [];
  mkdirSync(dirname(path), { recursive: true });
  const file = await open(path, 'w+');
  file.datasync = () =>
    new Promise<void>((resolve, reject) => {
      syncs.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  onTestFinished(file.close.bind(file));
  if (close !== undefined) file.close = close;
  const failed = (cause: unknown) => new CliError('journal_failed', String(cause));
  const disk = createDurableFile(file, path, 0, failed);
  const underWay = (count: number) => expect.poll(() => syncs.length).toBe(count);
  return { disk, content: () => readFileSync(path, 'utf8'), syncs, underWay };
}

test('lines written during a sync share the next sync', async ({ path }) => {
  const { disk, content, syncs, underWay } = await slowDisk(path);

  const first = disk.append('1\n');
  await underWay(1);
  const others = [disk.append('2\n'), disk.append('3\n'), disk.append('4\n')];
  syncs[0]?.();
  await first;
  await underWay(2);
  syncs[1]?.();
  await Promise.all(others);

  expect([content(), syncs.length]).toEqual(['1\n2\n3\n4\n', 2]);
});

test('lines written at once share one sync', async ({ path }) => {
  const { disk, content, syncs, underWay } = await slowDisk(path);

  const lines = [disk.append('1\n'), disk.append('2\n')];
  await underWay(1);
  syncs[0]?.();
  await Promise.all(lines);

  expect([content(), syncs.length]).toEqual(['1\n2\n', 1]);
});

test('a write does not resolve before its sync completes', async ({ path }) => {
  const { disk, syncs, underWay } = await slowDisk(path);
  let isWritten = false;

  const line = disk.append('1\n').then(() => {
    isWritten = true;
  });
  await underWay(1);
  expect(isWritten).toBe(false);
  syncs[0]?.();
  await line;

  expect(isWritten).toBe(true);
});

test('a write error is final for waiting lines and for all later lines', async ({ path }) => {
  const { disk, content, syncs, underWay } = await slowDisk(path);

  const first = disk.append('1\n');
  await underWay(1);
  const second = disk.append('2\n');
  syncs[0]?.(new Error('EIO: i/o error'));

  const errors = await Promise.all(
    [first, second, disk.append('3\n')].map((each) => each.catch((error) => error)),
  );
  expect(errors.map(({ code, message }) => [code, message])).toEqual(
    Array.from({ length: 3 }, () => ['journal_failed', 'Error: EIO: i/o error']),
  );
  expect([content(), syncs.length]).toEqual(['', 1]);
});

test.for([
  ['no line waits', []],
  ['a line waits', ['2\n']],
] as const)('a line written after an error while %s fails at once', async ([, waiting], { path }) => {
  const { disk, content, syncs, underWay } = await slowDisk(path);
  const first = disk.append('1\n');
  await underWay(1);
  for (const line of waiting) disk.append(line);
  syncs[0]?.(new Error('EIO: i/o error'));
  await first.catch(() => {});

  const late = disk.append('3\n').catch(({ message }) => message);
  const turn = new Promise((resolve) => setImmediate(resolve, 'still waiting'));

  expect(await Promise.race([late, turn])).toBe('Error: EIO: i/o error');
  expect(content()).toBe('');
});

test('a close error is ignored: the lines are on the disk', async ({ path }) => {
  const { disk, syncs, underWay } = await slowDisk(path, async () => {
    throw new Error('EIO: i/o error, close');
  });

  const line = disk.append('1\n');
  await underWay(1);
  syncs[0]?.();
  await line;

  expect(await disk.close()).toBeUndefined();
});
