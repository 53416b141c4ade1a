import { expect, test } from 'vitest';
import { runIdProblem } from '../../src/model/segment.ts';

const valid = ['1', 'build-17/4', 'a'.repeat(128), '__proto__', '3f1c9c3a-6f0e-4f4e-9d6b-0a3c2f1d5e77'];
const invalid = ['', ' ', 'a b', 'a\tb', 'a\nb', 'ä', '\u202e', '\0', 'a'.repeat(129)];

test('a run id is 1 to 128 visible ASCII characters without blanks', () => {
  expect(valid.filter(runIdProblem)).toEqual([]);
  expect(invalid.filter((id) => runIdProblem(id) === undefined)).toEqual([]);
});
