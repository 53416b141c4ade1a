import { expect, test } from 'vitest';
import { aboutRecord, withValue } from '../../src/commands/lines.ts';
import { sameCommand } from '../../src/out/text.ts';

test.each([
  [['edit', 'BER'], 'innctl edit BER --file new'],
  [['edit', '--file=old', 'BER'], 'innctl edit BER --file new'],
  [['edit', '--file', 'old', 'BER', '--file', 'last'], 'innctl edit BER --file new'],
  [['edit', '--file', '--file', 'BER'], 'innctl edit BER --file new'],
  [['edit', '--', '--file', 'BER'], 'innctl edit --file new -- --file BER'],
])('%j gets the single flag value: %s', (argv, line) => {
  expect(sameCommand(withValue(argv, '--file', 'new'))).toBe(line);
});

test.each([
  ['BER', ['edit', 'BER', '--file', 'x']],
  ['-BER', ['edit', '--file', 'x', '--', '-BER']],
])('a command about %s names it where it is no flag', (id, words) => {
  expect(aboutRecord('edit', id, '--file', 'x')).toEqual(words);
});
