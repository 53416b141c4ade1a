import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { httpServer } from '../helpers/servers.ts';
import { binary, openHome } from './home.ts';
import { openScreen } from './screen.ts';

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

/** A pager that marks what it shows, and says how it was started. */
const MARKING = `#!/bin/sh
echo "> $* $LESS\${INNCTL_TOKEN}"
sed 's/^/> /'
`;

test.each([
  ['PAGER=cat INNCTL_PAGER=./mark\u00a0-x\u00a0"a\u00a0b"', '> -x a b FRX'],
  ['PAGER=./mark LESS=R INNCTL_TOKEN=token-of-ana-1234567890', '>  R'],
  ['PAGER=./mark INNCTL_PAGER=', 'Code'],
  ['PAGER=./mark CI=true', 'Code'],
  ['PAGER=./mark ACCESSIBLE=1', 'Code'],
  ['PAGER=cat', 'Code'],
  ['PAGER=there-is-no-such-pager', 'Code'],
  ['PAGER=./mark --no-pager', 'Code'],
])('a list longer than the terminal is shown by a pager, if one is wanted: %s', async (set, first) => {
  await using home = await openHome();
  await writeFile(join(home.folder, 'mark'), MARKING, { mode: 0o755 });
  const words = set.split(' ').map((word) => word.replaceAll('\u00a0', ' '));
  const env = Object.fromEntries(words.filter((word) => /^[A-Z]/.test(word)).map((word) => word.split('=')));
  const flags = words.filter((word) => word.startsWith('--'));
  const line = [...'--sandbox countries list --fields code'.split(' '), ...flags];

  using screen = openScreen(home, line, { env });
  const { exitCode } = await screen.leaves();

  const shown = screen.text().trimEnd().split('\n');
  const last = `${first.startsWith('>') ? '> ' : ''}ZW`;
  expect([exitCode, shown[0], shown.at(-1)]).toEqual([0, first, last]);
  expect((await home.innctl(line, env)).stdout).toMatch(/^AD/);
});

test('a pager that is left ends the command, and no further pages are requested', async () => {
  await using home = await openHome();
  const pages: string[] = [];
  await using service = await httpServer((request, response) => {
    pages.push(String(request.url));
    const items = Array.from({ length: 100 }, (_, index) => ({ id: `H${index}`, name: 'x'.repeat(200) }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ count: 10_000, items }));
  });
  const env = {
    INNCTL_IDENTITY_URL: service.origin,
    INNCTL_BASE_URL: service.origin,
    INNCTL_TOKEN: 'token-of-ana-1234567890',
    INNCTL_PAGER: 'head -n 2',
  };

  using screen = openScreen(home, ['properties', 'list', '-o', 'tsv'], { env });
  const { exitCode } = await screen.leaves();

  expect({ exitCode, shown: screen.text().match(/^H\d/gm) }).toEqual({ exitCode: 0, shown: ['H0', 'H1'] });
  expect(pages.length).toBeLessThan(10);
});

test.each([
  'invitations list --json',
  'roles list --all',
  'users list --all',
  'users list --all --json',
  'properties list --all -o ndjson',
  'countries list --all',
  'countries list --all -o table',
  'api GET /inventory/v1/properties --paginate -o ndjson',
])('a reader that closes the pipe after one line ends the list with exit 0: %s', async (line) => {
  await using home = await openHome();
  const seed = line.startsWith('invitations') ? 'small' : 'chain';
  await home.innctl(['sandbox', 'reset', '--seed', seed]);
  const pipeline = `{ "$0" "$1" --sandbox ${line}; echo "innctl ended with $?" >&2; } | head -n 1`;

  const { exitCode, stdout, stderr } = await home.run(['sh', '-c', pipeline, process.execPath, binary]);

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'innctl ended with 0\n' });
  expect(stdout.split('\n')).toHaveLength(2);
});
