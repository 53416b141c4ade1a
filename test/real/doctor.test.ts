import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { innctl, type SecureSandbox, secureSandbox, serviceEnv } from './asked.ts';
import { createAuthority } from './certificates.ts';
import { type Mitmproxy, startMitmproxy } from './mitmproxy.ts';
import { startNginx } from './nginx.ts';
import { startTinyproxy } from './tinyproxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-doctor-'));
const authority = createAuthority(folder);
const names = 'DNS:localhost,IP:127.0.0.1';
const password = 's3cret-of-the-proxy';
let sandbox: SecureSandbox;

beforeAll(async () => {
  sandbox = await secureSandbox(join(folder, 'sandbox'), authority);
}, 120_000);

afterAll(async () => {
  await sandbox[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const trusting = { INNCTL_CA_FILE: authority.file };
const env = (more: Readonly<Record<string, string>> = {}) => ({
  ...serviceEnv(sandbox.origin, more),
  INNCTL_TOKEN: sandbox.token,
});

async function runDoctor(line: string, environment: Readonly<Record<string, string>>) {
  const { exitCode, stdout, stderr } = await innctl(`doctor --json ${line}`, environment);
  const { items }: { items: readonly { check: string; status: string; detail: string; hint?: string }[] } =
    JSON.parse(stdout);
  expect(stderr).toBe('');
  return { exitCode, stdout, found: (check: string) => items.find((each) => each.check === check) };
}

test('a service behind TLS with a trusted authority passes all checks', async () => {
  const { exitCode, found } = await runDoctor('', env(trusting));

  expect({
    exitCode,
    host: found('inventory host'),
    authorities: found('certificate authorities')?.detail,
    certificates: found('certificates'),
    token: found('token')?.status,
  }).toEqual({
    exitCode: 0,
    host: {
      check: 'inventory host',
      status: 'ok',
      detail: expect.stringMatching(/^localhost:\d+ answered with \d+ in \d+ ms$/),
    },
    authorities: expect.stringContaining('certificates: 1, expired: 0'),
    certificates: expect.objectContaining({
      status: 'ok',
      detail: expect.stringMatching(/^localhost:\d+: \d{5} days left$/),
    }),
    token: 'ok',
  });
});

test('with an untrusted authority the hint names --ca-file, and no token is sent', async () => {
  const { exitCode, found } = await runDoctor('', env());

  expect({ exitCode, host: found('identity host'), token: found('token') }).toEqual({
    exitCode: 7,
    host: expect.objectContaining({
      status: 'fail',
      detail: expect.stringContaining('is not accepted: its authority is not trusted here'),
      hint: 'Trust the authority of its certificate: --ca-file <path>',
    }),
    token: { check: 'token', status: 'skipped', detail: 'the inventory host is not reached' },
  });
});

test('a certificate that expires soon is reported', async () => {
  const until = `${new Date(Date.now() + 5.5 * 86_400_000).toISOString().replaceAll(/\D/g, '').slice(0, 14)}Z`;
  await using nginx = await startNginx({
    certificate: authority.issue(names, { until }),
    server: ['location / { default_type application/json; return 200 \'{"items":[]}\'; }'],
  });
  const origin = `https://localhost:${nginx.port}`;

  const { found } = await runDoctor('', { ...env(trusting), ...serviceEnv(origin) });

  expect(found('certificates')).toEqual({
    check: 'certificates',
    status: 'warn',
    detail: `localhost:${nginx.port}: 5 days left`,
    hint: 'Tell the operator of the host',
  });
});

test('a proxy with a password is reported without the password, and passes', async () => {
  await using proxy = await startTinyproxy(`BasicAuth ana ${password}`);
  const HTTPS_PROXY = `http://ana:${password}@127.0.0.1:${proxy.port}`;

  const { exitCode, stdout, found } = await runDoctor('', env({ ...trusting, HTTPS_PROXY }));

  expect({ exitCode, proxy: found('proxy')?.detail }).toEqual({
    exitCode: 0,
    proxy: `localhost:${sandbox.port} through http://127.0.0.1:${proxy.port} with a user name and password`,
  });
  expect(stdout).not.toContain(password);
});

test('a proxy that rejects the password is reported as the failure', async () => {
  await using proxy = await startTinyproxy(`BasicAuth ana ${password}`);
  const HTTPS_PROXY = `http://ana:wrong-of-the-proxy@127.0.0.1:${proxy.port}`;

  const { exitCode, stdout, found } = await runDoctor('', env({ ...trusting, HTTPS_PROXY }));

  expect({ exitCode, detail: found('inventory host')?.detail }).toEqual({
    exitCode: 7,
    detail: expect.stringContaining(
      `the proxy 127.0.0.1:${proxy.port} does not accept the user name and password`,
    ),
  });
  expect(stdout).not.toContain('wrong-of-the-proxy');
});

test('an intercepting proxy is detected, and trusted with --ca-file', async () => {
  const proxy: Mitmproxy = await startMitmproxy(authority.file);
  await using _ = proxy;
  const through = env({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });

  const [wrong, right] = [
    await runDoctor('', { ...through, ...trusting }),
    await runDoctor(`--ca-file ${proxy.authority}`, through),
  ];

  expect([wrong.exitCode, wrong.found('inventory host')?.hint, right.exitCode]).toEqual([
    7,
    'Trust the authority of its certificate: --ca-file <path>',
    0,
  ]);
});

test('a skewed clock is detected with the Date header of the service', async () => {
  await setup();
  await using home = await openHome();
  const LD_PRELOAD = execFileSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], {
    encoding: 'utf8',
  }).trim();
  const environment = { ...env(trusting), LD_PRELOAD };

  const [ahead, near] = [
    await home.innctl(['doctor', '--json'], { ...environment, FAKETIME: '+2h' }),
    await home.innctl(['doctor', '--query', "items[?check=='clock'].status | [0]"], {
      ...environment,
      FAKETIME: '+60s',
    }),
  ];

  const { items } = JSON.parse(ahead.stdout);
  expect(items.find(({ check }: { readonly check: string }) => check === 'clock')).toEqual({
    check: 'clock',
    status: 'fail',
    detail: expect.stringMatching(/^this clock is 7(19\d|20\d) s ahead of a host$/),
    hint: 'Set this clock: tokens expire by the time of the service',
  });
  expect([ahead.exitCode, near]).toEqual([1, { exitCode: 0, stdout: '"warn"\n', stderr: '' }]);
});
