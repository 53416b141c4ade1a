import { expect, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import { bounded } from '../../src/print/query.ts';

test('bounded() returns the result or throws the error of work that terminates', () => {
  const error = new CliError('invalid_input', 'wrong');

  expect(bounded(() => 42)).toBe(42);
  expect(() =>
    bounded(() => {
      throw error;
    }),
  ).toThrow(error);
});

test('an endless loop is interrupted with exit code 2', () => {
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
