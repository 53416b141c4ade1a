import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/cli/errors.ts';
import { Interruption } from '../../src/cli/ports.ts';
import type { NewRow } from '../../src/seed/journal.ts';
import { changedProperty, left, newInvitation, newProperty, resultLines, settled, stage } from './stage.ts';

const full = new CliError('journal_failed', 'The disk is full.');

/** Rejects at the line of this state, and at every later line. */
const failingFrom = (state: NewRow['state'], name: string) => {
  let isFull = false;
  return (row: NewRow) => {
    isFull ||= row.state === state && row.name === name;
    if (isFull) throw full;
  };
};

const requests = (events: readonly string[]) => events.filter((event) => /^[A-Z]/.test(event));

describe('a journal write error', () => {
  test('at the start: nothing is sent', async () => {
    const { run, events } = stage({ onLine: failingFrom('planned', 'HAM') });

    const { results, stoppedBy } = await run([newProperty('HAM'), newInvitation('ana@example.com')]);

    expect(requests(events)).toEqual([]);
    expect(stoppedBy).toBe(full);
    expect(resultLines(results)).toEqual([
      'not_attempted HAM (not_attempted)',
      'not_attempted ana@example.com (not_attempted)',
    ]);
  });

  test.each([
    newProperty('HAM'),
    newInvitation('HAM'),
    changedProperty('HAM'),
    settled('property', 'HAM', 'delete', 'HAM'),
  ])('before a request ($kind $action): neither it nor a later one is sent', async (item) => {
    const { run, events } = stage({ onLine: failingFrom('sent', 'HAM') });

    const { results, stoppedBy } = await run([item, settled('property', 'OLD', 'delete', 'OLD')]);

    expect(requests(events)).toEqual([]);
    expect(stoppedBy).toBe(full);
    expect(results.map(({ outcome }) => outcome)).toEqual(['not_attempted', 'not_attempted']);
  });

  test('after a request: its result is kept, and no further request is sent, not even a lookup', async () => {
    const { run, events } = stage({ onLine: failingFrom('done', 'HAM') });

    const { results, stoppedBy } = await run([
      newProperty('HAM'),
      newProperty('KIE'),
      newInvitation('ana@example.com'),
    ]);

    expect(requests(events)).toEqual(['POST property HAM']);
    expect(stoppedBy).toBe(full);
    expect(resultLines(results)).toEqual([
      'done HAM id-of-HAM',
      'not_attempted KIE (not_attempted)',
      'not_attempted ana@example.com (not_attempted)',
    ]);
  });

  test('with an earlier line of the same sync: announced requests are sent, and no others', async () => {
    const { run, events } = stage({ onLine: failingFrom('done', 'HAM') });

    await run([newProperty('HAM'), newProperty('KIE'), newProperty('LEI')], { concurrency: 2 });

    expect(requests(events)).toEqual(['POST property HAM', 'POST property KIE']);
  });
});

describe('creations of properties', () => {
  const hotels = Array.from({ length: 200 }, (_, number) => newProperty(`H${number}`));

  test('are announced ahead, and each is sent only after its own journal line', async () => {
    const { run, events } = stage();

    const { results } = await run(hotels, { concurrency: 8 });

    const isAhead = hotels.map(
      ({ name }) => events.indexOf(`sent property ${name}`) < events.indexOf(`POST property ${name}`),
    );
    const firstPost = events.findIndex((event) => event.startsWith('POST'));
    const ahead = events.slice(0, firstPost).filter((event) => event.startsWith('sent'));
    expect(isAhead).not.toContain(false);
    expect(ahead.length).toBeGreaterThanOrEqual(64);
    expect(ahead.length).toBeLessThan(200);
    expect(results.every(({ outcome }) => outcome === 'done')).toBe(true);
    expect(events.filter((event) => event.startsWith('sent'))).toHaveLength(200);
  });

  test('that were announced but not sent are retracted, and the others remain planned', async () => {
    const { run, events, rows } = stage({
      on: (request) => {
        if (request === 'POST property H2') throw new CliError('validation', 'no');
      },
    });

    const { results } = await run(hotels, { failFast: true });

    const last = new Map(rows.map(({ name, state }) => [name, state]));
    expect(requests(events)).toEqual(['POST property H0', 'POST property H1', 'POST property H2']);
    expect([...last.values()].slice(0, 4)).toEqual(['done', 'done', 'failed', 'planned']);
    expect(new Set([...last.values()].slice(3))).toEqual(new Set(['planned']));
    const taken = rows.filter(({ error }) => error === 'The run was ended before it was sent.');
    expect(taken.map(({ name, state }) => `${state} ${name}`)).toEqual(
      hotels
        .slice(3, events.filter((event) => event.startsWith('sent')).length)
        .map(({ name }) => `failed ${name}`),
    );
    expect(resultLines(results).slice(3)).toEqual(
      hotels.slice(3).map(({ name }) => `not_attempted ${name} (not_attempted)`),
    );
  });

  test('are not sent when the lines of their window could not be written', async () => {
    const { run, events } = stage({ onLine: failingFrom('sent', 'H100') });

    const { stoppedBy } = await run(hotels, { concurrency: 8 });

    const sent = requests(events).map((event) => Number(event.replace('POST property H', '')));
    expect(stoppedBy).toBe(full);
    expect(sent.filter((number) => number >= 64)).toEqual([]);
  });

  test('with an unknown outcome from an earlier run keep it when this run announced but did not reach them', async () => {
    const [first, ...others] = hotels.slice(0, 3);
    const doubts = others.map(({ name }) =>
      left({ kind: 'property', name, action: 'create', state: 'unknown' }),
    );
    const { run, rows } = stage({
      memory: doubts,
      on: () => {
        throw new CliError('validation', 'no');
      },
    });

    await run(first === undefined ? [] : [first, ...others], { failFast: true });

    const last = new Map(rows.map(({ name, state }) => [name, state]));
    expect([...last]).toEqual([
      ['H0', 'failed'],
      ['H1', 'unknown'],
      ['H2', 'unknown'],
    ]);
  });

  test('alone are announced ahead: an invitation is announced just before it is sent', async () => {
    const { run, events } = stage();

    await run([newInvitation('ana@example.com'), newInvitation('ben@example.com')]);

    expect(events.slice(2)).toEqual([
      'sent invitation ana@example.com',
      'POST invitation ana@example.com',
      'done invitation ana@example.com',
      'sent invitation ben@example.com',
      'POST invitation ben@example.com',
      'done invitation ben@example.com',
    ]);
  });
});

