import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { failureOf, frontOf, innctl, serviceEnv } from './asked.ts';
import { createAuthority } from './certificates.ts';
import { type NginxServer, startNginx } from './nginx.ts';
import { start } from './started.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-nginx-'));
const authority = createAuthority(folder);
const names = 'DNS:localhost,IP:127.0.0.1';
const good = authority.issue(names);
const below = authority.below();
const leaf = below.issue(names);
const trusting = { INNCTL_CA_FILE: authority.file };
const create = 'invite create --no-check ben@example.com --is-account-admin --yes';
const greeting = ["location / { default_type application/json; return 200 '[]'; }"];

afterAll(() => rmSync(folder, { recursive: true }));

test('a service behind TLS is trusted with INNCTL_CA_FILE, with a complete chain', async () => {
  const sandbox = await startSandbox({ folder: join(folder, 'sandbox'), now: Date.now });
  const chained = { key: leaf.key, cert: `${leaf.cert}${below.cert}` };
  await using nginx = await startNginx({
    certificate: chained,
    server: [`location / { proxy_pass ${sandbox.url}; }`],
  });
  const env = { ...serviceEnv(`https://localhost:${nginx.port}`, trusting), INNCTL_TOKEN: sandbox.token };

  const invited = await innctl(create, env);
  await sandbox.close();

  expect(invited).toEqual({ exitCode: 0, stdout: '', stderr: 'Invited ben@example.com.\n' });
});

test('a missing intermediate certificate is reported, and can be given with --ca-file', async () => {
  await using nginx = await startNginx({ certificate: leaf, server: greeting });
  const origin = `https://localhost:${nginx.port}`;
  const file = join(folder, 'whole.pem');
  writeFileSync(file, `${below.cert}${authority.cert}`);

  const { message } = await failureOf('roles list', serviceEnv(origin, trusting));
  const listed = await innctl(['roles', 'list', '--ca-file', file], serviceEnv(origin));

  expect(message).toContain('or a certificate in between is missing; name either with --ca-file.');
  expect(listed.exitCode).toBe(0);
});

const oldProtocols = ['ssl_protocols TLSv1 TLSv1.1; ssl_ciphers DEFAULT@SECLEVEL=0;'];

const stranger = createAuthority(mkdtempSync(join(folder, 'stranger-')));

test.each<[string, NginxServer, string]>([
  [
    'a certificate of an unknown authority',
    { certificate: stranger.issue(names) },
    'the certificate of HOST is not accepted: its authority is not trusted here, or a certificate in between is missing; name either with --ca-file.',
  ],
  [
    'a certificate for another host',
    { certificate: authority.issue('DNS:hotel.example.com') },
    'the certificate of HOST is not accepted: it was issued for another host.',
  ],
  [
    'an expired certificate',
    { certificate: authority.issue(names, { until: '20210101000000Z' }) },
    'the certificate of HOST is not accepted: it has expired.',
  ],
  [
    'a certificate that is not valid yet',
    { certificate: authority.issue(names, { from: '20980101000000Z' }) },
    'no TLS connection to HOST could be made (CERT_NOT_YET_VALID).',
  ],
  [
    'a self-signed certificate',
    { certificate: stranger.selfSigned },
    'the certificate of HOST is not accepted: its authority is not trusted here, or a certificate in between is missing; name either with --ca-file.',
  ],
  [
    'an outdated TLS version',
    { certificate: good, server: oldProtocols },
    'no TLS connection to HOST could be made (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION).',
  ],
  [
    'a rejected server name',
    { certificate: good, server: ['ssl_reject_handshake on;'] },
    'no TLS connection to HOST could be made (ERR_SSL_TLSV1_UNRECOGNIZED_NAME).',
  ],
  ['plain HTTP', { server: greeting }, 'HOST does not speak TLS on this port.'],
])('%s is one error message after one attempt, and nothing is sent', async (_, server, reason) => {
  await using nginx = await startNginx(server);
  await using front = await frontOf(nginx.port);
  const env = serviceEnv(`https://localhost:${front.port}`, trusting);
  const sentence = reason.replace('HOST', `localhost:${front.port}`);

  expect([await failureOf('roles list', env), await failureOf(create, env)]).toEqual([
    { exitCode: 1, code: 'tls', message: `Could not list the roles: ${sentence}`, tries: 1 },
    { exitCode: 1, code: 'tls', message: `Could not create the invitation: ${sentence}`, tries: 1 },
  ]);
  expect(front.connections).toHaveLength(2);
});

test.each([
  ['a required client certificate', 'https'],
  ['plain HTTP to a TLS port', 'http'],
])('%s: the error page is reported, and there is no retry', async (_, scheme) => {
  await using nginx = await startNginx({
    certificate: good,
    server: [...greeting, `ssl_client_certificate ${authority.file}; ssl_verify_client on;`],
  });
  await using front = await frontOf(nginx.port);

  expect(await failureOf(create, serviceEnv(`${scheme}://127.0.0.1:${front.port}`, trusting))).toEqual({
    exitCode: 1,
    code: 'html_answer',
    message: `Could not create the invitation: a page came instead of an answer (400 from 127.0.0.1:${front.port}).`,
    tries: 1,
  });
  expect(front.connections).toHaveLength(1);
});

test.each([
  ['-tls1_2', 'no TLS connection to HOST could be made \\(ERR_SSL_.*_HANDSHAKE_FAILURE\\).'],
  ['-tls1_3', 'HOST ended the TLS session .ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED.'],
])(
  'a handshake that fails without a client certificate (%s): the write was certainly not sent',
  async (version, reason) => {
    await using server = await start(({ port }) => ({
      files: { 'server.pem': good.cert, 'server.key': good.key },
      command: [
        'openssl',
        ...['s_server', '-accept', `127.0.0.1:${port}`, '-cert', 'server.pem', '-key', 'server.key'],
        ...['-Verify', '1', '-quiet', version],
      ],
    }));
    await using front = await frontOf(server.port);

    expect(await failureOf(create, serviceEnv(`https://localhost:${front.port}`, trusting))).toEqual({
      exitCode: 1,
      code: 'tls',
      message: expect.stringMatching(reason.replace('HOST', `localhost:${front.port}`)),
      tries: 1,
    });
    expect(front.connections).toHaveLength(1);
  },
);
