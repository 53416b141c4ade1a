import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { hasHidden, sameCommand, shellLine } from '../../src/print/text.ts';
import { fileText } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

/** The words to which a shell parses a line. */
function readBy(shell: string, line: string): readonly string[] {
  const { stdout } = spawnSync(shell, ['-c', `printf '%s\\0' ${line}`], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '' },
  });
  return stdout.split('\0').slice(0, -1);
}

/** Any possible program argument: a text without NUL. */
const typable = fileText.map((text) => text.replaceAll('\0', ''));

test.each([
  ['BER', 'BER'],
  ["Ana's", "'Ana'\\''s'"],
  ['$(touch x)', "'$(touch x)'"],
  ['a\nb', `"$(printf 'a\\012b')"`],
  ['\u001b]0;x\u0007', `"$(printf '\\033]0;x\\007')"`],
  ['-\u202e100%!', `"$(printf '\\055\\342\\200\\256100%%\\041')"`],
])('the word %j is quoted as %s', (word, written) => {
  expect(shellLine([word])).toBe(written);
});

test.each(['sh', 'bash'])(
  '%s parses a quoted line back to the same words, and the line has no hidden characters',
  (shell) => {
    fc.assert(
      fc.property(fc.array(typable, { minLength: 30, maxLength: 40 }), (words) => {
        const line = shellLine(words);

        expect(readBy(shell, line)).toEqual(words);
        expect(hasHidden(shellLine(words.map((word) => `${word}.`)))).toBe(false);
      }),
      { numRuns: 5 },
    );
  },
);

test('flags are added to a command before --', () => {
  fc.assert(
    fc.property(fc.array(typable.filter((each) => each !== '--')), fc.array(typable), (flags, rest) => {
      expect(sameCommand([...flags, '--', ...rest], '--yes')).toBe(
        shellLine(['innctl', ...flags, '--yes', '--', ...rest]),
      );
      expect(sameCommand(flags, '--yes')).toBe(shellLine(['innctl', ...flags, '--yes']));
    }),
  );
});
