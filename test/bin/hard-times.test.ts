import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { binary, openHome } from './home.ts';

/** A service that accepts every invitation, and counts them. */
async function openService() {
  let created = 0;
  const server = createServer((request, response) => {
    if (request.method === 'POST') created += 1;
    const answer = request.method === 'POST' ? '{"email":"ana@example.com"}' : '{"count":0,"items":[]}';
    request.resume().on('end', () => response.end(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    env: { INNCTL_IDENTITY_URL: url, INNCTL_BASE_URL: url, INNCTL_TOKEN: 'token-of-ana-1234567890' },
    created: () => created,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe('a failing stderr does not affect a write', () => {
  test.each([
    ['a closed reader of stderr', '2> >(exit 0)'],
    ['a full stderr', '2>/dev/full'],
    ['a closed stderr', '2>&-'],
  ])('%s', async (_, redirect) => {
    await using home = await openHome();
    await using service = await openService();
    const command = `"$0" "$1" invitations create ana@example.com --debug ${redirect}`;

    const { exitCode } = await home.run(['bash', '-c', command, process.execPath, binary], {
      env: service.env,
    });

    expect({ exitCode, created: service.created() }).toEqual({ exitCode: 0, created: 1 });
  });

  test('if the result cannot be printed, the error says what was done', async () => {
    await using home = await openHome();
    await using service = await openService();
    const command =
      '"$0" "$1" invitations create ana@example.com --is-account-admin --yes -o ndjson >/dev/full';

    const ended = await home.run(['bash', '-c', command, process.execPath, binary], { env: service.env });

    expect(ended).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('Invited ana@example.com. But the result'),
    });
    expect(service.created()).toBe(1);
  });
});

describe('an unusable setting is reported', () => {
  test.each([
    ['a missing --ca-file', ['--ca-file', '/nope', 'properties', 'list']],
    ['a folder as --ca-file', ['--ca-file', '/', 'properties', 'list']],
  ])('%s, with a running sandbox', async (_, args) => {
    await using home = await openHome();

    const { exitCode, stderr } = await home.innctl(['--sandbox', ...args]);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(/^error: .*--ca-file/),
    });
  });

  test.each([
    ['config', 'set', 'timeout', '3'],
    ['--sandbox', 'properties', 'list'],
  ])('a folder that cannot be created: innctl %s %s', async (...args) => {
    await using home = await openHome();

    const { exitCode, stderr } = await home.innctl(args, { INNCTL_CONFIG_DIR: '/proc/nope' });

    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('/proc/nope') });
  });

  test('config path works with a broken config.json', async () => {
    await using home = await openHome();
    await writeFile(join(home.folder, 'config.json'), '{bad');
    const env = { INNCTL_CONFIG_DIR: home.folder };

    const path = await home.innctl(['config', 'path'], env);
    const list = await home.innctl(['profiles', 'list'], env);

    expect(path).toEqual({ exitCode: 0, stdout: `${join(home.folder, 'config.json')}\n`, stderr: '' });
    expect(list).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
