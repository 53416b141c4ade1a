import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readAuthorities } from '../../src/service/authorities.ts';
import { listen } from '../helpers/servers.ts';
import { failureOf, fetchText, get, openTransport } from '../helpers/wire.ts';
import { createAuthority } from './certificates.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-tls-'));
const authority = createAuthority(folder);
const names = 'DNS:localhost,IP:127.0.0.1';

afterAll(() => rmSync(folder, { recursive: true }));

function tlsServer(options: ServerOptions) {
  return listen(createServer(options, (_request, response) => response.end('{"hotel":"VIE"}')));
}

test('a certificate of a private authority is trusted with --ca-file', async () => {
  const authorities = await readAuthorities({ path: authority.file, source: '--ca-file' }, {});
  await using server = await tlsServer(authority.issue(names));
  await using transport = await openTransport({ authorities });

  const answers = [
    await fetchText(transport, get(`https://127.0.0.1:${server.port}/`)),
    await fetchText(transport, get(`https://localhost:${server.port}/`)),
  ];

  expect(answers.map(({ status, text }) => ({ status, text }))).toEqual([
    { status: 200, text: '{"hotel":"VIE"}' },
    { status: 200, text: '{"hotel":"VIE"}' },
  ]);
});

const authorities = [authority.cert];
const untrusted =
  'its authority is not trusted here, or a certificate in between is missing; name either with --ca-file';

test.each([
  ['of an unknown authority', names, {}, [], untrusted],
  ['that has expired', names, { until: '20210101000000Z' }, authorities, 'it has expired'],
  ['that is not valid yet', names, { from: '20980101000000Z' }, authorities, 'it is not valid yet'],
  ['for another host', 'DNS:hotel.example.com', {}, authorities, 'it was issued for another host'],
])('a certificate %s: tls, and certainly not sent', async (_, altNames, life, trusted, reason) => {
  await using server = await tlsServer(authority.issue(altNames, life));
  await using transport = await openTransport({ authorities: trusted });

  expect(await failureOf(fetchText(transport, get(`https://127.0.0.1:${server.port}/`)))).toEqual({
    kind: 'tls',
    sent: false,
    message: `the certificate of 127.0.0.1:${server.port} is not accepted: ${reason}.`,
  });
});

test('a self-signed certificate: tls, and certainly not sent', async () => {
  const own = createAuthority(mkdtempSync(join(folder, 'own-')));
  await using server = await tlsServer(own.selfSigned);
  await using transport = await openTransport();

  expect(await failureOf(fetchText(transport, get(`https://127.0.0.1:${server.port}/`)))).toEqual({
    kind: 'tls',
    sent: false,
    message: `the certificate of 127.0.0.1:${server.port} is not accepted: it is self-signed; name it with --ca-file to trust it.`,
  });
});

test('a service with only an outdated TLS version: tls, and certainly not sent', async () => {
  const outdated = { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
  await using server = await tlsServer({ ...authority.issue(names), ...outdated });
  await using transport = await openTransport({ authorities });

  expect(await failureOf(fetchText(transport, get(`https://127.0.0.1:${server.port}/`)))).toEqual({
    kind: 'tls',
    sent: false,
    message: `127.0.0.1:${server.port} speaks no TLS version that is still safe (1.2 or newer is needed).`,
  });
});
