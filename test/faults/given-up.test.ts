import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { httpServer } from '../helpers/servers.ts';
import { sandbox } from '../sandbox/harness.ts';

/** A way to a sandbox that answers once over each connection, and resets it at the next request: that is not passed on. */
async function openGateway(url: string) {
  const served = new WeakSet<Socket>();
  const passed: string[] = [];
  let resets = 0;
  const server = await httpServer(async (request, response) => {
    const { socket, method = '', headers } = request;
    const body = await buffer(request);
    if (served.has(socket)) {
      resets += 1;
      socket.resetAndDestroy();
      return;
    }
    served.add(socket);
    passed.push(method);
    const { authorization = '', 'content-type': type = 'application/json' } = headers;
    const answer = await fetch(`${url}${request.url}`, {
      method,
      headers: { authorization, 'content-type': type },
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) }),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  return { ...server, passed, resets: () => resets };
}

test.each([
  ['properties list --page-size 1 --max-attempts 1', 2],
  ['export --kind property --max-attempts 1', undefined],
  ['properties update BER --tax-id DE2', undefined],
  ['properties delete MUC --confirm MUC', undefined],
])('%s does not notice that connections are given up between its requests', async (line, resets) => {
  const { url, token } = await sandbox();
  await using gateway = await openGateway(url);
  const env = { INNCTL_IDENTITY_URL: gateway.origin, INNCTL_BASE_URL: gateway.origin, INNCTL_TOKEN: token };

  const { exitCode, stderr } = await cli(line, { env, connect: connectUndici });

  const writes = gateway.passed.filter((method) => method !== 'GET');
  expect({ exitCode, errors: stderr.match(/^(error|warning): /gm), writes: writes.length }).toEqual({
    exitCode: 0,
    errors: null,
    writes: /update|delete/.test(line) ? 1 : 0,
  });
  if (resets !== undefined) expect(gateway.resets()).toBe(resets);
});
