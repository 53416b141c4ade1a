import { describe, expect, test } from 'vitest';
import { splitKeyring } from '../../src/auth/split-keyring.ts';
import type { Keyring } from '../../src/cli/ports.ts';
import { fc } from '../helpers/laws.ts';

const LONGEST_ENTRY = 1_280;

class Interrupted extends Error {}

/** Windows credential entries, with a program that is killed before its next call after this many calls. */
function credentialManager() {
  const entries = new Map<string, string>();
  let left = Number.POSITIVE_INFINITY;
  const step = () => {
    if (left === 0) throw new Interrupted();
    left -= 1;
  };
  const keyring: Keyring = {
    read: async (account) => {
      step();
      return entries.get(account);
    },
    write: async (account, secret) => {
      step();
      if (secret.length > LONGEST_ENTRY) throw new Error(`An entry of ${secret.length} characters.`);
      if (!secret.isWellFormed()) throw new Error('An entry that ends in the middle of a letter.');
      entries.set(account, secret);
    },
    remove: async (account) => {
      step();
      entries.delete(account);
    },
  };
  /** @returns whether it was interrupted. */
  const within = async (calls: number, act: (keyring: Keyring) => Promise<unknown>) => {
    left = calls;
    try {
      await act(splitKeyring(keyring));
      return false;
    } catch (cause) {
      if (!(cause instanceof Interrupted)) throw cause;
      return true;
    } finally {
      left = Number.POSITIVE_INFINITY;
    }
  };
  return { entries, keyring: splitKeyring(keyring), within };
}

/** Lengths around one entry, two or more, with letters of one or two UTF-16 units. */
const secret = fc
  .tuple(
    fc.constantFrom('', 'innctl-parts ', 'innctl-parts a 2 0123456789abcdef\n'),
    fc.constantFrom('a', '€', '😀', 'b😀'),
    fc.oneof(
      fc.nat(20),
      fc.integer({ min: 590, max: 650 }),
      fc.integer({ min: 1_180, max: 1_300 }),
      fc.nat(5_000),
    ),
    fc.string({ unit: 'binary', maxLength: 4 }),
  )
  .map(([start, letter, length, end]) => start + letter.repeat(length) + end);

/** Writes or removes a secret; and the number of calls before it is interrupted. */
const change = fc.record({
  secret: fc.option(secret, { nil: undefined }),
  calls: fc.oneof(fc.nat(12), fc.constant(Number.POSITIVE_INFINITY)),
});

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

const made =
  ({ secret }: Change) =>
  (keyring: Keyring) =>
    secret === undefined ? keyring.remove('ana') : keyring.write('ana', secret);

describe('a secret in several entries', () => {
  test('is read as written, or as before when the write was interrupted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        const { keyring, within } = credentialManager();
        let before: string | undefined;
        for (const each of changes) {
          const isInterrupted = await within(each.calls, made(each));
          const after = await keyring.read('ana');
          const possible = isInterrupted ? [before, each.secret] : [each.secret];
          if (!possible.includes(after)) expect(after).toBe(each.secret);
          before = after;
        }
      }),
    );
  });

  test('leaves no entries behind when it is replaced or removed, whatever was interrupted before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 6 }), change, async (changes, last) => {
        const { entries, within } = credentialManager();
        for (const each of changes) await within(each.calls, made(each));
        await within(Number.POSITIVE_INFINITY, made(last));

        const fresh = credentialManager();
        await fresh.within(Number.POSITIVE_INFINITY, made(last));
        expect(entries.size).toBe(fresh.entries.size);
        expect(fresh.entries.size === 0).toBe(last.secret === undefined);
      }),
    );
  });

  test('touches no entry of another account', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 4 }), secret, async (changes, other) => {
        const { keyring, within } = credentialManager();
        await keyring.write('ana#2', other);
        for (const each of changes) await within(each.calls, made(each));

        expect(await keyring.read('ana#2')).toBe(other);
      }),
    );
  });

  test('is rejected when one of its parts was changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1_281, max: 6_000 }), fc.nat(), async (length, which) => {
        const { entries, keyring } = credentialManager();
        await keyring.write('ana', 'a'.repeat(length));
        const names = [...entries.keys()].filter((name) => name !== 'ana');
        const name = names[which % names.length] ?? '';
        const part = entries.get(name) ?? '';
        if (which % 2 === 0) entries.delete(name);
        else entries.set(name, `${part.slice(1)}b`);

        await expect(keyring.read('ana')).rejects.toMatchObject({
          trouble: 'refused',
          message: 'holds only parts of the secret of this account',
        });
      }),
    );
  });
});

test('a secret that fits is one entry that other programs can read', async () => {
  const { entries, keyring } = credentialManager();

  await keyring.write('ana', 'a'.repeat(LONGEST_ENTRY));

  expect([...entries]).toEqual([['ana', 'a'.repeat(LONGEST_ENTRY)]]);
});

test('a secret of 64 KiB takes about fifty entries', async () => {
  const { entries, keyring } = credentialManager();

  await keyring.write('ana', 'a'.repeat(65_536));

  expect(entries.size).toBe(55);
  expect([...entries.keys()].slice(0, 2).toSorted()).toEqual(['ana|a2', 'ana|a3']);
});

test('a secret that is replaced during a read is read again', async () => {
  const { entries, keyring } = credentialManager();
  await keyring.write('ana', 'a'.repeat(2_000));
  const reader = splitKeyring({
    ...keyring,
    read: async (account) => {
      const found = entries.get(account);
      if (found?.endsWith('a') === true) await keyring.write('ana', 'b'.repeat(2_000));
      return found;
    },
  });

  expect(await reader.read('ana')).toBe('b'.repeat(2_000));
});

test('a secret beyond a million characters is rejected, and the previous one is kept', async () => {
  const { keyring } = credentialManager();
  await keyring.write('ana', 'before');

  await expect(keyring.write('ana', 'a'.repeat(1_200_000))).rejects.toMatchObject({
    message: 'keeps no secret of this length',
  });
  expect(await keyring.read('ana')).toBe('before');
});
