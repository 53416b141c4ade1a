import { describe, expect, test } from 'vitest';
import { look } from '../../src/api/looks.ts';
import type { PatchStep } from '../../src/api/patch.ts';
import { type Update, update } from '../../src/api/updating.ts';
import { Interruption } from '../../src/context.ts';
import { CliError, OutcomeUnknown } from '../../src/errors.ts';
import { ExitCode } from '../../src/exit-codes.ts';
import type { ServiceRecord } from '../../src/records.ts';

const step: PatchStep = { op: 'replace', path: '/enabled', value: true };
const lost = new OutcomeUnknown('The outcome is unknown.', { status: 500 });
const refused = new CliError('refused', 'No.', { status: 422 });
const down = new CliError('unavailable', 'Later.', { exitCode: ExitCode.unavailable });

/** A clock that stands still but for its sleeps, and tells them. */
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

/** Gives these outcomes in this order. An error is thrown. */
function inTurn<Value>(outcomes: readonly (Value | Error)[]) {
  const left = [...outcomes];
  return async (): Promise<Value> => {
    const next = left.shift();
    if (next === undefined) throw new Error('nobody expected one more');
    if (next instanceof Error) throw next;
    return next;
  };
}

/** One update against a service that answers so; tells what was sent, and how it ended. */
async function updating(
  answers: readonly (string | Error)[],
  reads: readonly (ServiceRecord | Error)[],
  more: Partial<Update> & { readonly deadline?: number } = {},
) {
  const { slept, ...time } = clock();
  const answer = inTurn(answers);
  const sent: (readonly PatchStep[])[] = [];
  const work = update(
    {
      steps: () => [step],
      send: (steps) => {
        sent.push(steps);
        return answer();
      },
      read: inTurn(reads),
      verify: true,
      ...more,
    },
    { ...time, deadline: more.deadline },
  );
  const outcome = await work.catch((error: unknown) => error);
  return { outcome, sent: sent.length, slept };
}

describe('an update that the service takes', () => {
  test('is confirmed by the first look that shows it', async () => {
    expect(await updating(['ok'], [{ enabled: false }, { enabled: true }])).toEqual({
      outcome: { verification: 'confirmed', paths: [], record: { enabled: true } },
      sent: 1,
      slept: [0, 1_000],
    });
  });

  test('is not yet visible after three looks', async () => {
    const old = { enabled: false };

    expect(await updating(['ok'], [old, old, old])).toEqual({
      outcome: { verification: 'not_yet_visible', paths: ['/enabled'], record: old },
      sent: 1,
      slept: [0, 1_000, 3_000],
    });
  });

  test('is not readable where the record does not show the field', async () => {
    expect(await updating(['ok'], [{}])).toEqual({
      outcome: { verification: 'not_readable', paths: ['/enabled'], record: {} },
      sent: 1,
      slept: [0],
    });
  });

  test('is not read once more when reading is refused', async () => {
    expect(await updating(['ok'], [refused])).toEqual({
      outcome: { verification: 'not_readable', paths: [], failure: refused },
      sent: 1,
      slept: [0],
    });
  });

  test('is judged by the look that succeeded, not by a later one that failed', async () => {
    const old = { enabled: false };

    expect(await updating(['ok'], [old, down, down])).toMatchObject({
      outcome: { verification: 'not_yet_visible', record: old },
    });
  });

  test('is not read at all when nobody wants to know', async () => {
    expect(await updating(['ok'], [], { verify: false })).toEqual({
      outcome: { verification: undefined, paths: [] },
      sent: 1,
      slept: [],
    });
  });

  test('was carried out, also when reading back is interrupted', async () => {
    expect(await updating(['ok'], [new Interruption('SIGTERM')])).toMatchObject({
      outcome: {
        code: 'interrupted',
        exitCode: 143,
        message: 'The service carried it out; reading it back was interrupted.',
      },
    });
  });
});

describe('an update without an answer', () => {
  test('is done when the record shows it', async () => {
    expect(await updating([lost], [{ enabled: true }])).toEqual({
      outcome: { verification: 'confirmed', paths: [], record: { enabled: true } },
      sent: 1,
      slept: [0],
    });
  });

  test('is sent again when the record does not show it', async () => {
    const old = { enabled: false };

    expect(await updating([lost, 'ok'], [old, old, old, { enabled: true }])).toMatchObject({
      outcome: { verification: 'confirmed' },
      sent: 2,
    });
  });

  test('is sent three times at most', async () => {
    const old = Array.from({ length: 9 }, () => ({ enabled: false }));

    expect(await updating([lost, lost, lost], old)).toMatchObject({ outcome: lost, sent: 3 });
  });

  test.each<[string, readonly (ServiceRecord | Error)[]]>([
    ['does not show the field', [{}]],
    ['may not be read', [refused]],
    ['cannot be read', [down, down, down]],
  ])('stays unknown when the record %s', async (_, reads) => {
    expect(await updating([lost], reads)).toMatchObject({ outcome: lost, sent: 1 });
  });

  test('is not sent again when a second one could do harm', async () => {
    const old = { enabled: false };
    const steps = (): readonly PatchStep[] => [step, { op: 'add', path: '/tags/-', value: 1 }];

    expect(await updating([lost], [old, old, old], { steps })).toMatchObject({ outcome: lost, sent: 1 });
  });

  test('is not sent again when what was seen leaves nothing to send', async () => {
    const seen = { enabled: false };
    const steps = (record: ServiceRecord | undefined) => (record === undefined ? [step] : []);

    expect(await updating([lost], [seen, seen, seen], { steps })).toMatchObject({
      outcome: { verification: 'confirmed', record: seen },
      sent: 1,
    });
  });

  test('keeps its doubt when the second one is refused', async () => {
    const old = { enabled: false };

    expect(await updating([lost, refused, refused], [...Array(9).fill(old)])).toMatchObject({
      outcome: lost,
      sent: 3,
    });
  });

  test('keeps its doubt when the look is interrupted', async () => {
    expect(await updating([lost], [new Interruption('SIGINT')])).toMatchObject({
      outcome: { code: 'outcome_unknown', exitCode: 130 },
      sent: 1,
    });
  });

  test('keeps its doubt when the second one is interrupted', async () => {
    const old = { enabled: false };

    expect(await updating([lost, new Interruption('SIGINT')], [old, old, old])).toMatchObject({
      outcome: { code: 'outcome_unknown', exitCode: 130 },
      sent: 2,
    });
  });

  test('is not looked at when it was interrupted itself', async () => {
    const interrupted = lost.withExitCode(ExitCode.interrupted);

    expect(await updating([interrupted], [])).toMatchObject({ outcome: interrupted, sent: 1 });
  });

  test('is not looked at when there is no time left', async () => {
    expect(await updating([lost], [], { deadline: 0 })).toMatchObject({ outcome: lost, sent: 1 });
  });
});

test.each([
  ['a refusal', refused],
  ['an interruption before anything was sent', new Interruption('SIGINT')],
  ['a fault of innctl', new TypeError('oops')],
])('%s leaves no doubt and is thrown on', async (_, error) => {
  expect(await updating([error], [])).toEqual({ outcome: error, sent: 1, slept: [] });
});

test('a look that has time for one wait does not begin a second', async () => {
  const { slept, ...time } = clock();

  const seen = await look(inTurn([1, 2]), () => false, { ...time, deadline: 4_000 });

  expect({ seen, slept }).toEqual({ seen: { seen: 2 }, slept: [0, 1_000] });
});
