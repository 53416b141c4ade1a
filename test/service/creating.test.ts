import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import type { Call, CallOptions } from '../../src/service/client.ts';
import type { Past } from '../../src/service/retry.ts';
import { createUnder } from '../../src/service/settling.ts';
import { pauseAfter } from './pause.ts';

const BER = { code: 'BER' };
const hidden = new CliError('cannot_tell', 'Nothing tells.');

/** Creates BER with one try before, of which this is known. @returns whether it was sent again, and how often was looked. */
async function repeated(
  past: Partial<Past>,
  seen: { id: string } | CliError | undefined,
  trustsKeys = false,
) {
  let looks = 0;
  let isSent = false;
  const answer = { status: 201, headers: {}, body: { id: 'P-1' }, requestId: undefined };
  const send = async (options: CallOptions = {}) => {
    isSent = options.earlier !== undefined;
    return isSent ? answer : pauseAfter(past);
  };
  // Only the creation calls it, which pauses.
  const call = ((_id, _path, options) => send(options)) as Call;
  const find = async () => {
    looks += 1;
    if (seen instanceof CliError) throw seen;
    return seen;
  };
  const options = { trustsKeys, now: () => 0, sleep: async () => {}, deadline: undefined };
  const record = await createUnder('key-1', BER, { find }, call, options);
  return { id: record.id, isSent, looks };
}

describe('a creation is repeated', () => {
  test.each<[string, Partial<Past>, { id: string } | CliError | undefined, boolean, number]>([
    ['without a look where nothing can have come of it', {}, { id: 'P-2' }, false, 0],
    [
      'without a look where an answer showed that keys count',
      { inDoubt: true, honoursKey: true },
      hidden,
      false,
      0,
    ],
    ['after a look that shows nothing', { inDoubt: true }, undefined, false, 1],
    ['where no look tells, and nothing is in doubt', { suspect: true }, hidden, false, 1],
    ['where no look tells, and keys are trusted', { inDoubt: true }, hidden, true, 1],
  ])('%s', async (_, past, seen, trustsKeys, looks) => {
    expect(await repeated(past, seen, trustsKeys)).toEqual({ id: 'P-1', isSent: true, looks });
  });
});

describe('a creation is not repeated', () => {
  test.each([{ inDoubt: true }, { suspect: true }])('where a look shows it: %j', async (past) => {
    expect(await repeated(past, { id: 'P-2' })).toEqual({ id: 'P-2', isSent: false, looks: 1 });
  });

  test('where it may have been carried out, and no look tells', async () => {
    await expect(repeated({ inDoubt: true }, hidden)).rejects.toMatchObject({
      code: 'outcome_unknown',
      cause: hidden,
    });
  });
});
