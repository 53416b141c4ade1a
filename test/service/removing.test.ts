import { describe, expect, test } from 'vitest';
import { CliError, ExitCode, OutcomeUnknown } from '../../src/model/errors.ts';
import { Interruption } from '../../src/model/ports.ts';
import { isMissing, remove } from '../../src/service/settling.ts';
import { kept } from './sending.ts';

const doubt = new OutcomeUnknown('Nobody knows.');
const refusal = new CliError('conflict', 'It is Live.', { status: 422, exitCode: ExitCode.refused });
const outage = new CliError('unavailable', 'Try later.', { status: 503, exitCode: ExitCode.unavailable });

const presumed = 'Property BER is not there now';
const taken = async () => ({});
const missed = async () => ({ doubt });
const failing = (error: Error) => async () => {
  throw error;
};

/** Lookups with these outcomes in order; the last one repeats. */
function looks(...seen: readonly (boolean | Error)[]) {
  const left = [...seen];
  return async () => {
    const next = left.length > 1 ? left.shift() : left[0];
    if (typeof next === 'boolean') return next;
    throw next ?? new Error('nobody may look');
  };
}

/** A clock that advances only by sleeping. */
function clock(deadline?: number) {
  let now = 0;
  const waits: number[] = [];
  return {
    waits,
    kept,
    deadline,
    now: () => now,
    sleep: async (ms: number) => {
      now += ms;
      waits.push(ms);
    },
  };
}

describe('a deletion that the service accepted', () => {
  test('is confirmed by the first lookup that finds nothing', async () => {
    const time = clock();

    expect(await remove({ send: taken, isGone: looks(false, true), verify: true, presumed }, time)).toEqual({
      verification: 'confirmed',
      paths: [],
    });
    expect(time.waits).toEqual([0, 1_000]);
  });

  test('is not yet visible after three lookups', async () => {
    const time = clock();

    expect(await remove({ send: taken, isGone: looks(false), verify: true, presumed }, time)).toEqual({
      verification: 'not_yet_visible',
      paths: [],
    });
    expect(time.waits).toEqual([0, 1_000, 3_000]);
  });

  test('is not readable when every lookup fails', async () => {
    expect(await remove({ send: taken, isGone: looks(outage), verify: true, presumed }, clock())).toEqual({
      verification: 'not_readable',
      paths: [],
      failure: outage,
    });
  });

  test('is not looked up without verify', async () => {
    expect(await remove({ send: taken, isGone: looks(), verify: false, presumed }, clock())).toEqual({
      verification: undefined,
      paths: [],
    });
  });

  test('was carried out although the lookup was interrupted', async () => {
    const isGone = looks(new Interruption('SIGINT'));

    await expect(remove({ send: taken, isGone, verify: true, presumed }, clock())).rejects.toMatchObject({
      code: 'read_back_interrupted',
      exitCode: 130,
      message: 'The service carried it out; reading it back was interrupted.',
    });
  });
});

describe('a deletion without a response', () => {
  test.each([true, false])('is confirmed when the record is gone (verify: %s)', async (verify) => {
    expect(
      await remove({ send: failing(doubt), isGone: looks(false, true), verify, presumed }, clock()),
    ).toEqual({
      verification: 'confirmed',
      paths: [],
      presumed,
    });
  });

  test.each<[string, boolean | Error]>([
    ['the record still exists', false],
    ['the lookup fails', outage],
  ])('has an unknown outcome when %s', async (_, seen) => {
    const removal = remove({ send: failing(doubt), isGone: looks(seen), verify: true, presumed }, clock());

    await expect(removal).rejects.toBe(doubt);
  });

  test('has an unknown outcome when no time is left for a lookup', async () => {
    const removal = remove({ send: failing(doubt), isGone: looks(), verify: true, presumed }, clock(0));

    await expect(removal).rejects.toBe(doubt);
  });

  test('has an unknown outcome, with the exit code of the signal, when the lookup is interrupted', async () => {
    const isGone = looks(new Interruption('SIGTERM'));

    await expect(
      remove({ send: failing(doubt), isGone, verify: true, presumed }, clock()),
    ).rejects.toMatchObject({
      code: 'outcome_unknown',
      exitCode: 143,
    });
  });

  test('is not looked up once it was interrupted', async () => {
    const interrupted = doubt.with({ exitCode: ExitCode.interrupted });
    const removal = remove({ send: failing(interrupted), isGone: looks(), verify: true, presumed }, clock());

    await expect(removal).rejects.toBe(interrupted);
  });
});

describe('a deletion whose retry got a 404', () => {
  test.each<[string, readonly (boolean | Error)[], boolean, object]>([
    ['gone, which is all that is known', [true], true, { verification: 'confirmed' }],
    ['gone, also where nobody can look', [outage], true, { verification: 'not_readable' }],
    ['gone, also where nobody wants to look', [], false, { verification: undefined }],
  ])('is presumed %s', async (_, seen, verify, expected) => {
    const removal = remove({ send: missed, isGone: looks(...seen), verify, presumed }, clock());

    expect(await removal).toEqual({ paths: [], presumed, ...expected });
  });

  test('has an unknown outcome while the record still shows', async () => {
    const time = clock();
    const removal = remove({ send: missed, isGone: looks(false), verify: true, presumed }, time);

    await expect(removal).rejects.toBe(doubt);
    expect(time.waits).toEqual([0, 1_000, 3_000]);
  });

  test('has an unknown outcome when the lookup is interrupted', async () => {
    const isGone = looks(new Interruption('SIGINT'));

    await expect(remove({ send: missed, isGone, verify: true, presumed }, clock())).rejects.toMatchObject({
      code: 'outcome_unknown',
      exitCode: 130,
    });
  });
});

test('a rejection is rethrown without a lookup', async () => {
  const removal = remove({ send: failing(refusal), isGone: looks(), verify: true, presumed }, clock());

  await expect(removal).rejects.toBe(refusal);
});

test('only a JSON 404 means that a record is missing', async () => {
  const missing = new CliError('not_found', 'There is none.', { exitCode: ExitCode.notFound });
  const page = new CliError('html_answer', 'A page came.', { exitCode: ExitCode.notFound });

  expect(await isMissing(Promise.resolve({ id: 'BER' }))).toBe(false);
  expect(await isMissing(Promise.reject(missing))).toBe(true);
  await expect(isMissing(Promise.reject(outage))).rejects.toBe(outage);
  await expect(isMissing(Promise.reject(page))).rejects.toBe(page);
});
