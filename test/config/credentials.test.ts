import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkBinding } from '../../src/config/binding.ts';
import { changeCredential, closeCredentials, readCredential } from '../../src/config/credentials.ts';
import { test } from './with-folder.ts';

const credential = {
  origins: ['https://identity.chain.example', 'https://api.chain.example'],
  token: 'token-of-ana',
};

test('a profile without a credential has none', ({ folder }) => {
  expect(readCredential(folder, 'chain')).toBeUndefined();
  expect(readCredential(folder, 'constructor')).toBeUndefined();
});

test('credentials of other profiles and unknown keys survive a write', async ({ folder, signal }) => {
  const byHand = { version: 1, note: 'of Ana', profiles: { inn: { origins: [], colour: 'red' } } };
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(byHand));

  await changeCredential(folder, 'chain', () => credential, signal);

  expect(JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'))).toEqual({
    ...byHand,
    profiles: { ...byHand.profiles, chain: credential },
  });
});

test('a corrupt file is rejected without quoting it', ({ folder }) => {
  writeFileSync(
    join(folder, 'credentials.json'),
    '{"profiles": {"chain": {"origins": [], "token": ["token-of-ana"]}}}',
  );

  expect(() => readCredential(folder, 'chain')).toThrow(
    expect.objectContaining({
      message: `${join(folder, 'credentials.json')} cannot be used: profiles.chain.token must be string.`,
      exitCode: 2,
    }),
  );
});

const urls = {
  identityUrl: { value: 'https://identity.chain.example/v2', source: 'profile chain' },
  baseUrl: { value: 'https://api.chain.example', source: 'profile chain' },
  tokenUrl: undefined,
};

test('a credential is allowed for its origins, whatever the path', () => {
  expect(checkBinding('chain', credential, urls)).toBeUndefined();
});

test.for(['https://api.other.example', 'http://api.chain.example', 'https://api.chain.example.evil.example'])(
  'a credential is not allowed for %s',
  (value) => {
    const elsewhere = { ...urls, baseUrl: { value, source: 'INNCTL_BASE_URL' } };

    expect(() => checkBinding('chain', credential, elsewhere)).toThrow(
      expect.objectContaining({
        code: 'credential_bound',
        message: `The credential of profile chain was given for https://identity.chain.example and https://api.chain.example, but base_url (INNCTL_BASE_URL) is ${value}.`,
        hint: 'Give it for the new address: innctl login --profile chain',
        exitCode: 4,
      }),
    );
  },
);

/** Creates the temporary file of a writer that was killed this long ago. */
function writeDraft(folder: string, ageMs: number): string {
  const draft = join(folder, 'credentials.json.0f0e0d0c-0b0a-4908-8706-050403020100.tmp');
  const at = new Date(Date.now() - ageMs);
  writeFileSync(draft, 'token-of-ana');
  utimesSync(draft, at, at);
  return draft;
}

test('a stale temporary file is removed at the start of a command, and a recent one is kept', ({
  folder,
}) => {
  const presentation = { held: [], json: false, colour: false };
  const context = { platform: 'linux' as const, presentation };
  const recent = writeDraft(folder, 0);
  closeCredentials(folder, context);
  expect(existsSync(recent)).toBe(true);

  const stale = writeDraft(folder, 3_600_000);
  closeCredentials(folder, context);
  expect(existsSync(stale)).toBe(false);
});
