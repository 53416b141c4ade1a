import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { Interruption } from '../../src/cli/ports.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { httpServer } from '../helpers/servers.ts';

/** Runs the program against a service that handles the write so, and never answers a read after it. */
async function runAgainst(
  write: RequestListener,
  line: string,
  more: Situation & { readonly onRead?: () => void } = {},
) {
  let isWritten = false;
  await using server = await httpServer((request, response) => {
    if (request.method === 'GET' && !isWritten) return response.end('{"id":"BER","subject_id":"b-2"}');
    if (request.method === 'GET') return more.onRead?.();
    isWritten = true;
    return write(request, response);
  });
  const env = {
    INNCTL_IDENTITY_URL: server.origin,
    INNCTL_BASE_URL: server.origin,
    INNCTL_TOKEN: 'token-of-ana-1234567890',
  };
  return await cli(line, { env, connect: connectUndici, ...more });
}

const dropConnection: RequestListener = ({ socket }) => socket.destroy();
const acceptWrite: RequestListener = (_, response) => response.writeHead(204).end();

const writes = [
  'users update b-2 --enable',
  'properties update BER --patch \'[{"op":"replace","path":"/code","value":"BER1"}]\'',
  'properties delete MUC --confirm MUC',
  'invitations delete ana@example.com --yes',
];

test.concurrent.each(writes)(
  '^C ends the check after a lost response, and the outcome is unknown: %s',
  async (line) => {
    const stop = new AbortController();
    const onRead = () => stop.abort(new Interruption('SIGINT'));

    const result = await runAgainst(dropConnection, `${line} --json`, { signal: stop.signal, onRead });

    expect({ ...result, stderr: JSON.parse(result.stderr) }).toMatchObject(
      ended(130, { error: { code: 'outcome_unknown', hint: expect.stringContaining('innctl') } }),
    );
  },
);

test.concurrent.each(writes)('the check after a lost response respects --timeout: %s', async (line) => {
  let reads = 0;
  const onRead = () => {
    reads += 1;
  };

  const { exitCode } = await runAgainst(dropConnection, `${line} --timeout 1`, { onRead });

  expect({ exitCode, reads }).toEqual({ exitCode: 8, reads: 1 });
});

test.concurrent.each(writes)(
  'a signal ends the read-back, and the write is reported as done: %s',
  async (line) => {
    const stop = new AbortController();
    const onRead = () => stop.abort(new Interruption('SIGTERM'));

    const result = await runAgainst(acceptWrite, `${line} --json`, { signal: stop.signal, onRead });

    expect({ ...result, stderr: JSON.parse(result.stderr) }).toMatchObject(
      ended(143, { error: { code: 'read_back_interrupted' } }),
    );
  },
);

test.concurrent.each(writes)(
  'the read-back respects --timeout, and the write is reported as done: %s',
  async (line) => {
    let reads = 0;
    const onRead = () => {
      reads += 1;
    };

    const { exitCode, stdout } = await runAgainst(acceptWrite, `${line} --timeout 1 --json`, { onRead });

    expect({ exitCode, reads, ...JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      reads: 1,
      verification: 'not_readable',
    });
  },
);
