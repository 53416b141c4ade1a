import { describe, expect, test } from 'vitest';
import type { NewRow } from '../../src/apply/journal.ts';
import { Interruption } from '../../src/context.ts';
import { CliError } from '../../src/errors.ts';
import { changedProperty, left, newInvitation, newProperty, settled, stage, told } from './stage.ts';

const full = new CliError('journal_failed', 'The disk is full.');

/** Rejects from the line of this state on, and ever after. */
const failingFrom = (state: NewRow['state'], name: string) => {
  let isFull = false;
  return (row: NewRow) => {
    isFull ||= row.state === state && row.name === name;
    if (isFull) throw full;
  };
};

const requests = (events: readonly string[]) => events.filter((event) => /^[A-Z]/.test(event));

describe('a journal that cannot be written', () => {
  test('at the start: nothing is sent', async () => {
    const { run, events } = stage({ onLine: failingFrom('planned', 'HAM') });

    const { results, stoppedBy } = await run([newProperty('HAM'), newInvitation('ana@example.com')]);

    expect(requests(events)).toEqual([]);
    expect(stoppedBy).toBe(full);
    expect(told(results)).toEqual([
      'not_attempted HAM (not_attempted)',
      'not_attempted ana@example.com (not_attempted)',
    ]);
  });

  test.each([
    newProperty('HAM'),
    newInvitation('HAM'),
    changedProperty('HAM'),
    settled('property', 'HAM', 'delete', 'HAM'),
  ])('before a request ($kind $action): it is not sent, and none after it', async (item) => {
    const { run, events } = stage({ onLine: failingFrom('sent', 'HAM') });

    const { results, stoppedBy } = await run([item, settled('property', 'OLD', 'delete', 'OLD')]);

    expect(requests(events)).toEqual([]);
    expect(stoppedBy).toBe(full);
    expect(results.map(({ outcome }) => outcome)).toEqual(['not_attempted', 'not_attempted']);
  });

  test('after a request: its result is kept, and none follows, not even to look', async () => {
    const { run, events } = stage({ onLine: failingFrom('done', 'HAM') });

    const { results, stoppedBy } = await run([
      newProperty('HAM'),
      newProperty('KIE'),
      newInvitation('ana@example.com'),
    ]);

    expect(requests(events)).toEqual(['POST property HAM']);
    expect(stoppedBy).toBe(full);
    expect(told(results)).toEqual([
      'done HAM id-of-HAM',
      'not_attempted KIE (not_attempted)',
      'not_attempted ana@example.com (not_attempted)',
    ]);
  });

  test('while an earlier line of the same moment was written: what was announced goes out, and no more', async () => {
    const { run, events } = stage({ onLine: failingFrom('done', 'HAM') });

    await run([newProperty('HAM'), newProperty('KIE'), newProperty('LEI')], { concurrency: 2 });

    expect(requests(events)).toEqual(['POST property HAM', 'POST property KIE']);
  });
});

describe('an interruption', () => {
  test('while a row is announced: it is not sent, and the journal takes it back', async () => {
    const stop = new AbortController();
    const { run, events } = stage({
      onLine: ({ state }) => {
        if (state === 'sent') stop.abort(new Interruption('SIGINT'));
      },
    });

    const { results } = await run([newInvitation('ana@example.com')], { stop: stop.signal });

    expect(events).toEqual([
      'planned invitation ana@example.com',
      'sent invitation ana@example.com',
      'failed invitation ana@example.com',
      'planned invitation ana@example.com',
    ]);
    expect(told(results)).toEqual(['not_attempted ana@example.com (not_attempted)']);
  });

  test('while a row waits for its turn to be sent: the journal takes it back', async () => {
    const stop = new AbortController();
    const { run, events } = stage({
      on: () => {
        stop.abort(new Interruption('SIGINT'));
        throw stop.signal.reason;
      },
    });

    const { results } = await run([newInvitation('ana@example.com')], { stop: stop.signal });

    expect(events.slice(-2)).toEqual([
      'failed invitation ana@example.com',
      'planned invitation ana@example.com',
    ]);
    expect(told(results)).toEqual(['not_attempted ana@example.com (not_attempted)']);
  });
});

describe('what an earlier run left in doubt', () => {
  const doubt = left({ kind: 'invitation', name: 'ana@example.com', action: 'create', state: 'unknown' });

  test('is not planned as if nothing had been sent', async () => {
    const { run, events } = stage({ memory: [doubt] });

    await run([newInvitation('ana@example.com')]);

    expect(events).toEqual([
      'sent invitation ana@example.com',
      'POST invitation ana@example.com',
      'done invitation ana@example.com',
    ]);
  });

  test('stays in doubt when this run does not come to it', async () => {
    const stop = new AbortController();
    const { run, events } = stage({
      memory: [doubt],
      on: () => {
        stop.abort(new Interruption('SIGINT'));
        throw stop.signal.reason;
      },
    });

    await run([newInvitation('ana@example.com'), newInvitation('ben@example.com')], { stop: stop.signal });

    expect(events).toEqual([
      'planned invitation ben@example.com',
      'sent invitation ana@example.com',
      'POST invitation ana@example.com',
      'unknown invitation ana@example.com',
    ]);
  });

  test('is done once it is seen to be there', async () => {
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
  });

  test('stays in doubt while nothing shows what it would have changed', async () => {
    const memory = [left({ kind: 'property', name: 'BER', action: 'change', state: 'sent' })];
    const { run, rows } = stage({ memory });

    await run([settled('property', 'BER', 'cannot_compare', 'BER')]);

    expect(rows).toEqual([]);
  });
});
