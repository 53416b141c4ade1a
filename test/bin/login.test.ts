import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
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

test('the browser is started without our secrets in its environment', async () => {
  await using home = await openHome();
  const seen = join(home.folder, 'seen');
  writeFileSync(join(home.folder, 'xdg-open'), `#!/bin/sh\nenv > ${seen}.new\nmv ${seen}.new ${seen}\n`, {
    mode: 0o755,
  });
  const urls = [
    '--identity-url',
    'https://identity.chain.example',
    '--base-url',
    'https://api.chain.example',
  ];
  const endpoints = ['--authorization-url', `${urls[1]}/in`, '--token-url', `${urls[1]}/token`];

  const login = ['login', '--web', '--client-id', 'chain-admin', '--insecure-storage', '--timeout', '3'];
  const { exitCode } = await home.innctl([...login, ...urls, ...endpoints], {
    DISPLAY: ':7',
    PATH: `${home.folder}:${home.env['PATH']}`,
    INNCTL_TOKEN: 'token-of-the-variable',
    INNCTL_CLIENT_SECRET: 'secret-of-the-variable',
  });

  expect(exitCode).toBe(7);
  const env = readFileSync(seen, 'utf8');
  expect(env).toContain('DISPLAY=:7');
  expect(env).not.toMatch(/of-the-variable/);
});
