import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Sink } from '../../src/cli/ports.ts';
import {
  openProgress,
  type ProgressMode,
  type ProgressOptions,
  percentOf,
  progressText,
} from '../../src/print/progress.ts';
import { screenOf } from '../../src/print/streams.ts';
import { bundled } from '../helpers/bundled.ts';
import { keys, openTerminal } from '../helpers/terminal.ts';

/** A recording stderr, and a clock that advances with each row. */
function desk(
  more: Partial<ProgressOptions> & { isTerminal?: boolean; rowMs?: number; columns?: number } = {},
) {
  const { isTerminal = false, rowMs = 10, columns = 80, ...options } = more;
  let now = 5_000;
  let text = '';
  const stderr: Sink = {
    isTerminal,
    columns,
    write: async (piece) => {
      text += piece;
    },
  };
  const progress = openProgress({
    stderr,
    mode: 'auto',
    plain: false,
    json: false,
    now: () => now,
    ...options,
  });
  const rows = async (total: number, steps = total, label = 'Applying') => {
    await progress.start(total, label);
    for (let row = 1; row <= steps; row += 1) {
      now += rowMs;
      progress.step({ kind: 'property', name: `H${row}`, outcome: 'done' });
    }
    await progress.stop();
  };
  return {
    rows,
    progress,
    screen: screenOf(stderr),
    text: () => text,
    lines: () => text.split('\n').slice(0, -1),
  };
}

describe('lines', () => {
  test('are printed at every tenth, with rate and remaining time', async () => {
    const { rows, lines } = desk();

    await rows(1_000);

    expect(lines()).toEqual([
      'Applying: 100 of 1,000 rows ended, 10 %, 100 rows/s, about 9 s left.',
      'Applying: 200 of 1,000 rows ended, 20 %, 100 rows/s, about 8 s left.',
      'Applying: 300 of 1,000 rows ended, 30 %, 100 rows/s, about 7 s left.',
      'Applying: 400 of 1,000 rows ended, 40 %, 100 rows/s, about 6 s left.',
      'Applying: 500 of 1,000 rows ended, 50 %, 100 rows/s, about 5 s left.',
      'Applying: 600 of 1,000 rows ended, 60 %, 100 rows/s, about 4 s left.',
      'Applying: 700 of 1,000 rows ended, 70 %, 100 rows/s, about 3 s left.',
      'Applying: 800 of 1,000 rows ended, 80 %, 100 rows/s, about 2 s left.',
      'Applying: 900 of 1,000 rows ended, 90 %, 100 rows/s, about 1 s left.',
      'Applying: 1,000 of 1,000 rows ended, 100 %, 100 rows/s, in 10 s.',
    ]);
  });

  test('are at most one per row, without rate and time when these are unknown', async () => {
    const { rows, lines } = desk({ rowMs: 0 });

    await rows(3);

    expect(lines()).toEqual([
      'Applying: 1 of 3 rows ended, 33 %.',
      'Applying: 2 of 3 rows ended, 66 %.',
      'Applying: 3 of 3 rows ended, 100 %.',
    ]);
  });

  test('stop with the work and restart with the next', async () => {
    const { rows, lines } = desk();

    await rows(10, 1, 'Reading');
    await rows(2, 1);
    await rows(0, 0);

    expect(lines()).toEqual([
      'Reading: 1 of 10 rows ended, 10 %, 100 rows/s, about 1 s left.',
      'Applying: 1 of 2 rows ended, 50 %, 100 rows/s, about 1 s left.',
    ]);
  });

  test('escape control characters of a label', async () => {
    const { rows, lines } = desk({ rowMs: 0 });

    await rows(1, 1, 'BER\u001b[31m\nMUC');

    expect(lines()).toEqual(['BER\\u{1b}[31m\\nMUC: 1 of 1 rows ended, 100 %.']);
  });
});

