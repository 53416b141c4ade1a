import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { replaceCredential } from '../../src/auth/replace.ts';
import { CliError } from '../../src/cli/errors.ts';
import { type Keyring, KeyringFailure } from '../../src/cli/ports.ts';
import { readCredential } from '../../src/config/credentials.ts';
import { createRedactor } from '../../src/print/redaction.ts';
import { test } from '../config/with-folder.ts';
import { memoryKeyring } from '../helpers/cli.ts';
import { endedOrWaiting } from './waiting.ts';

const here = { origins: ['https://identity.chain.example'], keyring: 'chain' };
const there = { origins: ['https://identity.inn.example'], keyring: 'chain' };
const old = { token: 'token-of-ana-1234567890' };
const fresh = { token: 'token-of-ben-1234567890' };
const nothing = async () => {};
const failing = () => Promise.reject(new Error('the disk is full'));

const owner = (folder: string, signal: AbortSignal, keyring: Keyring) => ({
  folder,
  profile: 'chain',
  context: { keyring, redactor: createRedactor(), signal },
});

test('new secrets are never stored with the URLs of old ones, whenever the process is killed', async ({
  folder,
  signal,
}) => {
  const keyring = memoryKeyring();
  await replaceCredential(owner(folder, signal, keyring), { facts: here, secrets: old }, nothing);
  const seen: unknown[] = [];
  const watched: Keyring = {
    ...keyring,
    write: async (account, text) => {
      seen.push(readCredential(folder, 'chain'));
      await keyring.write(account, text);
      seen.push(readCredential(folder, 'chain'));
    },
  };

  await replaceCredential(owner(folder, signal, watched), { facts: there, secrets: fresh }, nothing);

  expect(seen).toEqual([undefined, undefined]);
  expect(readCredential(folder, 'chain')).toEqual(there);
});

test.for([
  ['the keyring', here],
  ['the file', { origins: here.origins }],
] as const)(
  'a failed write of the profile leaves the credential in %s unchanged',
  async ([, facts], { folder, signal }) => {
    const keyring = memoryKeyring();
    const who = owner(folder, signal, keyring);
    await replaceCredential(who, { facts, secrets: old }, nothing);
    const before = [readCredential(folder, 'chain'), [...keyring.entries]];

    await expect(replaceCredential(who, { facts: there, secrets: fresh }, failing)).rejects.toThrow(
      'disk is full',
    );
    expect([readCredential(folder, 'chain'), [...keyring.entries]]).toEqual(before);
    await expect(replaceCredential(who, undefined, failing)).rejects.toThrow('disk is full');
    expect([readCredential(folder, 'chain'), [...keyring.entries]]).toEqual(before);
  },
);

test('a failed rollback is reported', async ({ folder, signal }) => {
  const keyring = memoryKeyring();
  await replaceCredential(owner(folder, signal, keyring), { facts: here, secrets: old }, nothing);
  let isLocked = false;
  const locking: Keyring = {
    ...keyring,
    write: async (account, text) => {
      if (isLocked) throw new KeyringFailure('is locked');
      isLocked = true;
      await keyring.write(account, text);
    },
  };

  await expect(
    replaceCredential(owner(folder, signal, locking), { facts: here, secrets: fresh }, failing),
  ).rejects.toMatchObject({
    code: 'credential_lost',
    message: expect.stringMatching(
      /^the disk is full The credential of profile chain could not be restored: is locked/i,
    ),
  });
});

test('a credential that cannot be restored is reported as lost, with both reasons', async ({
  folder,
  signal,
}) => {
  const who = owner(folder, signal, memoryKeyring());
  await replaceCredential(who, { facts: { origins: here.origins }, secrets: old }, nothing);
  const work = async () => {
    writeFileSync(join(folder, 'credentials.json.lock'), '');
    throw new CliError('config_not_written', 'Could not write config.json: the disk is full (ENOSPC).');
  };

  await expect(replaceCredential(who, undefined, work)).rejects.toMatchObject({
    code: 'credential_lost',
    message: `Could not write config.json: the disk is full (ENOSPC). The credential of profile chain could not be restored: ${join(folder, 'credentials.json.lock')} is not a folder, and innctl needs the name for its lock.`,
    exitCode: 1,
    hint: 'Store it again: innctl profiles add chain',
  });
});

test('of two concurrent logins, the secrets of one are never stored with the URLs of the other', async ({
  folder,
  signal,
}) => {
  const keyring = memoryKeyring();
  let second: Promise<unknown> = Promise.resolve();
  const slow: Keyring = {
    ...keyring,
    write: async (account, text) => {
      await keyring.write(account, text);
      second = replaceCredential(owner(folder, signal, keyring), { facts: there, secrets: fresh }, nothing);
      await endedOrWaiting(second, { folder, profile: 'chain' });
    },
  };

  await replaceCredential(owner(folder, signal, slow), { facts: here, secrets: old }, nothing);
  await second;

  expect([readCredential(folder, 'chain'), keyring.entries.get('chain')]).toEqual([
    there,
    JSON.stringify(fresh),
  ]);
});
