import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { binary, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';

beforeAll(setup);

test.each([
  ['a read', 'properties list --debug'],
  ['a write', 'invitations create mia@example.com --role Housekeeping --properties BER'],
])('no process started by %s has a secret in its arguments', async (_, line) => {
  await using home = await openHome();
  const sandbox = await startSandbox({ folder: join(home.folder, 'sandbox'), now: Date.now, faults: [] });
  const trace = join(home.folder, 'trace');
  const secrets = { INNCTL_TOKEN: sandbox.token, INNCTL_CLIENT_SECRET: 'secret-of-the-chain' };

  const ended = await home.run(
    ['strace', '-f', '-qq', '-s', '4096', '-e', 'trace=execve', '-o', trace, process.execPath, binary].concat(
      line.split(' '),
    ),
    {
      env: { ...secrets, INNCTL_IDENTITY_URL: sandbox.url, INNCTL_BASE_URL: sandbox.url },
    },
  );
  await sandbox.close();
  const started = await readFile(trace, 'utf8');

  expect(ended).toMatchObject({ exitCode: 0 });
  expect(started).toContain(`"${line.split(' ')[0]}"`);
  for (const secret of Object.values(secrets)) expect(started).not.toContain(secret);
});
