import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { keyringProgram, systemKeyring } from '../../src/auth/keyring.ts';
import { test } from '../config/with-folder.ts';

/** A keyring with a shell script in place of Node. */
async function keyringBy(folder: string, script: string, env: Readonly<Record<string, string>> = {}) {
  const execPath = join(folder, 'program');
  await writeFile(execPath, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
  return systemKeyring({ execPath, platform: 'linux', env: { PATH: process.env['PATH'], ...env } });
}

const ended = (how: string) => `cannot be reached: the program that asks it ended with ${how}`;

test.for([
  { program: 'prints nothing', script: 'cat >/dev/null', message: ended('0') },
  { program: 'is killed', script: 'kill -9 $$', message: ended('SIGKILL') },
  { program: 'never exits', script: 'exec sleep 60', message: 'did not answer within 3 s' },
])('a call whose program $program fails, without a secret', async ({ script, message }, { folder }) => {
  const keyring = await keyringBy(folder, script);

  const calls = [keyring.read('ana'), keyring.write('ana', 'secret-of-ana'), keyring.remove('ana')];
  const endings = await Promise.allSettled(calls);

  const failure = expect.objectContaining({ name: 'KeyringFailure', message });
  expect(endings).toEqual(calls.map(() => ({ status: 'rejected', reason: failure })));
});

test('a missing Node is reported', async ({ folder }) => {
  const keyring = systemKeyring({ execPath: join(folder, 'node'), platform: 'linux', env: {} });

  await expect(keyring.read('ana')).rejects.toMatchObject({ message: /ENOENT/ });
});

describe('the error messages of the keyring library', () => {
  test('are not repeated when unknown: they may quote the secret', async ({ folder }) => {
    const keyring = await keyringBy(folder, `echo '{"error":"Malformed: secret-of-ana"}'`);

    await expect(keyring.write('ana', 'secret-of-ana')).rejects.toMatchObject({
      message: 'refused the call',
    });
  });

  test('of macOS for a locked keychain are recognized', async ({ folder }) => {
    const said = "Couldn't access platform storage: User interaction is not allowed.";
    const keyring = await keyringBy(folder, `cat <<'END'\n${JSON.stringify({ error: said })}\nEND`);

    await expect(keyring.read('ana')).rejects.toMatchObject({ message: 'is locked' });
  });
});

test('the environment of a call has what D-Bus needs, and neither secrets nor variables that change Node', async ({
  folder,
}) => {
  const needed = {
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus',
    HOME: folder,
    LANG: 'de_DE.UTF-8',
    XDG_RUNTIME_DIR: '/run',
  };
  const keyring = await keyringBy(folder, `env >'${folder}/env'; echo '{"secret":null}'`, {
    ...needed,
    HTTPS_PROXY: 'http://ana:password@proxy.example.com',
    INNCTL_CLIENT_SECRET: 'client-secret-of-ana',
    INNCTL_TOKEN: 'token-of-ana-1234567890',
    NAPI_RS_NATIVE_LIBRARY_PATH: '/tmp/other.node',
    NODE_OPTIONS: '--require=/tmp/other.js',
    NODE_PATH: '/tmp',
    NPM_TOKEN: 'token-of-npm',
  });

  await keyring.read('ana');

  const lines = (await readFile(join(folder, 'env'), 'utf8')).trim().split('\n');
  const names = lines.map((line) => line.split('=')[0] ?? '');
  // A shell adds these itself.
  expect(names.filter((name) => !['PATH', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)).toSorted()).toEqual(
    Object.keys(needed),
  );
});

test('the secret and its account are sent through a pipe', async ({ folder }) => {
  const keyring = await keyringBy(
    folder,
    `printf '%s\\n' "$@" >'${folder}/args'; cat >'${folder}/stdin'; echo '{"secret":null}'`,
  );

  await keyring.write('ana', 'secret-of-ana');

  const args = await readFile(join(folder, 'args'), 'utf8');
  expect(args).toContain('AsyncEntry');
  expect(args).not.toMatch(/secret-of-ana|\bana\b/);
  expect(JSON.parse(await readFile(join(folder, 'stdin'), 'utf8'))).toMatchObject({
    verb: 'write',
    service: 'innctl',
    account: 'ana',
    secret: 'secret-of-ana',
  });
});

test.for(['\ud800', 'a\udfff'])(
  'a string that is not valid Unicode is not stored: %j',
  async (secret, { folder }) => {
    const keyring = await keyringBy(folder, `echo '{"secret":null}'`);

    await expect(keyring.write('ana', secret)).rejects.toMatchObject({
      message: 'stores valid Unicode only',
    });
  },
);

test('Windows keeps 1,280 characters, and a longer secret is not sent', async () => {
  const keyring = systemKeyring({ execPath: '/nowhere', platform: 'win32', env: {} });

  await expect(keyring.write('ana', 'a'.repeat(1_280))).rejects.toMatchObject({ message: /ENOENT/ });
  await expect(keyring.write('ana', 'a'.repeat(1_281))).rejects.toMatchObject({
    message: 'stores no secret longer than 1280 characters',
  });
});

test('an abandoned call ends on its own', async ({ folder }) => {
  await mkdir(join(folder, 'node_modules/@napi-rs/keyring'), { recursive: true });
  await writeFile(
    join(folder, 'node_modules/@napi-rs/keyring/index.js'),
    'exports.AsyncEntry = class { getPassword() { return new Promise((r) => setTimeout(r, 600_000)); } };',
  );
  const child = spawn(process.execPath, ['-e', keyringProgram], { stdio: ['pipe', 'ignore', 'ignore'] });

  child.stdin.end(JSON.stringify({ from: join(folder, 'main.js'), verb: 'read', limitMs: 50 }));

  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
});
