import { describe, expect } from 'vitest';
import { hashOf } from '../../src/model/canonical.ts';
import {
  type CreationAbout,
  changeRecent,
  forgetRecent,
  type RecentPlace,
} from '../../src/seed/recent-creates.ts';
import type { Target } from '../../src/seed/target.ts';
import { test } from '../config/with-folder.ts';

const NOON = Date.UTC(2026, 3, 21, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const target = (account: string): Target => ({ identity_url: 'https://a', base_url: 'https://b', account });
const ham = (account: string): CreationAbout => ({
  kind: 'property',
  target: target(account),
  name: 'HAM',
  body: { code: 'HAM' },
});

/** Reads the stored creation without changing it. */
const recall = (account: string, place: RecentPlace) => changeRecent(ham(account), place, (before) => before);

describe('a creation of the last ten minutes', () => {
  test('is forgotten with its deletion, in its own account only', async ({ folder, signal }) => {
    const place = { state: folder, now: () => NOON, signal };
    for (const account of ['account AURORA', 'account BOREAS'])
      await changeRecent(ham(account), place, (_, fresh) => ({ ...fresh, key: 'k', id: hashOf('P-1') }));

    await forgetRecent({ target: target('account BOREAS'), id: 'P-1' }, place);

    expect(await recall('account BOREAS', place)).toBeUndefined();
    expect(await recall('account AURORA', place)).toMatchObject({ key: 'k' });
  });

  test.for<[number, number, string | undefined]>([
    [9 * MINUTE, 22 * HOUR, 'k'],
    [10 * MINUTE, 22 * HOUR, undefined],
    [9 * MINUTE, 23 * HOUR, undefined],
  ])(
    'that was sent %i ms ago, and first %i ms ago, has the key %s',
    async ([last, first, key], { folder, signal }) => {
      const place = { state: folder, now: () => NOON, signal };
      const times = { at: NOON - last, since: NOON - first };
      await changeRecent(ham('account AURORA'), place, (_, fresh) => ({ ...fresh, ...times, key: 'k' }));

      expect((await recall('account AURORA', place))?.key).toBe(key);
    },
  );
});
