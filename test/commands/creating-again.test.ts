import { describe, expect, test } from 'vitest';
import { CliError, OutcomeUnknown } from '../../src/cli/errors.ts';
import { Interruption } from '../../src/cli/ports.ts';
import { lookFirst, mayForget, type Remembered } from '../../src/commands/creation.ts';

const refused = new CliError('conflict', 'Refused.', { status: 422 });
const first: Pick<Remembered, 'before' | 'isKept'> = { before: undefined, isKept: true };
const again = { target: 't', about: 'a', name: 'n', since: 0, at: 0, key: 'k', isAnswered: false };

describe('what is remembered of a creation that failed', () => {
  test.each<[string, unknown, Pick<Remembered, 'before' | 'isKept'>, boolean]>([
    ['is forgotten after a refusal', refused, first, true],
    ['is forgotten after an interruption before it was sent', new Interruption('SIGINT'), first, true],
    ['stays while the outcome is unknown', new OutcomeUnknown('Unknown.'), first, false],
    ['stays where an earlier one may have been carried out', refused, { before: again, isKept: true }, false],
    ['stays where it is of another key', refused, { before: undefined, isKept: false }, false],
    ['stays after a mistake of the program', new TypeError('x is not a function'), first, false],
  ])('%s', (_, error, remembered, isForgotten) => {
    expect(mayForget(remembered, error)).toBe(isForgotten);
  });
});

describe('a look before a creation', () => {
  async function looked(status: number | undefined, ifNotExists?: true) {
    const warnings: string[] = [];
    const look = Promise.reject(new CliError('refused', 'No.', { status }));
    const out = { warn: async (sentence: string) => void warnings.push(sentence) };
    // A look warns, and says nothing else.
    const session = { out } as unknown as Parameters<typeof lookFirst>[3];
    const seen = await lookFirst(
      look,
      'whether HAM is there',
      { check: true, ...(ifNotExists && { ifNotExists }) },
      session,
    );
    return { seen, warnings };
  }

  test.each([403, 404, 405, 501])('that the service does not allow (%i) is a warning', async (status) => {
    expect(await looked(status)).toEqual({
      seen: undefined,
      warnings: ['Could not check whether HAM is there. No.'],
    });
    await expect(looked(status, true)).rejects.toMatchObject({ status });
  });

  test.each([401, 429, 500, 503, undefined])('that fails otherwise (%s) ends the command', async (status) => {
    await expect(looked(status)).rejects.toMatchObject({ code: 'refused' });
  });
});
