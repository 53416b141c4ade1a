import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import { keyringAccount, openVault } from '../../src/auth/vault.ts';
import { readCredential } from '../../src/config/credentials.ts';
import { CliError } from '../../src/model/errors.ts';
import { type Keyring, KeyringFailure } from '../../src/model/ports.ts';
import { createRedactor } from '../../src/model/redaction.ts';
import { test } from '../config/with-folder.ts';
import { memoryKeyring } from '../helpers/cli.ts';

const here = { origins: ['https://identity.chain.example'], keyring: 'chain' };
const there = { origins: ['https://identity.inn.example'], keyring: 'chain' };
const inFile = { origins: here.origins };
const old = { token: 'token-of-ana-1234567890' };
const fresh = { token: 'token-of-ben-1234567890' };
const nothing = async () => {};
const failing = () => Promise.reject(new Error('the disk is full'));

function open(folder: string, keyring: Keyring = memoryKeyring(), redactor = createRedactor()) {
  return openVault(folder, 'chain', { keyring, redactor });
}

test('with a keyring the file holds only non-secret facts, and secrets are redacted once read', async ({
  folder,
  signal,
}) => {
  const keyring = memoryKeyring();
  await open(folder, keyring).replace({ facts: here, secrets: old }, nothing, signal);
  const redactor = createRedactor();
  const vault = open(folder, keyring, redactor);

  expect(readFileSync(join(folder, 'credentials.json'), 'utf8')).not.toContain(old.token);
  expect(keyring.entries.get('chain')).toBe(JSON.stringify(old));
  expect([vault.facts(), await vault.secrets()]).toEqual([here, old]);
  expect(redactor.text(`it is ${old.token}`)).toBe('it is [redacted]');
});

test.for([inFile, here])('secrets are replaced and facts kept: %j', async (facts, { folder, signal }) => {
  const vault = open(folder);
  await vault.replace({ facts, secrets: old }, nothing, signal);

  await vault.change((before) => ({ ...before, client_secret: 'secret-of-the-chain' }), signal);
  await vault.note((before) => ({ ...before, login: { method: 'web' as const } }), signal);

  expect(await vault.secrets()).toEqual({ ...old, client_secret: 'secret-of-the-chain' });
  expect(vault.facts()).toEqual({ ...facts, login: { method: 'web' } });
});

test('a keyring entry in another format is ignored', async ({ folder, signal }) => {
  const keyring = memoryKeyring();
  const vault = open(folder, keyring);
  await vault.replace({ facts: here, secrets: old }, nothing, signal);

  for (const text of ['', '[]', 'secret', '{"token":7}']) {
    await keyring.write('chain', text);
    expect(await vault.secrets()).toEqual({});
  }
});

test('a keyring that does not respond: exit code 4, with a hint', async ({ folder, signal }) => {
  const keyring = memoryKeyring();
  const vault = open(folder, keyring);
  await vault.replace({ facts: here, secrets: old }, nothing, signal);
  keyring.read = () => Promise.reject(new KeyringFailure('did not answer within 3 s'));

  await expect(vault.secrets()).rejects.toMatchObject({
    code: 'keyring_unavailable',
    exitCode: 4,
    message: 'The keyring of this system did not answer within 3 s.',
    hint: 'Unlock it, or keep the credential in a file: innctl login --profile chain --insecure-storage',
  });
});

test('two config folders do not share an entry', () => {
  const world = { env: {}, platform: 'linux' as const, home: '/home/ana' };

  expect(keyringAccount('chain', '/home/ana/.config/innctl', world)).toBe('chain');
  expect(keyringAccount('chain', '/srv/innctl', world)).toBe('chain in /srv/innctl');
});

test('new secrets are never stored with the URLs of old ones, whenever the process is killed', async ({
  folder,
  signal,
}) => {
  const keyring = memoryKeyring();
  await open(folder, keyring).replace({ facts: here, secrets: old }, nothing, signal);
  const seen: unknown[] = [];
  const watched: Keyring = {
    ...keyring,
    write: async (account, text) => {
      seen.push(readCredential(folder, 'chain'));
      await keyring.write(account, text);
      seen.push(readCredential(folder, 'chain'));
    },
  };

  await open(folder, watched).replace({ facts: there, secrets: fresh }, nothing, signal);

  expect(seen).toEqual([undefined, undefined]);
  expect(readCredential(folder, 'chain')).toEqual(there);
});

test.for([here, inFile])(
  'a failed write of the profile leaves the credential unchanged: %j',
  async (facts, { folder, signal }) => {
    const keyring = memoryKeyring();
    const vault = open(folder, keyring);
    await vault.replace({ facts, secrets: old }, nothing, signal);
    const before = [readCredential(folder, 'chain'), [...keyring.entries]];

    for (const next of [{ facts: there, secrets: fresh }, undefined]) {
      await expect(vault.replace(next, failing, signal)).rejects.toThrow('disk is full');
      expect([readCredential(folder, 'chain'), [...keyring.entries]]).toEqual(before);
    }
  },
);

test('a credential that cannot be restored is reported as lost, with both reasons', async ({
  folder,
  signal,
}) => {
  const vault = open(folder);
  await vault.replace({ facts: inFile, secrets: old }, nothing, signal);
  const work = async () => {
    writeFileSync(join(folder, 'credentials.json.lock'), '');
    throw new CliError('config_not_written', 'Could not write config.json: the disk is full (ENOSPC).');
  };

  await expect(vault.replace(undefined, work, signal)).rejects.toMatchObject({
    code: 'credential_lost',
    message: `Could not write config.json: the disk is full (ENOSPC). The credential of profile chain could not be restored: ${join(folder, 'credentials.json.lock')} is not from innctl, which needs the name for its lock.`,
    exitCode: 1,
    hint: 'innctl login --profile chain',
  });
});

test('of two concurrent logins, the secrets of one are never stored with the URLs of the other', async ({
  folder,
  signal,
}) => {
  const keyring = memoryKeyring();
  let second: Promise<unknown> = Promise.resolve();
  const waits = (name: string) => name.startsWith('credentials.json.refresh-chain.lock.');
  const slow: Keyring = {
    ...keyring,
    write: async (account, text) => {
      await keyring.write(account, text);
      second = open(folder, keyring).replace({ facts: there, secrets: fresh }, nothing, signal);
      while (!readdirSync(folder).some(waits)) await turn();
    },
  };

  await open(folder, slow).replace({ facts: here, secrets: old }, nothing, signal);
  await second;

  expect([readCredential(folder, 'chain'), keyring.entries.get('chain')]).toEqual([
    there,
    JSON.stringify(fresh),
  ]);
});
