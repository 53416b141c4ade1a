import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { httpServer } from '../helpers/servers.ts';
import { binary, openHome } from './home.ts';

test.each(['--version', '--help', '--sandbox properties list'])(
  'a failed write to stdout is exit 1: %s',
  async (line) => {
    await using home = await openHome();
    await using full = await open('/dev/full', 'w');

    const ended = await home.run([process.execPath, binary, ...line.split(' ')], {
      stdio: ['ignore', full.fd, 'pipe'],
    });

    expect(ended).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'error: Cannot write to stdout: ENOSPC: no space left on device, write.\n',
    });
  },
);

test.each([
  { signal: 'SIGINT' as const, exitCode: 130 },
  { signal: 'SIGTERM' as const, exitCode: 143 },
])(
  '$signal ends a request to a service that never answers, without a stack trace',
  { timeout: 10_000 },
  async ({ signal, exitCode }) => {
    await using home = await openHome();
    let stop = () => {};
    await using service = await httpServer(() => stop());
    const env = {
      INNCTL_IDENTITY_URL: service.origin,
      INNCTL_BASE_URL: service.origin,
      INNCTL_TOKEN: 'token-of-ana-1234567890',
    };

    const ended = await home.run([process.execPath, binary, 'properties', 'list'], {
      env,
      started: (child) => {
        stop = () => child.kill(signal);
      },
    });

    expect(ended).toEqual({ exitCode, stdout: '', stderr: `error: Interrupted by ${signal}.\n` });
  },
);

test('the sandbox serves until SIGTERM, with exit 0', async () => {
  await using home = await openHome();
  const words = [binary, 'sandbox', 'serve', '-o', 'ndjson', '--require-auth'];
  const child = spawn(process.execPath, words, { env: home.env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout);
  const [line] = await once(lines, 'line');

  const { url, token, client_secret: secret, ...rest } = JSON.parse(line);
  const answer = await fetch(`${url}/api/v1/users/me`, { headers: { authorization: `Bearer ${token}` } });
  expect([answer.status, (await fetch(`${url}/api/v1/roles`)).status]).toEqual([200, 401]);
  expect(secret).toEqual(expect.any(String));
  expect(rest).toEqual({
    profile: {
      identity_url: url,
      base_url: url,
      dialect: 'contract',
      auth: 'token',
      token_url: `${url}/connect/token`,
      client_id: 'sandbox',
    },
    pid: child.pid,
    folder: join(home.folder, '.local/state/innctl/sandbox'),
  });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});
