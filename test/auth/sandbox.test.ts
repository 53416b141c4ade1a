import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { fetchText, get, openTransport } from '../helpers/wire.ts';
import { chain, neverAborted } from './chain.ts';

test('the sandbox issues a token for its client and accepts it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-auth-'));
  const sandbox = await startSandbox({ folder, requireAuth: true, now: Date.now });
  onTestFinished(async () => {
    await sandbox.close();
    await rm(folder, { recursive: true });
  });
  await using transport = await openTransport();
  const { credentials } = chain(transport, `${sandbox.url}/connect/token`, {
    id: sandbox.clientId,
    secret: sandbox.clientSecret,
  });

  const roles = `${sandbox.url}/api/v1/roles`;
  const without = await fetchText(transport, get(roles));
  const { header } = await credentials.current(neverAborted());
  const withToken = await fetchText(transport, get(roles, { headers: { authorization: header } }));

  expect([without.status, withToken.status]).toEqual([401, 200]);
});
