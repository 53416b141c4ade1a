import { expect, test } from 'vitest';
import { withValue } from '../../src/commands/lines.ts';
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
