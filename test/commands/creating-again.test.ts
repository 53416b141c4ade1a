import { expect, test } from 'vitest';
import { lookFirst } from '../../src/change/existing.ts';
import { createHistory } from '../../src/journal/history.ts';
import { CliError } from '../../src/model/errors.ts';

async function runCheck(status: number | undefined, ifNotExists?: true) {
  const warnings: string[] = [];
  const look = () => Promise.reject(new CliError('refused', 'No.', { status }));
  const session = {
    journal: { read: async () => createHistory() },
    out: { warn: async (sentence: string) => void warnings.push(sentence) },
  };
  const { found } = await lookFirst(
    { kind: 'property', name: 'HAM' },
    look,
    'whether HAM is there',
    { check: true, ...(ifNotExists && { ifNotExists }) },
    // lookFirst calls only these of a session.
    session as unknown as Parameters<typeof lookFirst>[4],
  );
  return { found, warnings };
}

test.each([403, 404, 405, 501])(
  'a check before a creation that the service does not allow is a warning (%i)',
  async (status) => {
    expect(await runCheck(status)).toEqual({
      found: undefined,
      warnings: ['Could not check whether HAM is there. No.'],
    });
    await expect(runCheck(status, true)).rejects.toMatchObject({ status });
  },
);

test.each([401, 429, 500, 503, undefined])(
  'one that fails otherwise ends the command (%s)',
  async (status) => {
    await expect(runCheck(status)).rejects.toMatchObject({ code: 'refused' });
  },
);
