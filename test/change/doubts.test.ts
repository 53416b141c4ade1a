import { describe, expect, test } from 'vitest';
import { CliError, OutcomeUnknown } from '../../src/model/errors.ts';
import { newInvitation, newProperty, resultLines, stage, still } from './stage.ts';

const noAnswer = new OutcomeUnknown('Nobody answered.', { cause: new CliError('reset', 'It broke.') });

/** Drops the responses to these attempts, counted from 1, for each property. */
function losing(tries: readonly number[], how: Error = noAnswer, codes?: readonly string[]) {
  const sent = new Map<string, number>();
  return (request: string) => {
    if (!request.startsWith('POST property')) return;
    const count = (sent.get(request) ?? 0) + 1;
    sent.set(request, count);
    const isMeant = codes === undefined || codes.some((code) => request.endsWith(` ${code}`));
    if (isMeant && tries.includes(count)) throw how;
  };
}

const reads = (events: readonly string[]) => events.filter((event) => event.startsWith('GET')).length;
const posts = (events: readonly string[]) => events.filter((event) => event.startsWith('POST')).length;

describe('creations without a response', () => {
  test('are looked up in one list for all of them, and resent with their idempotency keys', async () => {
    const { run, events, bodies } = stage({ on: losing([1], noAnswer, ['HAM', 'KIE']) });
    const seen: string[] = [];
    const waits: number[] = [];

    const { results } = await run(
      [newProperty('HAM'), newProperty('KIE'), newProperty('LEI'), newInvitation('a@example.com', 'HAM')],
      {
        mostTries: 3,
        trustsKeys: true,
        clock: { ...still, sleep: async (ms) => void waits.push(ms) },
        progress: { step: (row) => seen.push(`${row?.outcome} ${row?.name}`) },
      },
    );

    expect(resultLines(results)).toEqual([
      'done HAM id-of-HAM',
      'done KIE id-of-KIE',
      'done LEI id-of-LEI',
      'done a@example.com',
    ]);
    expect(seen).toEqual(['done LEI', 'done HAM', 'done KIE', 'done a@example.com']);
    expect({ reads: reads(events), posts: posts(events), waits }).toEqual({
      // The second one looks for twins.
      reads: 2,
      posts: 6,
      waits: [500],
    });
    const keys = bodies.flatMap((body) => ('key' in Object(body) ? [Object(body).key] : []));
    expect(keys).toEqual(['key-of-HAM', 'key-of-KIE', 'key-of-LEI', 'key-of-HAM', 'key-of-KIE']);
  });

  test('are resent up to the retry limit, and their outcome stays unknown then', async () => {
    const { run, events } = stage({ on: losing([1, 2, 3, 4]) });

    const { results } = await run([newProperty('HAM')], { mostTries: 3, trustsKeys: true });

    expect({ lines: resultLines(results), posts: posts(events) }).toEqual({
      lines: ['unknown HAM (outcome_unknown)'],
      posts: 3,
    });
  });

  test('are neither awaited nor resent once the run is stopped', async () => {
    const stop = new AbortController();
    const waits: number[] = [];
    const { run, events } = stage({
      on: (request) => {
        if (request.startsWith('GET')) stop.abort();
        if (request.startsWith('POST')) throw noAnswer;
      },
    });

    const { results } = await run([newProperty('HAM')], {
      mostTries: 5,
      signal: stop.signal,
      clock: {
        ...still,
        sleep: async (ms) => {
          if (waits.push(ms) > 3) throw new Error('it waits without end');
        },
      },
    });

    expect({ lines: resultLines(results), posts: posts(events), waits }).toEqual({
      lines: ['unknown HAM (outcome_unknown)'],
      posts: 1,
      waits: [],
    });
  });

  test('are looked up before another row starts with --fail-fast', async () => {
    const { run, events } = stage({ on: losing([1], noAnswer, ['HAM']) });

    const { results } = await run([newProperty('HAM'), newProperty('KIE')], {
      mostTries: 2,
      trustsKeys: true,
      failFast: true,
    });

    expect(resultLines(results)).toEqual(['done HAM id-of-HAM', 'done KIE id-of-KIE']);
    expect(events.filter((event) => /^(POST|GET)/.test(event))).toEqual([
      'POST property HAM',
      'GET properties',
      'POST property HAM',
      'POST property KIE',
      'GET properties',
    ]);
  });

  test('ten in a row are looked up before more are sent: a short outage does not stop the run', async () => {
    const hotels = Array.from({ length: 30 }, (_, index) => newProperty(`H${index}`));
    let sent = 0;
    const { run } = stage({
      on: (request) => {
        if (!request.startsWith('POST')) return;
        sent += 1;
        if (sent <= 15) throw noAnswer;
      },
    });

    const { results } = await run(hotels, { mostTries: 5, trustsKeys: true });

    expect(results.every(({ outcome }) => outcome === 'done')).toBe(true);
    expect(sent).toBe(45);
  });

  test('that never get a response stop the run', async () => {
    const hotels = Array.from({ length: 30 }, (_, index) => newProperty(`H${index}`));
    const { run, events } = stage({ on: losing([1, 2, 3]) });

    const { results } = await run(hotels, { mostTries: 3, trustsKeys: true });

    const count = (outcome: string) => results.filter((each) => each.outcome === outcome).length;
    expect({ unknown: count('unknown'), left: count('not_attempted'), posts: posts(events) }).toEqual({
      unknown: 10,
      left: 20,
      posts: 30,
    });
  });
});
