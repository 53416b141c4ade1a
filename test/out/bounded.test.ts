import { expect, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import { bounded } from '../../src/out/query.ts';

test('work that ends by itself gives its result, and its error', () => {
  const mistake = new CliError('invalid_input', 'wrong');

  expect(bounded(() => 42)).toBe(42);
  expect(() =>
    bounded(() => {
      throw mistake;
    }),
  ).toThrow(mistake);
});

test('work without an end is ended, with exit code 2', () => {
  const endless = () => {
    for (;;);
  };

  expect(() => bounded(endless)).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message: '--query took longer than 5 s.',
    }),
  );
});
