import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import type { Call, CallOptions } from '../../src/service/client.ts';
import type { Past } from '../../src/service/retry.ts';
import { created, createUnder } from '../../src/service/settling.ts';
import { pauseAfter } from './pause.ts';

const BER = { code: 'BER' };
const hidden = new CliError('cannot_tell', 'Nothing tells.');

/** Creates BER after one attempt with this outcome. @returns whether it was resent, and the number of lookups. */
async function createAgain(
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
  // Only the creation calls it, and it is paused.
  const call = ((_id, _path, options) => send(options)) as Call;
  const find = async () => {
    looks += 1;
    if (seen instanceof CliError) throw seen;
    return seen;
  };
  const options = { trustsKeys, now: () => 0, sleep: async () => {}, deadline: undefined };
  const record = await createUnder(
    'key-1',
    BER,
    { find },
    { operation: 'createProperty', read: created },
    call,
    options,
  );
  return { id: record.id, isSent, looks };
}

describe('a creation is resent', () => {
  test.each<[string, Partial<Past>, { id: string } | CliError | undefined, boolean, number]>([
    ['without a lookup when the earlier attempt cannot have created it', {}, { id: 'P-2' }, false, 0],
    [
      'without a lookup when a response showed that idempotency keys work',
      { inDoubt: true, honoursKey: true },
      hidden,
      false,
      0,
    ],
    ['after a lookup without a match', { inDoubt: true }, undefined, false, 1],
    ['when the lookup fails, and no outcome is unknown', { suspect: true }, hidden, false, 1],
    ['when the lookup fails, and idempotency keys are trusted', { inDoubt: true }, hidden, true, 1],
  ])('%s', async (_, past, seen, trustsKeys, looks) => {
    expect(await createAgain(past, seen, trustsKeys)).toEqual({ id: 'P-1', isSent: true, looks });
  });
});

describe('a creation is not resent', () => {
  test.each([{ inDoubt: true }, { suspect: true }])('when a lookup finds it: %j', async (past) => {
    expect(await createAgain(past, { id: 'P-2' })).toEqual({ id: 'P-2', isSent: false, looks: 1 });
  });

  test('when it may have been carried out, and the lookup fails', async () => {
    await expect(createAgain({ inDoubt: true }, hidden)).rejects.toMatchObject({
      code: 'outcome_unknown',
      cause: hidden,
    });
  });
});
