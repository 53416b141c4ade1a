import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, type Home, openHome } from './home.ts';

/** Starts a service and its token server in another process. */
async function serve(home: Home) {
  const child = spawn(process.execPath, [binary, 'sandbox', 'serve', '--require-auth', '-o', 'ndjson'], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const { url, token, client_secret } = JSON.parse(line);
  return {
    url,
    token,
    secret: client_secret,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
    },
  };
}

test('login with client credentials, then list users', {
  timeout: 60_000,
}, async () => {
  await using home = await openHome();
  await using service = await serve(home);
  writeFileSync(join(home.folder, 'token.txt'), service.secret);
  const urls = ['--identity-url', service.url, '--base-url', service.url];
  const line = ['login', '--client-credentials', '-p', 'ci', ...urls, '--client-id', 'sandbox'];

  const login = await home.innctl([...line, '--client-secret-file', 'token.txt', '--insecure-storage']);
  const users = await home.innctl(['users', 'list', '--json']);

  expect(login).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `Logged in as client sandbox at ${new URL(service.url).host}, profile ci, which is active now. Its secrets are kept unencrypted in credentials.json.\n`,
  });
  expect([users.exitCode, users.stderr, JSON.parse(users.stdout).items.length > 0]).toEqual([0, '', true]);
  expect(statSync(join(home.folder, '.config/innctl/credentials.json')).mode & 0o777).toBe(0o600);
});
