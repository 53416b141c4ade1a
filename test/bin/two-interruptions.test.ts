import type { ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { httpServer } from '../helpers/servers.ts';
import { keys, openTerminal } from '../helpers/terminal.ts';
import { binary, openHome } from './home.ts';

test('^C at a prompt keeps the answers in a line that goes on with the remaining questions', async () => {
  await using home = await openHome();
  const start = (words: readonly string[]) =>
    openTerminal([process.execPath, binary, ...words], { cwd: home.folder, env: home.env });
  using first = start(['--sandbox', 'properties', 'create']);

  await first.sees('1 of 13 · Short code');
  first.types(`GRZ${keys.enter}`);
  await first.sees('2 of 13 · Name in English');
  first.types(keys.ctrlC);
  const { exitCode, screen } = await first.leaves();
  const line = screen.replaceAll('\r\n', '\n').match(/To go on:\s+innctl (.+)/)?.[1] ?? '';
  using second = start(line.split(' '));
  await second.sees('1 of 12 · Name in English');
  second.types(keys.ctrlC);

  expect({ exitCode, line, again: (await second.leaves()).exitCode }).toEqual({
    exitCode: 130,
    line: '--sandbox properties create --code GRZ',
    again: 130,
  });
  const { stdout } = await home.innctl(['--sandbox', 'properties', 'list', '-q']);
  expect(stdout).toBe('BER\nMUC\nVIE\n');
});

/** Sends a signal twice. A second one sent while the first is pending would be lost. */
async function sendTwice(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  const isPending = async () => !/^ShdPnd:\s0+$/m.test(await readFile(`/proc/${child.pid}/status`, 'utf8'));
  while (await isPending());
  child.kill(signal);
}

describe.each([
  { signal: 'SIGINT' as const, exitCode: 130 },
  { signal: 'SIGTERM' as const, exitCode: 143 },
])('$signal twice', ({ signal, exitCode }) => {
  test.each([
    ['apply', 'FILE', '--json'],
    ['apply', 'FILE', '-o', 'ndjson'],
  ])('prints one JSON error: %s %s %s %s', async (...words) => {
    await using home = await openHome();
    const path = join(home.folder, 'people.csv');
    await writeFile(path, 'kind,email,is_account_admin\ninvitation,mia@example.com,true\n');
    let interrupt = async () => {};
    // Lists are empty; creations get no response.
    await using service = await httpServer((request, response) => {
      if (request.method === 'POST') void interrupt();
      else response.end('{"count":0,"items":[]}');
    });
    const { origin } = service;
    const line = words.map((word) => (word === 'FILE' ? path : word));

    const ended = await home.run([process.execPath, binary, ...line, '--yes'], {
      env: { INNCTL_IDENTITY_URL: origin, INNCTL_BASE_URL: origin, INNCTL_TOKEN: 'token-of-ana-1234567890' },
      started: (child) => {
        interrupt = () => sendTwice(child, signal);
      },
    });

    expect(ended).toEqual({
      exitCode,
      stdout: '',
      stderr: `${JSON.stringify({
        error: {
          code: 'interrupted',
          message: 'Aborted; requests in progress may have been carried out.',
          details: [],
        },
      })}\n`,
    });
  });
});
