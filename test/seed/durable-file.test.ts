import { expect, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import { createDurableFile } from '../../src/seed/durable-file.ts';

/** A disk whose every sync ends when the test says so. */
function slowDisk(close = async () => {}) {
  const content: string[] = [];
  const syncs: ((error?: Error) => void)[] = [];
  const cuts: number[] = [];
  const file = {
    write: async (bytes: Uint8Array, offset: number, length: number) => {
      content.push(Buffer.from(bytes.subarray(offset, offset + length)).toString());
      return { bytesWritten: length, buffer: bytes };
    },
    datasync: () =>
      new Promise<void>((resolve, reject) => {
        syncs.push((error) => (error === undefined ? resolve() : reject(error)));
      }),
    truncate: async (length: number) => void cuts.push(length),
    close,
  };
  const failed = (cause: unknown) => new CliError('journal_failed', String(cause));
  // The journal writes whole buffers; of the many ways to call `write` it uses this one.
  const disk = createDurableFile(file as unknown as Parameters<typeof createDurableFile>[0], 0, failed);
  const underWay = (count: number) => expect.poll(() => syncs.length).toBe(count);
  return { disk, content, syncs, cuts, underWay };
}

test('lines that come while the disk is at work share the next sync', async () => {
  const { disk, content, syncs, underWay } = slowDisk();

  const first = disk.append('1\n');
  await underWay(1);
  const others = [disk.append('2\n'), disk.append('3\n'), disk.append('4\n')];
  syncs[0]?.();
  await first;
  await underWay(2);
  syncs[1]?.();
  await Promise.all(others);

  expect(content).toEqual(['1\n', '2\n3\n4\n']);
  expect(syncs).toHaveLength(2);
});

test('lines that come at once share one sync', async () => {
  const { disk, content, syncs, underWay } = slowDisk();

  const lines = [disk.append('1\n'), disk.append('2\n')];
  await underWay(1);
  syncs[0]?.();
  await Promise.all(lines);

  expect(content).toEqual(['1\n2\n']);
});

test('a line is not said to be written before the disk has it', async () => {
  const { disk, syncs, underWay } = slowDisk();
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

test('a failure is final, for lines that wait and for all that come later', async () => {
  const { disk, content, syncs, cuts, underWay } = slowDisk();

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
  expect([content, cuts, syncs.length]).toEqual([['1\n'], [0], 1]);
});

test.each([
  ['nothing waits', []],
  ['a line waits', ['2\n']],
])('a line that comes after a failure while %s fails at once, and is not waited for', async (_, waiting) => {
  const { disk, content, syncs, underWay } = slowDisk();
  const first = disk.append('1\n');
  await underWay(1);
  for (const line of waiting) disk.append(line);
  syncs[0]?.(new Error('EIO: i/o error'));
  await first.catch(() => {});

  const late = disk.append('3\n').catch(({ message }) => message);
  const turn = new Promise((resolve) => setImmediate(resolve, 'still waiting'));

  expect(await Promise.race([late, turn])).toBe('Error: EIO: i/o error');
  expect(content).toEqual(['1\n']);
});

test('a file that cannot be closed is no failure: its lines are on the disk', async () => {
  const { disk, syncs, underWay } = slowDisk(async () => {
    throw new Error('EIO: i/o error, close');
  });

  const line = disk.append('1\n');
  await underWay(1);
  syncs[0]?.();
  await line;

  expect(await disk.close()).toBeUndefined();
});
