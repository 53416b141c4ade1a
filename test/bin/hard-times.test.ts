import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
    const command = `"$0" "$1" invitations create ana@example.com --no-access --debug ${redirect}`;

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
