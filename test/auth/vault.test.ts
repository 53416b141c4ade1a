import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { keyringAccount, openVault } from '../../src/auth/vault.ts';
import { KeyringFailure } from '../../src/cli/ports.ts';
import { createRedactor } from '../../src/print/redaction.ts';
import { test } from '../config/with-folder.ts';
import { memoryKeyring } from '../helpers/cli.ts';

const origins = ['https://identity.chain.example'];
const secrets = { client_secret: 'secret-of-the-chain' };

test('with a keyring the file holds only non-secret facts, and both are merged on read', async ({
  folder,
  signal,
}) => {
  const keyring = memoryKeyring();
  const vault = openVault(folder, 'chain', { keyring, redactor: createRedactor() });

  await vault.save({ origins, keyring: 'chain' }, secrets, signal);

  expect(readFileSync(join(folder, 'credentials.json'), 'utf8')).not.toContain('secret-of-the-chain');
  expect(keyring.entries.get('chain')).toBe('{"client_secret":"secret-of-the-chain"}');
  expect([vault.facts(), await vault.secrets()]).toEqual([{ origins, keyring: 'chain' }, secrets]);
});

test.for([undefined, 'chain'])(
  'secrets are replaced and facts kept (keyring: %s)',
  async (account, { folder, signal }) => {
    const vault = openVault(folder, 'chain', { keyring: memoryKeyring(), redactor: createRedactor() });
    const facts = { origins, ...(account === undefined ? {} : { keyring: account }) };
    await vault.save(facts, secrets, signal);

    await vault.change((before) => ({ ...before, token: 'token-of-the-chain' }), signal);
    await vault.note((before) => ({ ...before, login: { method: 'web' as const } }), signal);

    expect(await vault.secrets()).toEqual({ ...secrets, token: 'token-of-the-chain' });
    expect(vault.facts()).toEqual({ ...facts, login: { method: 'web' } });
  },
);

test('secrets read from a keyring are redacted, and an entry in another format is ignored', async ({
  folder,
  signal,
}) => {
  const redactor = createRedactor();
  const keyring = memoryKeyring();
  const vault = openVault(folder, 'chain', { keyring, redactor: createRedactor() });
  await vault.save({ origins, keyring: 'chain' }, secrets, signal);

  await openVault(folder, 'chain', { keyring, redactor }).secrets();
  expect(redactor.text('it is secret-of-the-chain')).toBe('it is [redacted]');

  for (const text of ['', '[]', 'secret', '{"token":7}']) {
    await keyring.write('chain', text);
    expect(await vault.secrets()).toEqual({});
  }
});

test('a keyring that does not respond: exit code 4, with a hint', async ({ folder, signal }) => {
  const keyring = memoryKeyring();
  const vault = openVault(folder, 'chain', { keyring, redactor: createRedactor() });
  await vault.save({ origins, keyring: 'chain' }, secrets, signal);
  keyring.read = () => Promise.reject(new KeyringFailure('did not answer within 3 s'));

  await expect(vault.secrets()).rejects.toMatchObject({
    code: 'keyring_unavailable',
    exitCode: 4,
    message: 'The keyring of this system did not answer within 3 s.',
    hint: 'To keep the credential in a file instead: innctl login --profile chain --insecure-storage',
  });
});

test('two config folders do not share an entry', () => {
  const world = { env: {}, platform: 'linux' as const, home: '/home/ana' };

  expect(keyringAccount('chain', '/home/ana/.config/innctl', world)).toBe('chain');
  expect(keyringAccount('chain', '/srv/innctl', world)).toBe('chain in /srv/innctl');
});
