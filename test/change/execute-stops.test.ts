import { describe, expect, test } from 'vitest';
import { createRowBreaker } from '../../src/change/execute.ts';
import type { Item, Result } from '../../src/change/item.ts';
import { CliError, ExitCode, OutcomeUnknown } from '../../src/model/errors.ts';
import { newInvitation, newProperty, resultLines, settled, stage } from './stage.ts';

const hotels = Array.from({ length: 14 }, (_, index) => newProperty(`H${index}`));
const people = Array.from({ length: 14 }, (_, index) => newInvitation(`p${index}@example.com`));

const failure = (code: string, exitCode: ExitCode = ExitCode.unavailable) =>
  new CliError(code, `It broke: ${code}.`, { exitCode });

const outcomes = ({ results }: { readonly results: readonly { readonly outcome: string }[] }) => {
  const count = (wanted: string) => results.filter(({ outcome }) => outcome === wanted).length;
  return { failed: count('failed'), unknown: count('unknown'), not_attempted: count('not_attempted') };
};

/** Requests end with these outcomes in order; the last one repeats. */
const ending = (...errors: readonly (Error | undefined)[]) => {
  let next = 0;
  return (request: string) => {
    if (request.startsWith('GET')) return;
    const error = errors[Math.min(next, errors.length - 1)];
    next += 1;
    if (error !== undefined) throw error;
  };
};

/** The error of a row, by code, exit code and status. */
const answer = (code: string, exitCode: ExitCode, status?: number) =>
  new CliError(code, `It broke: ${code} ${status}.`, { exitCode, status });

const forbidden = answer('forbidden', ExitCode.forbidden, 403);

describe('a run stops', () => {
  test.each([
    ...['connection_refused', 'dns', 'tls', 'proxy', 'connect_timeout', 'timeout'].map((code) =>
      failure(code),
    ),
    answer('unavailable', ExitCode.unavailable, 503),
    answer('rate_limited', ExitCode.unavailable, 429),
    answer('service_error', ExitCode.failed, 500),
    forbidden,
    answer('html_answer', ExitCode.notFound, 404),
  ])('after ten rows in a row that fail with $code ($status)', async (error) => {
    const { run } = stage({ on: ending(error) });

    const execution = await run(hotels);

    expect(outcomes(execution)).toEqual({ failed: 10, unknown: 0, not_attempted: 4 });
    expect(execution.stoppedBy).toBe(error);
    expect(execution.results.at(-1)?.error?.message).toBe(
      `The run ended: ten rows in a row failed alike. ${error.message}`,
    );
  });

  test('after ten rows in a row without a response for one reason, with that error', async () => {
    const reset = failure('reset');
    const doubt = new OutcomeUnknown('Nobody answered.', { cause: reset }).withHint('Look for it.');
    const { run } = stage({ on: ending(doubt) });

    const execution = await run(people);

    expect(outcomes(execution)).toEqual({ failed: 0, unknown: 10, not_attempted: 4 });
    expect(execution.stoppedBy).toBe(reset);
  });

  test('after ten such rows, whether they failed or have an unknown outcome', async () => {
    const five = Array.from({ length: 5 }, () => failure('reset'));
    const { run } = stage({ on: ending(...five, new OutcomeUnknown('?', { cause: failure('reset') })) });

    expect(outcomes(await run(people))).toEqual({ failed: 5, unknown: 5, not_attempted: 4 });
  });

  test('with the results of the requests in flight beside the tenth', async () => {
    const waiting: (() => void)[] = [];
    const { run } = stage({
      on: async () => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 4) for (const begin of waiting.splice(0)) begin();
        });
        throw forbidden;
      },
    });

    const execution = await run([...people, newInvitation('q@example.com'), newInvitation('r@example.com')], {
      concurrency: 4,
    });

    expect(outcomes(execution)).toEqual({ failed: 12, unknown: 0, not_attempted: 4 });
    expect(execution.stoppedBy).toBe(forbidden);
  });
});

