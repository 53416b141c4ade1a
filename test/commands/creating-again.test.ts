import { describe, expect, test } from 'vitest';
import { CliError, OutcomeUnknown } from '../../src/cli/errors.ts';
import { Interruption } from '../../src/cli/ports.ts';
import { lookFirst, mayForget, type Remembered } from '../../src/commands/creation.ts';

const refused = new CliError('conflict', 'Refused.', { status: 422 });
const first: Pick<Remembered, 'before' | 'isKept'> = { before: undefined, isKept: true };
const again = { target: 't', about: 'a', name: 'n', since: 0, at: 0, key: 'k', isAnswered: false };

describe('the record of a failed creation', () => {
  test.each<[string, unknown, Pick<Remembered, 'before' | 'isKept'>, boolean]>([
    ['is deleted after a rejection', refused, first, true],
    ['is deleted after an interruption before the request was sent', new Interruption('SIGINT'), first, true],
    ['is kept if the outcome is unknown', new OutcomeUnknown('Unknown.'), first, false],
    ['is kept if an earlier attempt may have succeeded', refused, { before: again, isKept: true }, false],
    ['is kept if it belongs to another key', refused, { before: undefined, isKept: false }, false],
    ['is kept after an internal error', new TypeError('x is not a function'), first, false],
  ])('%s', (_, error, remembered, isForgotten) => {
    expect(mayForget(remembered, error)).toBe(isForgotten);
  });
});

describe('the check before a creation', () => {
  async function runCheck(status: number | undefined, ifNotExists?: true) {
    const warnings: string[] = [];
    const lookup = Promise.reject(new CliError('refused', 'No.', { status }));
    const out = { warn: async (sentence: string) => void warnings.push(sentence) };
    // lookFirst calls only `out.warn`.
    const session = { out } as unknown as Parameters<typeof lookFirst>[3];
    const seen = await lookFirst(
      lookup,
      'whether HAM is there',
      { check: true, ...(ifNotExists && { ifNotExists }) },
      session,
    );
    return { seen, warnings };
  }

  test.each([403, 404, 405, 501])('warns if the service does not allow it (%i)', async (status) => {
    expect(await runCheck(status)).toEqual({
      seen: undefined,
      warnings: ['Could not check whether HAM is there. No.'],
    });
    await expect(runCheck(status, true)).rejects.toMatchObject({ status });
  });

  test.each([401, 429, 500, 503, undefined])(
    'ends the command if it fails otherwise (%s)',
    async (status) => {
      await expect(runCheck(status)).rejects.toMatchObject({ code: 'refused' });
    },
  );
});
