import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { sameCommand, shellLine } from '../../src/print/text.ts';
import { fileText } from '../helpers/arbitrary.ts';
import { fc } from '../helpers/laws.ts';

/** Any possible program argument: a text without NUL. */
const word = fileText.map((text) => text.replaceAll('\0', ''));

test('a shell parses a quoted line back to the same words', () => {
  const lines = fc.array(fc.array(word, { maxLength: 4 }), { minLength: 40, maxLength: 40 });
  fc.assert(
    fc.property(lines, (all) => {
      const script = all.map((words) => shellLine(['printf', '%s\\0', '<', ...words])).join('\n');
      const { stdout, stderr } = spawnSync('sh', { input: script, encoding: 'utf8' });

      expect({ stdout, stderr }).toEqual({
        stdout: all
          .flatMap((words) => ['<', ...words])
          .map((each) => `${each}\0`)
          .join(''),
        stderr: '',
      });
    }),
    { numRuns: 5 },
  );
});

test('flags are added to a command before --', () => {
  fc.assert(
    fc.property(fc.array(word.filter((each) => each !== '--')), fc.array(word), (flags, rest) => {
      expect(sameCommand([...flags, '--', ...rest], '--yes')).toBe(
        shellLine(['innctl', ...flags, '--yes', '--', ...rest]),
      );
      expect(sameCommand(flags, '--yes')).toBe(shellLine(['innctl', ...flags, '--yes']));
    }),
  );
});
