import { describe, expect, test } from 'vitest';
import { CliError, ExitCode, OutcomeUnknown } from '../../src/model/errors.ts';
import type { PatchStep } from '../../src/model/patch.ts';
import { Interruption } from '../../src/model/ports.ts';
import type { ServiceRecord } from '../../src/model/records.ts';
import { look, type Update, update } from '../../src/service/settling.ts';
import { pauseAfter } from './pause.ts';
import { kept } from './sending.ts';

const step: PatchStep = { op: 'replace', path: '/enabled', value: true };
const old = { enabled: false };
const lost = new OutcomeUnknown('The outcome is unknown.', { status: 500 });
const refused = new CliError('refused', 'No.', { status: 422 });
const down = new CliError('unavailable', 'Later.', { exitCode: ExitCode.unavailable });

/** A clock that advances only by its sleeps, and records them. */
function clock() {
  let now = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: async (ms: number) => {
      slept.push(ms);
      now += ms;
    },
  };
}

/** These outcomes in order. An error is thrown. */
function inTurn<Value>(outcomes: readonly (Value | Error)[]) {
  const left = [...outcomes];
  return async (): Promise<Value> => {
    const next = left.shift();
    if (next === undefined) throw new Error('nobody expected one more');
    if (next instanceof Error) throw next;
    return next;
  };
}

/** The service accepted it. */
const taken = { status: 204, headers: {}, body: undefined, requestId: undefined };

/** One update against a service with these outcomes; returns the requests and the result. */
async function updating(
  answers: readonly (string | Error)[],
  reads: readonly (ServiceRecord | Error)[],
  more: Partial<Update> & { readonly deadline?: number; readonly maxAttempts?: number } = {},
) {
  const { slept, ...time } = clock();
  const answer = inTurn(answers);
  const sent: (readonly PatchStep[])[] = [];
  const work = update(
    {
      steps: [step],
      send: async (steps) => {
        sent.push(steps);
        await answer();
        return taken;
      },
      read: inTurn(reads),
      verify: true,
      ...more,
    },
    { ...time, kept, deadline: more.deadline, maxAttempts: more.maxAttempts ?? 5 },
  );
  const outcome = await work.catch((error: unknown) => error);
  return { outcome, sent: sent.length, slept };
}

describe('an update that the service accepts', () => {
  test('is confirmed by the first lookup that shows it', async () => {
    expect(await updating(['ok'], [{ enabled: false }, { enabled: true }])).toEqual({
      outcome: { verification: 'confirmed', paths: [], record: { enabled: true }, isWritten: true },
      sent: 1,
      slept: [0, 1_000],
    });
  });

  test('is not yet visible after three lookups', async () => {
    expect(await updating(['ok'], [old, old, old])).toEqual({
      outcome: { verification: 'not_yet_visible', paths: ['/enabled'], record: old, isWritten: true },
      sent: 1,
      slept: [0, 1_000, 3_000],
    });
  });

  test('is not readable when it sets a time of day, which no service shows', async () => {
    const steps: readonly PatchStep[] = [{ op: 'replace', path: '/defaultCheckInTime', value: '15:00:00' }];

    expect(await updating(['ok'], [{}], { steps })).toEqual({
      outcome: { verification: 'not_readable', paths: ['/defaultCheckInTime'], record: {}, isWritten: true },
      sent: 1,
      slept: [0],
    });
  });

  test('is not read again when reading is rejected', async () => {
    expect(await updating(['ok'], [refused])).toEqual({
      outcome: { verification: 'not_readable', paths: [], failure: refused, isWritten: true },
      sent: 1,
      slept: [0],
    });
  });

  test('is judged by the lookup that succeeded, not by a later one that failed', async () => {
    expect(await updating(['ok'], [old, down, down])).toMatchObject({
      outcome: { verification: 'not_yet_visible', record: old },
    });
  });

  test('is not read at all without verify', async () => {
    expect(await updating(['ok'], [], { verify: false })).toEqual({
      outcome: { verification: undefined, paths: [], isWritten: true },
      sent: 1,
      slept: [],
    });
  });

  test('was carried out, also when the lookup is interrupted', async () => {
    expect(await updating(['ok'], [new Interruption('SIGTERM')])).toMatchObject({
      outcome: {
        code: 'read_back_interrupted',
        exitCode: 143,
        message: 'The service carried it out; reading it back was interrupted.',
      },
    });
  });
});

