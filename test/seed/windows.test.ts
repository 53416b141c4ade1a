import { expect, test } from 'vitest';
import { createWindows } from '../../src/seed/row-journal.ts';

/** Windows over letters, what was prepared, and a way to say that a window is. */
function windowsOver(letters: string, size: number) {
  const prepared: string[] = [];
  const settle: (() => void)[] = [];
  const prepare = (items: readonly string[]) => {
    prepared.push(items.join(''));
    return new Promise<void>((resolve) => {
      settle.push(resolve);
    });
  };
  return { ...createWindows([...letters], size, prepare), prepared, settle };
}

test('nothing is prepared before the turn of the first has come', () => {
  const { prepared, rest } = windowsOver('abcde', 2);

  expect([prepared, rest()]).toEqual([[], []]);
});

test('with the first of a window the next window is prepared, once', () => {
  const { reach, prepared } = windowsOver('abcde', 2);

  void reach('a');
  const first = [...prepared];
  void reach('b');
  const second = [...prepared];
  void reach('c');

  expect([first, second, prepared]).toEqual([
    ['ab', 'cd'],
    ['ab', 'cd'],
    ['ab', 'cd', 'e'],
  ]);
});

test('an item waits for its own window, and for no other', async () => {
  const { reach, settle } = windowsOver('abcd', 2);
  const reached: string[] = [];

  const all = [...'abcd'].map((item) => reach(item).then(() => reached.push(item)));
  settle[1]?.();
  await Promise.all(all.slice(2));

  expect(reached).toEqual(['c', 'd']);
  settle[0]?.();
  await Promise.all(all);
  expect(reached).toEqual(['c', 'd', 'a', 'b']);
});

test('whoever is passed over is among the rest, once', () => {
  const { reach, prepared, rest } = windowsOver('abcdef', 2);

  void reach('c');

  expect([prepared, rest(), rest()]).toEqual([['ab', 'cd', 'ef'], ['a', 'b', 'd', 'e', 'f'], []]);
});

test('what its window ends with is told to everybody in it', async () => {
  const { reach } = createWindows([1, 2], 2, () => Promise.reject(new Error('full')));

  await expect(reach(1)).rejects.toThrow('full');
  await expect(reach(2)).rejects.toThrow('full');
});