describe('an interruption', () => {
  test('while a row is announced: it is not sent, and the journal retracts it', async () => {
    const stop = new AbortController();
    const { run, events } = stage({
      onLine: ({ state }) => {
        if (state === 'sent') stop.abort(new Interruption('SIGINT'));
      },
    });

    const { results } = await run([newInvitation('ana@example.com')], { signal: stop.signal });

    expect(events).toEqual([
      'planned invitation ana@example.com',
      'sent invitation ana@example.com',
      'failed invitation ana@example.com',
      'planned invitation ana@example.com',
    ]);
    expect(resultLines(results)).toEqual(['not_attempted ana@example.com (not_attempted)']);
  });

  test('while a row waits for its turn: the journal retracts it', async () => {
    const stop = new AbortController();
    const { run, events } = stage({
      on: () => {
        stop.abort(new Interruption('SIGINT'));
        throw stop.signal.reason;
      },
    });

    const { results } = await run([newInvitation('ana@example.com')], { signal: stop.signal });

    expect(events.slice(-2)).toEqual([
      'failed invitation ana@example.com',
      'planned invitation ana@example.com',
    ]);
    expect(resultLines(results)).toEqual(['not_attempted ana@example.com (not_attempted)']);
  });
});

describe('an unknown outcome of an earlier run', () => {
  const doubt = left({ kind: 'invitation', name: 'ana@example.com', action: 'create', state: 'unknown' });

  test('is not replaced by "planned"', async () => {
    const { run, events } = stage({ memory: [doubt] });

    await run([newInvitation('ana@example.com')]);

    expect(events).toEqual([
      'sent invitation ana@example.com',
      'POST invitation ana@example.com',
      'done invitation ana@example.com',
    ]);
  });

  test('is kept when this run does not reach the row', async () => {
    const stop = new AbortController();
    const { run, events } = stage({
      memory: [doubt],
      on: () => {
        stop.abort(new Interruption('SIGINT'));
        throw stop.signal.reason;
      },
    });

    await run([newInvitation('ana@example.com'), newInvitation('ben@example.com')], { signal: stop.signal });

    expect(events).toEqual([
      'planned invitation ben@example.com',
      'sent invitation ana@example.com',
      'POST invitation ana@example.com',
      'unknown invitation ana@example.com',
    ]);
  });

  test('becomes done once the record is found', async () => {
    const memory = [
      left({ kind: 'property', name: 'HAM', action: 'create', state: 'sent' }),
      left({ kind: 'property', name: 'KIE', action: 'create', state: 'unknown' }),
      left({ kind: 'property', name: 'LEI', action: 'create', state: 'sent' }),
      left({ kind: 'invitation', name: 'ana@example.com', action: 'create', state: 'sent' }),
      left({ kind: 'user', name: 'ben@example.com', action: 'change', state: 'sent' }),
    ];
    const { run, rows } = stage({ memory });

    await run([
      settled('property', 'HAM', 'same', 'p-1'),
      settled('property', 'KIE', 'cannot_compare', 'p-2'),
      { ...changedProperty('LEI'), id: 'p-3' },
      settled('invitation', 'ana@example.com', 'same'),
      settled('user', 'ben@example.com', 'same', 'u-1'),
    ]);

    const seen = rows.filter(({ hash }) => hash === 'of-old');
    expect(seen.map(({ state, action, name, id, key }) => [state, action, name, id, key])).toEqual([
      ['done', 'create', 'HAM', 'p-1', 'key-of-old'],
      ['done', 'create', 'KIE', 'p-2', 'key-of-old'],
      ['done', 'create', 'LEI', 'p-3', 'key-of-old'],
      ['done', 'create', 'ana@example.com', undefined, 'key-of-old'],
      ['done', 'change', 'ben@example.com', 'u-1', 'key-of-old'],
    ]);
    expect(seen.map(({ at }) => at)).toEqual(memory.map(({ at }) => at));
  });

  test('is kept while no record shows the change', async () => {
    const memory = [left({ kind: 'property', name: 'BER', action: 'change', state: 'sent' })];
    const { run, rows } = stage({ memory });

    await run([settled('property', 'BER', 'cannot_compare', 'BER')]);

    expect(rows).toEqual([]);
  });
});