describe('an update without a response', () => {
  test('is done when the record shows it', async () => {
    expect(await updating([lost], [{ enabled: true }])).toEqual({
      outcome: { verification: 'confirmed', paths: [], record: { enabled: true }, isWritten: true },
      sent: 1,
      slept: [0],
    });
  });

  test('is resent when the record does not show it', async () => {
    expect(await updating([lost, 'ok'], [old, old, old, { enabled: true }])).toMatchObject({
      outcome: { verification: 'confirmed' },
      sent: 2,
    });
  });

  test.each([
    [5, 3],
    [3, 3],
    [2, 2],
    [1, 1],
  ])('with %i attempts allowed is sent %i times at most', async (maxAttempts, sent) => {
    const shown = Array.from({ length: 9 }, () => old);

    expect(await updating([lost, lost, lost], shown, { maxAttempts })).toMatchObject({ outcome: lost, sent });
  });

  test('is done when it is a removal, and the record has no value', async () => {
    const steps: readonly PatchStep[] = [{ op: 'remove', path: '/nickName' }];

    expect([
      await updating([lost], [{ nickName: null }], { steps }),
      await updating([lost], [{}], { steps }),
      await updating(['ok'], [{}], { steps }),
    ]).toMatchObject([
      { outcome: { verification: 'confirmed' }, sent: 1 },
      { outcome: { verification: 'confirmed' }, sent: 1 },
      { outcome: { verification: 'confirmed' }, sent: 1 },
    ]);
  });

  test.each<[string, readonly (ServiceRecord | Error)[]]>([
    ['may not be read', [refused]],
    ['cannot be read', [down, down, down]],
  ])('stays unknown when the record %s', async (_, reads) => {
    expect(await updating([lost], reads)).toMatchObject({ outcome: lost, sent: 1 });
  });

  test('is not resent when a second request could do harm', async () => {
    const steps: readonly PatchStep[] = [step, { op: 'add', path: '/tags/-', value: 1 }];

    expect(await updating([lost], [old, old, old], { steps })).toMatchObject({ outcome: lost, sent: 1 });
  });

  test('is resent with the steps that the current record needs', async () => {
    const other: PatchStep = { op: 'replace', path: '/enabled', value: 'other' };
    const sent: (readonly PatchStep[])[] = [];
    const answer = inTurn<string>([lost, 'ok']);
    const send = async (steps: readonly PatchStep[]) => {
      sent.push(steps);
      await answer();
      return taken;
    };

    await updating([], [old, old, old, { enabled: 'other' }], { send, stepsFor: () => [other] });

    expect(sent).toEqual([[step], [other]]);
  });

  test('is not resent when the record does not show all fields that the steps depend on', async () => {
    const judge = () => ({ different: ['/enabled'], unseen: ['/properties'] });

    expect(await updating([lost], [old, old, old], { stepsFor: () => [step], judge })).toMatchObject({
      outcome: lost,
      sent: 1,
    });
  });

  test('is not resent when the record has an unexpected value', async () => {
    expect(
      await updating([lost], [old, old, old], { stepsFor: () => [step], isPlausible: () => false }),
    ).toMatchObject({ outcome: lost, sent: 1 });
  });

  test('stays unknown when the retry is rejected, reports the rejection, and looks up once more', async () => {
    expect(await updating([lost, refused], [old, old, old, old])).toMatchObject({
      outcome: {
        code: 'outcome_unknown',
        exitCode: 8,
        status: 500,
        message: 'The outcome is unknown. A later attempt failed: No.',
      },
      sent: 2,
      slept: [0, 1_000, 3_000, 0],
    });
  });

  test('is done when the lookup after the rejected retry shows it', async () => {
    expect(await updating([lost, refused], [old, old, old, { enabled: true }])).toMatchObject({
      outcome: { verification: 'confirmed' },
      sent: 2,
    });
  });

  test('stays unknown when the lookup is interrupted', async () => {
    expect(await updating([lost], [new Interruption('SIGINT')])).toMatchObject({
      outcome: { code: 'outcome_unknown', exitCode: 130 },
      sent: 1,
    });
  });

  test('stays unknown when the retry is interrupted', async () => {
    expect(await updating([lost, new Interruption('SIGINT')], [old, old, old])).toMatchObject({
      outcome: { code: 'outcome_unknown', exitCode: 130 },
      sent: 2,
    });
  });

  test('is not looked up when it was interrupted itself', async () => {
    const interrupted = lost.with({ exitCode: ExitCode.interrupted });

    expect(await updating([interrupted], [])).toMatchObject({ outcome: interrupted, sent: 1 });
  });

  test('is not looked up when no time is left', async () => {
    expect(await updating([lost], [], { deadline: 0 })).toMatchObject({ outcome: lost, sent: 1 });
  });
});

describe('an update whose steps depend on the record', () => {
  test('gets new steps for each retry, from a new lookup', async () => {
    const next: PatchStep = { op: 'replace', path: '/enabled', value: 'next' };
    const bodies: unknown[] = [];
    const send: Update['send'] = async (steps, _deadline, earlier) => {
      bodies.push(steps);
      return earlier === undefined ? pauseAfter() : taken;
    };

    const { outcome } = await updating([], [old, { enabled: 'next' }], { send, stepsFor: () => [next] });

    expect({ outcome, bodies }).toEqual({
      outcome: { verification: 'confirmed', paths: [], record: { enabled: 'next' }, isWritten: true },
      bodies: [[step], [next]],
    });
  });

  test('is not resent when the new lookup leaves nothing to send', async () => {
    const bodies: unknown[] = [];
    const send: Update['send'] = async (steps) => {
      bodies.push(steps);
      return pauseAfter();
    };

    const { outcome } = await updating([], [old], { send, stepsFor: () => [] });

    expect({ outcome, bodies }).toEqual({
      outcome: { verification: 'confirmed', paths: [], record: old, isWritten: false },
      bodies: [[step]],
    });
  });

  test('is not sent at all when there is nothing to send', async () => {
    expect(await updating([], [], { steps: [] })).toMatchObject({ outcome: { isWritten: false }, sent: 0 });
  });
});

test('a patch of test steps only has no change to read back', async () => {
  const steps: readonly PatchStep[] = [{ op: 'test', path: '/enabled', value: true }];

  expect(await updating(['ok'], [], { steps })).toMatchObject({
    outcome: { verification: undefined, paths: [] },
    sent: 1,
  });
});

test.each([
  ['a rejection', refused],
  ['an interruption before anything was sent', new Interruption('SIGINT')],
  ['a fault of innctl', new TypeError('oops')],
])('%s has a known outcome and is rethrown', async (_, error) => {
  expect(await updating([error], [])).toEqual({ outcome: error, sent: 1, slept: [] });
});

test('a lookup with time for one wait does not start a second', async () => {
  const { slept, ...time } = clock();

  const seen = await look(inTurn([1, 2]), () => false, { ...time, deadline: 4_000 });

  expect({ seen, slept }).toEqual({ seen: { seen: 2 }, slept: [0, 1_000] });
});
