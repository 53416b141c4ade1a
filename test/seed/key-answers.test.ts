import { describe, expect, test } from 'vitest';
import { createHistory } from '../../src/seed/history.ts';
import type { RowLine, RunLine } from '../../src/seed/journal-line.ts';
import { isFailing, isUsable, type KeyAge } from '../../src/seed/visibility.ts';

const NOON = Date.parse('2026-04-21T12:00:00.000Z');
const at = new Date(NOON).toISOString();
const MINUTE = 60_000;

const header: RunLine = {
  ...{ version: 1, id: 'run-1', at, command: 'apply', files: [], options: {} },
  ...{ identity_url: 'https://a', base_url: 'https://b', account: 'x' },
};

/** Each run as the states of one creation, with the status of a response: `sent unknown:500`. */
function keyAfter(...runs: readonly string[]): KeyAge {
  const history = createHistory();
  for (const run of runs) {
    history.take({ run: header });
    for (const word of run.split(' ')) {
      const [state = '', status] = word.split(':');
      const row = { kind: 'property', name: 'HAM', action: 'create', hash: 'h', key: 'k', at } as const;
      // The words of the run are states.
      history.take({
        row: { ...row, state: state as RowLine['state'], status: status ? Number(status) : undefined },
      });
    }
  }
  const age = history.recall('property', 'HAM')?.keyAge;
  if (age === undefined) throw new Error('the history has no key');
  return age;
}

describe('the service stores a failure under a key', () => {
  test.each<[string, readonly string[], boolean]>([
    ['not after one run', ['sent unknown:500'], false],
    ['after two runs', ['sent unknown:500', 'sent unknown:500'], true],
    ['after any 5xx of the service itself', ['sent unknown:500', 'sent unknown:501'], true],
    ['after a rejection that follows an unknown outcome', ['sent unknown:422', 'sent unknown:422'], true],
    ['not when one run failed twice', ['sent unknown:500 sent unknown:500'], false],
    [
      'not when the last request got no response',
      ['sent unknown:500', 'sent unknown:500', 'sent unknown'],
      false,
    ],
    [
      'not when a request in between got no response',
      ['sent unknown:500', 'sent unknown', 'sent unknown:500'],
      false,
    ],
    ['not when the next response has another status', ['sent unknown:500', 'sent unknown:409'], false],
    [
      'not when the key created something',
      ['sent done', 'unknown', 'sent unknown:500', 'sent unknown:500'],
      false,
    ],
    ['not at once when a gateway failed', ['sent unknown:503', 'sent unknown:503'], false],
  ])('%s', (_, runs, isSo) => {
    expect(isFailing(keyAfter(...runs), NOON + MINUTE)).toBe(isSo);
  });

  test.each([502, 503, 504])('only 15 minutes after a gateway failed: %i', (status) => {
    const age = keyAfter(`sent unknown:${status}`, `sent unknown:${status}`);

    expect([14, 16].map((minutes) => isFailing(age, NOON + minutes * MINUTE))).toEqual([false, true]);
  });
});

describe('a key is reusable', () => {
  test.each<[string, readonly string[], boolean]>([
    ['while no response came', ['sent unknown'], true],
    ['after a row that was retracted', ['sent failed planned'], true],
    ['not after a rejection', ['sent failed:422'], false],
    ['not after a missing permission', ['sent failed:403'], false],
    [
      'after a missing permission, where the outcome of an earlier request is unknown',
      ['sent unknown', 'sent failed:403'],
      true,
    ],
    ['after a conflict, where an earlier request was in flight', ['sent', 'sent failed:409'], true],
    ['not after the body was found invalid', ['sent unknown', 'sent failed:422'], false],
    ['not after the body could not be parsed', ['sent unknown', 'sent failed:400'], false],
    ['not once it created something', ['sent done'], false],
  ])('%s', (_, runs, isSo) => {
    expect(isUsable(keyAfter(...runs), NOON)).toBe(isSo);
  });
});
