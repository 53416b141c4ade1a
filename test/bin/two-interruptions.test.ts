import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseFault } from '../../src/sandbox/faults.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { peopleYaml } from '../helpers/seeding.ts';
import { keys, openTerminal } from '../helpers/terminal.ts';
import { binary, openHome } from './home.ts';

test('the first ^C of a run says what it waits for, the second one ends it at once', async () => {
  await using home = await openHome();
  const faults = [parseFault('slow-head:operation=createInvitation,ms=20000')];
  const service = await startSandbox({ folder: join(home.folder, 'service'), now: Date.now, faults });
  const path = join(home.folder, 'people.yaml');
  await writeFile(path, peopleYaml('mia@example.com'));
  const { url, token } = service;
  using terminal = openTerminal([process.execPath, binary, 'apply', path, '--yes'], {
    cwd: home.folder,
    env: { ...home.env, INNCTL_IDENTITY_URL: url, INNCTL_BASE_URL: url, INNCTL_TOKEN: token },
  });

  await terminal.sees('Sending to');
  terminal.types(keys.ctrlC);
  await terminal.sees('Stopping: waiting for what is under way; ^C again ends at once.');
  terminal.types(keys.ctrlC);
  const { exitCode, screen } = await terminal.leaves();
  await service.close();

  expect({ exitCode, screen }).toEqual({
    exitCode: 130,
    screen: expect.stringContaining('Ended at once; what was under way may have been carried out.'),
  });
});
