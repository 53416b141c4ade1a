import { expect, test } from 'vitest';
import { replaceFlags, withValue } from '../../src/change/lines.ts';
import { aboutRecord, sameCommand } from '../../src/print/text.ts';

const flags = {
  '--email': { takes: 'value', as: (email: string) => ['--param', `email=${email}`] },
  '--enabled': { takes: 'truth', as: (word: string) => ['--param', `enabled=${word}`] },
  '--archived': { takes: 'nothing', as: () => ['--param', 'archived=true'] },
} as const;

test.each([
  [['list', '--email', 'benno@example.com', '--json'], 'innctl list --param email=benno@example.com --json'],
  [['list', '--email=a=b'], 'innctl list --param email=a=b'],
  [['list', '--email', '--enabled'], 'innctl list --param email=--enabled'],
  [['list', '--enabled', '--json'], 'innctl list --param enabled=true --json'],
  [['list', '--enabled', 'false'], 'innctl list --param enabled=false'],
  [['list', '--enabled'], 'innctl list --param enabled=true'],
  [['list', '--archived', 'x'], 'innctl list --param archived=true x'],
  [['list', '--', '--email', 'x'], 'innctl list -- --email x'],
])('%j keeps its values as %s', (argv, line) => {
  expect(sameCommand(replaceFlags(argv, flags))).toBe(line);
});

test.each([
  [['clone', 'BER'], 'innctl clone BER --file new'],
  [['clone', '--file=old', 'BER'], 'innctl clone BER --file new'],
  [['clone', '--file', 'old', 'BER', '--file', 'last'], 'innctl clone BER --file new'],
  [['clone', '--file', '--file', 'BER'], 'innctl clone BER --file new'],
  [['clone', '--', '--file', 'BER'], 'innctl clone --file new -- --file BER'],
])('%j gets the single flag value: %s', (argv, line) => {
  expect(sameCommand(withValue(argv, '--file', 'new'))).toBe(line);
});

test.each([
  ['BER', ['clone', 'BER', '--file', 'x']],
  ['-BER', ['clone', '--file', 'x', '--', '-BER']],
])('a command about %s names it where it is no flag', (id, words) => {
  expect(aboutRecord('clone', id, '--file', 'x')).toEqual(words);
});
