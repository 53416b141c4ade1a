import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { httpServer } from '../helpers/servers.ts';
import { failureOf, frontOf, innctl, secureSandbox, serviceEnv, token } from './asked.ts';
import { createAuthority } from './certificates.ts';
import { type Caller, startSquid } from './squid.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-squid-'));
const authority = createAuthority(folder);
const ana: Caller = { name: 'ana@example.com', password: "p:@%/\\ü 'quoted'" };
const basic = Buffer.from(`${ana.name}:${ana.password}`).toString('base64');

afterAll(() => rmSync(folder, { recursive: true }));

const through = (port: number, caller?: Caller) => {
  const credentials =
    caller === undefined ? '' : `${encodeURIComponent(caller.name)}:${encodeURIComponent(caller.password)}@`;
  const url = `http://${credentials}127.0.0.1:${port}`;
  return { HTTPS_PROXY: url, HTTP_PROXY: url, INNCTL_CA_FILE: authority.file };
};

test('an invitation through a proxy with a password is not visible to the proxy', async () => {
  await using sandbox = await secureSandbox(join(folder, 'carried'), authority);
  await using squid = await startSquid(ana);
  await using front = await frontOf(squid.port);
  const env = serviceEnv(sandbox.origin, { ...through(front.port, ana), INNCTL_TOKEN: sandbox.token });

  const invited = await innctl(
    'invite create --no-check ben@example.com --is-account-admin --yes --debug',
    env,
  );

  expect(invited).toMatchObject({ exitCode: 0, stdout: '' });
  expect(invited.stderr).toContain('Invited ben@example.com.');
  expect(front.received()).toContain(`CONNECT localhost:${sandbox.port} HTTP/1.1\r\n`);
  expect(front.received()).not.toContain(sandbox.token);
  expect(front.received()).not.toContain('ben@example.com');
  for (const secret of [ana.password, encodeURIComponent(ana.password), basic, sandbox.token]) {
    expect(invited.stderr).not.toContain(secret);
  }
});

test.each([
  ['no password', undefined, 'wants a user name and password (407)'],
  [
    'a wrong password',
    { ...ana, password: 'wr0ng-password' },
    'does not accept the user name and password (407)',
  ],
])('with %s nothing reaches the service, and the proxy gets one request', async (_, caller, reason) => {
  await using sandbox = await secureSandbox(join(folder, 'refused'), authority);
  await using squid = await startSquid(ana);
  await using front = await frontOf(squid.port);
  const env = serviceEnv(sandbox.origin, through(front.port, caller));

  const failures = [
    await failureOf('roles list', env, [caller?.password ?? basic]),
    await failureOf('invite create --no-check ben@example.com --is-account-admin --yes', env, [
      caller?.password ?? basic,
    ]),
  ];

  const sentence = `the proxy 127.0.0.1:${front.port} ${reason}: they belong into the proxy's URL.`;
  const refused = { exitCode: 1, code: 'proxy_refused', tries: 1 };
  expect(failures).toEqual([
    { ...refused, message: `Could not list the roles: ${sentence}` },
    { ...refused, message: `Could not create the invitation: ${sentence}` },
  ]);
  expect(front.connections).toHaveLength(2);
  expect(sandbox.connections).toEqual([]);
  expect(front.received()).not.toContain(token);
});

test('the proxy password is not forwarded to the service', async () => {
  const seen: unknown[] = [];
  await using service = await httpServer(({ headers }, response) => {
    seen.push([headers.via, headers['proxy-authorization']]);
    response.setHeader('content-type', 'application/json').end('{"count":0,"items":[]}');
  });
  await using squid = await startSquid(ana);

  const listed = await innctl('roles list --json', serviceEnv(service.origin, through(squid.port, ana)));

  expect({ exitCode: listed.exitCode, count: JSON.parse(listed.stdout).count }).toEqual({
    exitCode: 0,
    count: 0,
  });
  expect(seen).toEqual([[expect.stringContaining('proxy.example.com'), undefined]]);
});
