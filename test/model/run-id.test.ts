import { expect, test } from 'vitest';
import { runIdProblem } from '../../src/model/segment.ts';

test.each(['1', 'build-17/4', 'a'.repeat(128), '__proto__', '3f1c9c3a-6f0e-4f4e-9d6b-0a3c2f1d5e77'])(
  '%s is a valid run id',
  (id) => {
    expect(runIdProblem(id)).toBeUndefined();
  },
);

test.each(['', ' ', 'a b', 'a\tb', 'a\nb', 'ä', '\u202e', '\0', 'a'.repeat(129)])(
  '%j is not a valid run id',
  (id) => {
    expect(runIdProblem(id)).toContain('must be 1 to 128 visible ASCII characters without blanks');
  },
);
