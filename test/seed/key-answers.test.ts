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

/** Each run as the states of one creation, with the status of an answer: `sent unknown:500`. */
function keyAfter(...runs: readonly string[]): KeyAge {
  const history = createHistory();
  for (const run of runs) {
    history.take({ run: header });
    for (const word of run.split(' ')) {
      const [state = '', status] = word.split(':');
      const row = { kind: 'property', name: 'HAM', action: 'create', hash: 'h', key: 'k', at } as const;
      // The words of this file are states.
      history.take({
        row: { ...row, state: state as RowLine['state'], status: status ? Number(status) : undefined },
      });
    }
  }
  const age = history.recall('property', 'HAM')?.keyAge;
  if (age === undefined) throw new Error('no key was told');
  return age;
}

describe('a key stands for a failure', () => {
  test.each<[string, readonly string[], boolean]>([
    ['not after one run', ['sent unknown:500'], false],
    ['after two', ['sent unknown:500', 'sent unknown:500'], true],
    ['with any failure of the service itself', ['sent unknown:500', 'sent unknown:501'], true],
    ['with a refusal that follows a doubt', ['sent unknown:422', 'sent unknown:422'], true],
    ['not where one run failed twice', ['sent unknown:500 sent unknown:500'], false],
    ['not where no answer came to the last', ['sent unknown:500', 'sent unknown:500', 'sent unknown'], false],
    ['not where no answer came in between', ['sent unknown:500', 'sent unknown', 'sent unknown:500'], false],
    ['not where the next refused it for another reason', ['sent unknown:500', 'sent unknown:409'], false],
    [
      'not where it created something',
      ['sent done', 'unknown', 'sent unknown:500', 'sent unknown:500'],
      false,
    ],
    ['not at once where a gateway failed', ['sent unknown:503', 'sent unknown:503'], false],
  ])('%s', (_, runs, isSo) => {
    expect(isFailing(keyAfter(...runs), NOON + MINUTE)).toBe(isSo);
  });

  test.each([502, 503, 504])('a quarter of an hour after a gateway failed: %i', (status) => {
    const age = keyAfter(`sent unknown:${status}`, `sent unknown:${status}`);

    expect([14, 16].map((minutes) => isFailing(age, NOON + minutes * MINUTE))).toEqual([false, true]);
  });
});

describe('a key is of use', () => {
  test.each<[string, readonly string[], boolean]>([
    ['while no answer came', ['sent unknown'], true],
    ['after a row that was taken back', ['sent failed planned'], true],
    ['not after a refusal', ['sent failed:422'], false],
    ['not after a right that is missing', ['sent failed:403'], false],
    [
      'after a right that is missing, where an earlier request is in doubt',
      ['sent unknown', 'sent failed:403'],
      true,
    ],
    ['after a conflict, where an earlier request was under way', ['sent', 'sent failed:409'], true],
    ['not after what was sent was found wrong', ['sent unknown', 'sent failed:422'], false],
    ['not after what was sent could not be read', ['sent unknown', 'sent failed:400'], false],
    ['not once it created something', ['sent done'], false],
  ])('%s', (_, runs, isSo) => {
    expect(isUsable(keyAfter(...runs), NOON)).toBe(isSo);
  });
});
