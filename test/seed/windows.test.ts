import { expect, test } from 'vitest';
import { createRowJournal } from '../../src/seed/row-journal.ts';
import { newProperty } from './stage.ts';

/** Creations, a letter each, that are announced in windows; `settle` marks one as written to disk. */
function windowsOver(letters: string, size: number, writing?: Promise<void>) {
  const announced: string[] = [];
  const settle: (() => void)[] = [];
  const items = [...letters].map(newProperty);
  const journal = createRowJournal(
    items,
    {
      recall: () => undefined,
      bulkKeyFor: ({ name }) => `bulk key of ${name}`,
      keyFor: ({ name }) => ({ key: `key of ${name}` }),
      write: async () => {},
      writeAll: (rows) => {
        announced.push(rows.map(({ name }) => name).join(''));
        return writing ?? new Promise((resolve) => settle.push(resolve));
      },
    },
    size,
  );
  journal.begin(items);
  const announce = (letter: string) => journal.announce(items[letters.indexOf(letter)] ?? newProperty(''));
  /** The names in the lines that retract rows that were not reached: two lines each. */
  const rest = () => {
    void journal.retractRest('The run ended.');
    return [...new Set(announced.pop())].join('');
  };
  return { announce, rest, announced, settle };
}

test('nothing is announced before the first row is reached', () => {
  const { announced, rest } = windowsOver('abcde', 2);

  expect([announced, rest()]).toEqual([[], '']);
});

test('the first row of a window announces the next window, once', () => {
  const { announce, announced } = windowsOver('abcde', 2);

  void announce('a');
  const first = [...announced];
  void announce('b');
  const second = [...announced];
  void announce('c');

  expect([first, second, announced]).toEqual([
    ['ab', 'cd'],
    ['ab', 'cd'],
    ['ab', 'cd', 'e'],
  ]);
});

test('windows whose lines share one sync are announced one ahead', () => {
  const { announce, announced } = windowsOver('abcdefgh', 2, Promise.resolve());

  void announce('a');
  void announce('b');

  expect(announced).toEqual(['ab', 'cd']);
});

test('a row waits only for its own window', async () => {
  const { announce, settle } = windowsOver('abcd', 2);
  const reached: string[] = [];

  const all = [...'abcd'].map((letter) => announce(letter).then(() => reached.push(letter)));
  settle[1]?.();
  await Promise.all(all.slice(2));

  expect(reached).toEqual(['c', 'd']);
  settle[0]?.();
  await Promise.all(all);
  expect(reached).toEqual(['c', 'd', 'a', 'b']);
});

test('skipped rows are retracted, once', () => {
  const { announce, announced, rest } = windowsOver('abcdef', 2);

  void announce('c');

  expect([[...announced], rest(), rest()]).toEqual([['ab', 'cd', 'ef'], 'abdef', '']);
});
