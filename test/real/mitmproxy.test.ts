import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { failureOf, frontOf, innctl, type SecureSandbox, secureSandbox, serviceEnv } from './asked.ts';
import { createAuthority } from './certificates.ts';
import { type Mitmproxy, startMitmproxy } from './mitmproxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-mitm-'));
const authority = createAuthority(folder);
let sandbox: SecureSandbox;
let proxy: Mitmproxy;

beforeAll(async () => {
  sandbox = await secureSandbox(join(folder, 'sandbox'), authority);
  proxy = await startMitmproxy(authority.file);
}, 120_000);

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await sandbox[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const through = (port: number) => ({
  ...serviceEnv(sandbox.origin, { HTTPS_PROXY: `http://127.0.0.1:${port}` }),
  INNCTL_TOKEN: sandbox.token,
});

const BER = expect.stringContaining('BER');

test.each([
  ['nothing', () => ({})],
  ['only the authority of the service', () => ({ INNCTL_CA_FILE: authority.file })],
])('an intercepting proxy is rejected with %s trusted, before anything is sent', async (_, trusted) => {
  await using front = await frontOf(proxy.port);

  expect(
    await failureOf('properties list', { ...through(front.port), ...trusted() }, [sandbox.token]),
  ).toEqual({
    exitCode: 1,
    code: 'tls',
    message: `Could not list the properties: the certificate of localhost:${sandbox.port} is not accepted: its authority is not trusted here, or a certificate in between is missing; name either with --ca-file.`,
    tries: 1,
  });
  expect(front.connections).toHaveLength(1);
});

test('an intercepting proxy is trusted with INNCTL_CA_FILE, in addition to other authorities', async () => {
  const both = join(folder, 'both.pem');
  writeFileSync(both, `${authority.cert}${readFileSync(proxy.authority, 'utf8')}`);
  const direct = { ...serviceEnv(sandbox.origin), INNCTL_TOKEN: sandbox.token };

  expect([
    await innctl('properties list', { ...through(proxy.port), INNCTL_CA_FILE: both }),
    await innctl('properties list', { ...direct, INNCTL_CA_FILE: both }),
  ]).toEqual([
    { exitCode: 0, stdout: BER, stderr: '' },
    { exitCode: 0, stdout: BER, stderr: '' },
  ]);
});

test('an intercepting proxy is trusted with NODE_EXTRA_CA_CERTS, also together with --ca-file, and with ca_file', async () => {
  await setup();
  await using home = await openHome();
  const env = through(proxy.port);
  const extra = { ...env, NODE_EXTRA_CA_CERTS: proxy.authority };
  const list = ['properties', 'list'];

  expect([
    await home.innctl([...list, '--ca-file', authority.file], env),
    await home.innctl(list, extra),
    await home.innctl([...list, '--ca-file', authority.file], extra),
    await home.innctl(['config', 'set', 'ca_file', proxy.authority]),
    await home.innctl(list, env),
  ]).toEqual([
    { exitCode: 1, stdout: '', stderr: expect.stringContaining('its authority is not trusted here') },
    { exitCode: 0, stdout: BER, stderr: '' },
    { exitCode: 0, stdout: BER, stderr: '' },
    expect.objectContaining({ exitCode: 0 }),
    { exitCode: 0, stdout: BER, stderr: '' },
  ]);
});
