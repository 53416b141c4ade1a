import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Sink } from '../../src/model/ports.ts';
import { openProgress, type ProgressMode, type ProgressOptions } from '../../src/print/progress.ts';
import { screenOf } from '../../src/print/streams.ts';
import { bundled } from '../helpers/bundled.ts';
import { keys, openTerminal } from '../helpers/terminal.ts';

/** A recording stderr. */
function desk(more: Partial<ProgressOptions> & { isTerminal?: boolean; columns?: number } = {}) {
  const { isTerminal = false, columns = 80, ...options } = more;
  let text = '';
  const stderr: Sink = {
    isTerminal,
    columns,
    rows: 24,
    write: async (piece) => {
      text += piece;
    },
  };
  const progress = openProgress({
    stderr,
    mode: 'auto',
    plain: false,
    json: false,
    ...options,
  });
  const rows = async (total: number, steps = total, label = 'Applying') => {
    await progress.start(total, label);
    for (let row = 1; row <= steps; row += 1) {
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
  test('are printed at every tenth', async () => {
    const { rows, lines } = desk();

    await rows(1_000);

    expect(lines()).toHaveLength(10);
    expect([lines()[0], lines()[9]]).toEqual([
      'Applying: 100 of 1,000 rows ended, 10 %.',
      'Applying: 1,000 of 1,000 rows ended, 100 %.',
    ]);
  });

  test('are at most one per row', async () => {
    const { rows, lines } = desk();

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

    expect(lines()).toEqual(['Reading: 1 of 10 rows ended, 10 %.', 'Applying: 1 of 2 rows ended, 50 %.']);
  });
});

test.each<[ProgressMode, Partial<ProgressOptions> & { isTerminal?: boolean }, string]>([
  ['auto', {}, 'lines'],
  ['auto', { isTerminal: true }, 'bar'],
  ['auto', { isTerminal: true, plain: true }, 'lines'],
  ['auto', { isTerminal: true, json: true }, 'nothing'],
  ['bar', { isTerminal: true, json: true }, 'bar'],
  ['bar', {}, 'lines'],
  ['lines', { isTerminal: true }, 'lines'],
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
  const { progress, lines } = desk({ mode: 'jsonl' });
  await progress.start(20, 'Applying');

  progress.step({ kind: 'invitation', name: 'ana@example.com\u001b\n', outcome: 'failed' });
  progress.step({ kind: 'invitation', name: 'ben@example.com', outcome: 'done' });
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
    { event: 'row', kind: 'invitation', name: 'ben@example.com', outcome: 'done', done: 2, total: 20 },
    { event: 'progress', label: 'Applying', done: 2, total: 20, percent: 10 },
  ]);
  expect(lines().join('')).not.toContain('\u001b');
});

test('a failed write to stderr is reported by stop()', async () => {
  const write = () => Promise.reject(new Error('full'));
  const stderr: Sink = { isTerminal: false, columns: 80, rows: 24, write };
  const progress = openProgress({ stderr, mode: 'lines', plain: false, json: false });
  await progress.start(1, 'Applying');
  progress.step({ kind: 'property', name: 'BER', outcome: 'done' });
  await new Promise((resolve) => setImmediate(resolve));

  await expect(progress.stop()).rejects.toThrow('full');
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

describe('the bar', () => {
  test('is one line narrower than the terminal', async () => {
    for (const columns of [20, 40, 60, 80, 200]) {
      const { rows, text } = desk({ isTerminal: true, columns });

      await rows(1_000_000, 5, 'Ändern 变更');

      const drawn = text().split('\r\u001b[K');
      expect(drawn.length).toBeGreaterThan(2);
      expect(Math.max(...drawn.map((line) => line.length))).toBe(Math.min(columns - 1, 71));
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
    await terminal.sees('20 of 40 rows ended, 50 %');
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
});
