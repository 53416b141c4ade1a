import { expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import { ExitCode } from '../../src/model/exit-codes.ts';
import { toJson } from '../../src/print/json.ts';

test('a field called __proto__ is a field like any other', () => {
  const text = '{"__proto__":{"id":"BER"},"id":"MUC"}';

  expect(toJson(JSON.parse(text))).toBe(text);
});

test('a value that is nested too deeply is a reported error, not a stack overflow', () => {
  const depth = 200_000;
  const deep: unknown = JSON.parse('['.repeat(depth) + ']'.repeat(depth));

  const attempt = () => toJson(deep, 2);

  expect(attempt).toThrow(CliError);
  expect(attempt).toThrow(
    expect.objectContaining({
      code: 'unprintable',
      message: 'Could not print the result as JSON: it is nested too deeply or too long.',
      exitCode: ExitCode.failed,
    }),
  );
});

test('another serialization error is not reported as excessive nesting', () => {
  expect(() => toJson({ count: 1n })).toThrow(TypeError);
});
