import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { innctl, type SecureSandbox, secureSandbox, serviceEnv } from './asked.ts';
import { createAuthority } from './certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-doctor-'));
const authority = createAuthority(folder);
let sandbox: SecureSandbox;

beforeAll(async () => {
  sandbox = await secureSandbox(join(folder, 'sandbox'), authority);
}, 120_000);

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

async function runDoctor(environment: Readonly<Record<string, string>> = {}) {
  const env = { ...serviceEnv(sandbox.origin, environment), INNCTL_TOKEN: sandbox.token };
  const { exitCode, stdout, stderr } = await innctl('doctor --json', env);
  const { items }: { items: readonly { check: string; status: string; detail: string; hint?: string }[] } =
    JSON.parse(stdout);
  expect(stderr).toBe('');
  return { exitCode, found: (check: string) => items.find((each) => each.check === check) };
}

test('with an untrusted authority the hint names --ca-file, and no token is sent', async () => {
  const { exitCode, found } = await runDoctor();

  expect({ exitCode, connection: found('connection'), credentials: found('credentials') }).toEqual({
    exitCode: 7,
    connection: expect.objectContaining({
      status: 'fail',
      detail: expect.stringContaining('is not accepted: its authority is not trusted here'),
    }),
    credentials: { check: 'credentials', status: 'skipped', detail: 'the service is not reached' },
  });
});
