import { beforeAll, expect, test } from 'vitest';
import { binary, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';

beforeAll(setup);

test('an export to /dev/full fails', async () => {
  await using home = await openHome();
  const line = '"$@" > /dev/full';

  const ended = await home.run(['bash', '-c', line, 'bash', process.execPath, binary, '--sandbox', 'export']);

  expect(ended).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('ENOSPC') });
});