test('failures without a request never count', () => {
  const isShared = createRowBreaker();
  const failed = (item: Item): Result => ({ item, outcome: 'failed', error: forbidden });
  const unsent = hotels.map(({ name }) => isShared(failed(settled('property', name, 'cannot_tell'))));
  const sent = hotels.slice(0, 10).map((item) => isShared(failed(item)));

  expect(unsent.filter(Boolean)).toEqual([]);
  expect(sent).toEqual([...Array(9).fill(undefined), forbidden]);
});

describe('a run does not stop', () => {
  test.each([
    ['another code', failure('dns')],
    ['another status', new CliError('reset', 'No.', { status: 418 })],
    ['an error of one row', answer('conflict', ExitCode.refused, 409)],
    ['a success', undefined],
  ])('when %s comes between nine rows and the tenth', async (_, between) => {
    const nine = Array.from({ length: 9 }, () => failure('reset'));
    const { run } = stage({ on: ending(...nine, between, failure('reset')) });

    expect(outcomes(await run(hotels)).not_attempted).toBe(0);
  });

  test.each([
    ...[400, 415].map((status) => answer('refused', ExitCode.failed, status)),
    ...[404, 410].map((status) => answer('not_found', ExitCode.notFound, status)),
    ...[409, 412, 422].map((status) => answer('conflict', ExitCode.refused, status)),
    failure('invalid_input', ExitCode.usage),
    failure('conflict', ExitCode.refused),
    failure('lockout', ExitCode.blocked),
    new OutcomeUnknown('?', { cause: answer('conflict', ExitCode.refused, 409) }),
  ])('when every row fails for its own reason: $code ($status, exit code $exitCode)', async (error) => {
    const { run } = stage({ on: ending(error) });

    expect(outcomes(await run(people)).not_attempted).toBe(0);
  });
});

describe('when Retry-After exceeds the remaining time', () => {
  test('the run stops, and a row that was not sent is not_attempted', async () => {
    const error = failure('rate_limited');
    const { run, events } = stage({ on: ending(undefined, error) });
    const seen: string[] = [];

    const execution = await run(hotels, {
      progress: { step: (row) => seen.push(`${row?.name} ${row?.outcome}`) },
    });

    expect(outcomes(execution)).toEqual({ failed: 0, unknown: 0, not_attempted: 13 });
    expect(execution.results.slice(1, 3).map((result) => result.error?.message)).toEqual([
      'It broke: rate_limited.',
      'The run ended: It broke: rate_limited.',
    ]);
    expect(execution.stoppedBy).toBe(error);
    expect(seen).toEqual(['H0 done', 'H1 not_attempted']);
    expect(events.filter((event) => event.endsWith('H1'))).toEqual([
      'sent property H1',
      'POST property H1',
      'failed property H1',
    ]);
  });

  test('a row that got that response has failed, and the next row is sent', async () => {
    const options = { exitCode: ExitCode.unavailable, status: 429 };
    const { run } = stage({ on: ending(new CliError('rate_limited', 'Too many.', options), undefined) });

    expect(outcomes(await run(hotels))).toEqual({ failed: 1, unknown: 0, not_attempted: 0 });
  });
});

describe('with --fail-fast', () => {
  test.each([failure('conflict', ExitCode.refused), new OutcomeUnknown('Nobody answered.')])(
    'no row starts after one that was not done: $code',
    async (error) => {
      const { run } = stage({ on: ending(undefined, error) });

      const { results, stoppedBy } = await run(people.slice(0, 4), { failFast: true });

      expect(results.map(({ outcome }) => outcome)).toEqual([
        'done',
        error instanceof OutcomeUnknown ? 'unknown' : 'failed',
        'not_attempted',
        'not_attempted',
      ]);
      expect(stoppedBy).toBeUndefined();
    },
  );

  test('a conflict in the plan stops the run', async () => {
    const { run, events } = stage();

    const { results } = await run([newProperty('HAM'), settled('property', 'VIE', 'conflict')], {
      failFast: true,
    });

    expect(resultLines(results)).toEqual(['not_attempted HAM (not_attempted)', 'failed VIE (conflict)']);
    expect(events).toEqual([]);
  });
});
