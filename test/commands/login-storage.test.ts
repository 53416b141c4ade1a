import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Keyring, KeyringFailure } from '../../src/model/ports.ts';
import { test } from '../config/with-folder.ts';
import { cli, memoryKeyring } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { API, described, IDENTITY, issuing, secret, storedIn, token, urls, whoIs } from './login-service.ts';

onlyIntercepted();

const line = `login --with-token -p chain ${urls}`;
const rejectLocked = () => Promise.reject(new KeyringFailure('is locked'));
const lockedKeyring: Keyring = { read: rejectLocked, write: rejectLocked, remove: rejectLocked };

/** A keyring that is locked after its availability check. */
function lockedLater() {
  const keyring = memoryKeyring();
  return {
    ...keyring,
    write: (account: string, text: string) => (text === '{}' ? keyring.write(account, text) : rejectLocked()),
  };
}

/** How a command ends that a locked keyring stops. */
const locked = ended(
  4,
  'error: The keyring of this system is locked.\n' +
    'hint: Unlock it, or keep the credential in a file: innctl login --profile chain --insecure-storage\n',
);

const textOf = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');
const filesOf = (folder: string) =>
  ['config.json', 'credentials.json'].map((name) => JSON.parse(textOf(folder, name)));

test('without a keyring no secret is stored in a file without consent: exit 11', async ({ folder }) => {
  expect(await cli(line, { folder, keyring: lockedKeyring, stdin: token })).toEqual(
    ended(
      11,
      [
        'error: The keyring of this system is locked. Storing secrets in a file instead requires consent.',
        `hint: To store them unencrypted in credentials.json: innctl ${line} --insecure-storage`,
        '',
      ].join('\n'),
    ),
  );
  expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
});

test('a terminal prompts before the login starts, and no exits with 11', async ({ folder }) => {
  const answers = [token, false];

  const { exitCode, stderr } = await cli(line, { folder, keyring: lockedKeyring, answers });

  expect(exitCode).toBe(11);
  expect(stderr).toContain('The keyring of this system is locked.\n');
  expect(stderr).toContain('Nothing was done.\n');
});

test.for([
  ['a yes', line, [token, true] as const],
  ['--insecure-storage', `${line} --insecure-storage`, [token] as const],
] as const)('%s stores the secret in a file with mode 600', async ([, words, answers], { folder }) => {
  whoIs(token);

  const { exitCode, stderr } = await cli(words, { folder, keyring: lockedKeyring, answers });

  expect(exitCode).toBe(0);
  expect(stderr).toContain('Its secrets are kept unencrypted in credentials.json.');
  expect(storedIn(folder, 'chain').credential).toMatchObject({ token, origins: [IDENTITY, API] });
  expect(storedIn(folder, 'chain').credential).not.toHaveProperty('keyring');
  expect(statSync(join(folder, 'credentials.json')).mode & 0o777).toBe(0o600);
});

test('a login stored in the keyring removes the secret from the file', async ({ folder }) => {
  whoIs(token);
  await cli(`${line} --insecure-storage`, { folder, stdin: token });
  whoIs('token-of-ana-of-tomorrow');

  await cli(line, { folder, keyring: memoryKeyring(), stdin: 'token-of-ana-of-tomorrow' });

  expect(textOf(folder, 'credentials.json')).not.toContain(token);
});

test('a login stored in the file removes the secret from the keyring', async ({ folder }) => {
  const keyring = memoryKeyring();
  whoIs(token);
  await cli(line, { folder, keyring, stdin: token });
  whoIs(token);

  const { exitCode } = await cli(`${line} --insecure-storage`, { folder, keyring, stdin: token });

  expect([exitCode, keyring.entries.size]).toEqual([0, 0]);
});

test('a failure to remove the old secret is reported, and the login succeeds', async ({ folder }) => {
  whoIs(token);
  await cli(line, { folder, keyring: memoryKeyring(), stdin: token });
  whoIs(token);

  const { exitCode, stderr } = await cli(`${line} --insecure-storage`, {
    folder,
    keyring: lockedKeyring,
    stdin: token,
  });

  expect(exitCode).toBe(0);
  expect(stderr).toContain(
    'warning: The secret that profile chain had in the keyring is still there: the keyring is locked.\n',
  );
});

test('a failing keyring write leaves everything unchanged', async ({ folder }) => {
  whoIs(token);
  await cli(`${line} --insecure-storage`, { folder, stdin: token });
  const before = filesOf(folder);
  described();
  issuing('/token', { grant_type: 'client_credentials' }, { access_token: 'token-of-the-chain-98765' });

  const result = await cli(
    'login --client-credentials -p chain --client-id CHAIN-CI --client-secret-file -',
    {
      folder,
      keyring: lockedLater(),
      stdin: secret,
    },
  );

  expect({ ...result, files: filesOf(folder) }).toEqual({ ...locked, files: before });
});

test.for([
  ['writes', { write: rejectLocked }],
  ['removals', { remove: rejectLocked }],
] as const)(
  'a keyring that rejects %s is detected before anything is sent',
  async ([, rejecting], { folder }) => {
    const result = await cli(line, { folder, keyring: { ...memoryKeyring(), ...rejecting }, stdin: token });

    expect(result).toMatchObject({
      exitCode: 11,
      stderr: expect.stringContaining('error: The keyring of this system is locked. '),
    });
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  },
);

test('profiles remove removes the secret from the keyring, and keeps the profile if that fails', async ({
  folder,
}) => {
  const keyring = memoryKeyring();
  whoIs(token);
  await cli(line, { folder, keyring, stdin: token });
  const before = filesOf(folder);

  const failed = await cli('profiles remove chain', {
    folder,
    keyring: { ...keyring, remove: rejectLocked },
  });

  expect({ ...failed, files: filesOf(folder) }).toEqual({ ...locked, files: before });
  expect((await cli('profiles remove chain', { folder, keyring })).exitCode).toBe(0);
  expect(keyring.entries.size).toBe(0);
});

test('profiles show prints credential storage, login method and account', async ({ folder }) => {
  const keyring = memoryKeyring();
  whoIs(token);
  await cli(line, { folder, keyring, stdin: token });

  expect(
    JSON.parse((await cli('profiles show chain --json', { folder, keyring: lockedKeyring })).stdout),
  ).toEqual({
    name: 'chain',
    active: true,
    identity_url: IDENTITY,
    base_url: API,
    dialect: 'contract',
    auth: 'token',
    credential: 'token',
    credential_in: 'keyring',
    credential_for: [IDENTITY, API],
    login: 'token',
    account: { subject: 'a-1', name: 'Ana Lindner', email: 'ana@example.com' },
  });
});