test.each<[ProgressMode, Partial<ProgressOptions> & { isTerminal?: boolean }, string]>([
  ['auto', {}, 'lines'],
  ['auto', { isTerminal: true }, 'bar'],
  ['auto', { isTerminal: true, plain: true }, 'lines'],
  ['auto', { isTerminal: true, json: true }, 'nothing'],
  ['auto', { json: true }, 'nothing'],
  ['bar', { isTerminal: true, json: true }, 'bar'],
  ['bar', {}, 'lines'],
  ['bar', { isTerminal: true, plain: true }, 'lines'],
  ['lines', { isTerminal: true }, 'lines'],
  ['lines', { json: true }, 'lines'],
  ['jsonl', { isTerminal: true }, 'jsonl'],
  ['none', { isTerminal: true }, 'nothing'],
])('%s with %o shows %s', async (mode, surroundings, shown) => {
  const { rows, text } = desk({ mode, ...surroundings });

  await rows(2);

  const patterns = { bar: /░/, lines: /^Applying: 1 of 2/, jsonl: /^\{"event"/ };
  const seen = Object.entries(patterns).filter(([, pattern]) => pattern.test(text()));
  expect(seen.map(([name]) => name)).toEqual(shown === 'nothing' ? [] : [shown]);
  expect(text() === '').toBe(shown === 'nothing');
});

test('jsonl prints an object for every row and every tenth', async () => {
  const { progress, lines } = desk({ mode: 'jsonl', rowMs: 0 });
  await progress.start(20, 'Applying');

  progress.step({ kind: 'invitation', name: 'ana@example.com\u001b\n', outcome: 'failed' });
  progress.step();
  await progress.stop();

  expect(lines().map((line) => JSON.parse(line))).toEqual([
    {
      event: 'row',
      kind: 'invitation',
      name: 'ana@example.com\u001b\n',
      outcome: 'failed',
      done: 1,
      total: 20,
    },
    { event: 'progress', label: 'Applying', done: 2, total: 20, percent: 10 },
  ]);
  expect(lines().join('')).not.toContain('\u001b');
});

test('jsonl reports rate and remaining time', async () => {
  const { rows, lines } = desk({ mode: 'jsonl' });

  await rows(1_000, 100);

  expect(JSON.parse(lines().at(-1) ?? '')).toEqual({
    event: 'progress',
    label: 'Applying',
    done: 100,
    total: 1_000,
    percent: 10,
    rows_per_second: 100,
    seconds_left: 9,
  });
});

test('a failed write to stderr is reported by stop()', async () => {
  const stderr: Sink = { isTerminal: false, columns: 80, write: () => Promise.reject(new Error('full')) };
  const progress = openProgress({ stderr, mode: 'lines', plain: false, json: false, now: Date.now });
  await progress.start(1, 'Applying');
  progress.step();
  await new Promise((resolve) => setImmediate(resolve));

  await expect(progress.stop()).rejects.toThrow('full');
});

test.each([
  [{ done: 1, total: 4, elapsedMs: 3_000 }, '1 of 4 rows ended, 25 %, 0.3 rows/s, about 9 s left'],
  [
    { done: 1, total: 10_000, elapsedMs: 1_000 },
    '1 of 10,000 rows ended, 0 %, 1.0 rows/s, about 2 h 47 min left',
  ],
])('%o as text', (tally, words) => {
  expect(progressText({ failed: 0, unknown: 0, ...tally })).toBe(words);
});

test('failed and unknown rows are counted separately', async () => {
  const { progress, lines } = desk();
  await progress.start(3, 'Applying');

  for (const outcome of ['done', 'failed', 'unknown'])
    progress.step({ kind: 'property', name: 'BER', outcome });
  await progress.stop();

  expect(lines()).toEqual([
    'Applying: 1 of 3 rows ended, 33 %.',
    'Applying: 2 of 3 rows ended, 1 failed, 66 %.',
    'Applying: 3 of 3 rows ended, 1 failed, 1 unknown, 100 %.',
  ]);
});

test('zero rows are 100 %', () => {
  expect(percentOf({ done: 0, total: 0 })).toBe(100);
});

describe('the bar', () => {
  test('is one line narrower than the terminal', async () => {
    for (const columns of [20, 40, 80, 200]) {
      const { rows, text } = desk({ isTerminal: true, columns });

      await rows(1_000_000, 5, 'Ändern 变更');

      const drawn = text().split('\r\u001b[K');
      expect(drawn.length).toBeGreaterThan(2);
      expect(Math.max(...drawn.map((line) => line.length))).toBeLessThan(columns);
      expect(text()).not.toContain('\n');
      expect(text().endsWith('\r\u001b[K')).toBe(true);
    }
  });

  test('stays below other output', async () => {
    const { screen, text } = desk();
    await screen.footer('half');

    await screen.write('Sending to api.example.com.\n');
    await screen.footer('');
    await screen.write('Applied.\n');

    const clear = '\r\u001b[K';
    expect(text()).toBe(`${clear}half${clear}Sending to api.example.com.\nhalf${clear}Applied.\n`);
  });

  test('reuses an existing screen', () => {
    const { screen } = desk();

    expect(screenOf(screen)).toBe(screen);
  });
});

const program = await bundled(join(import.meta.dirname, 'progressing.ts'));

function worker(...args: readonly string[]) {
  return openTerminal([process.execPath, program, ...args], { env: process.env });
}

describe('at a real terminal', () => {
  test('a bar advances below other output and is cleared at the end', async () => {
    using terminal = worker();

    await terminal.sees('Applying ░');
    await terminal.sees('Sending to api.example.com.\r\n');
    await terminal.sees('Applying █');
    await terminal.sees('20 of 40 rows ended, 50 %, 40 rows/s, about 1 s left');
    terminal.types(keys.enter);
    const { screen, exitCode } = await terminal.leaves();

    expect({ exitCode, end: screen.slice(screen.lastIndexOf('\r\n', screen.length - 3)) }).toMatchObject({
      exitCode: 0,
      end: expect.stringMatching(/[\r\n]Applied\.\r\n$/),
    });
  });

  test('a bar that is not stopped does not keep the process alive', async () => {
    using terminal = worker('forgetful');

    expect((await terminal.leaves()).exitCode).toBe(0);
  });

  test('plain output shows lines', async () => {
    using terminal = worker('plain');

    const { screen } = await terminal.leaves();

    expect(screen.split('\r\n').filter((line) => line.startsWith('Applying: '))).toHaveLength(10);
    expect(screen).not.toMatch(/[█░]/);
  });
});
