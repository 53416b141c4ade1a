import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { httpServer, listen } from '../helpers/servers.ts';
import { failureAt, fetchText, get, openTransport } from '../helpers/wire.ts';
import { createAuthority } from './certificates.ts';
import { startTinyproxy } from './tinyproxy.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-proxy-'));
const authority = createAuthority(folder);
const authorities = [authority.cert];
const password = 'BasicAuth ana s3cret';

afterAll(() => rmSync(folder, { recursive: true }));

function tlsServer() {
  const options = authority.issue('DNS:localhost,IP:127.0.0.1');
  return listen(createServer(options, (_request, response) => response.end('{"hotel":"VIE"}')));
}

test.each(['http', 'https'])(
  'with a wrong password for %s: proxy-refused, and certainly not sent',
  async (scheme) => {
    await using proxy = await startTinyproxy(password);
    const url = `http://ana:wr0ng@127.0.0.1:${proxy.port}`;

    expect(await failureAt(`${scheme}://localhost:9/`, { proxies: { http: url, https: url } })).toEqual({
      kind: 'proxy-refused',
      sent: false,
      message: `the proxy 127.0.0.1:${proxy.port} does not accept the user name and password (401): they belong into the proxy's URL.`,
    });
  },
);

test('http and https work through a proxy over TLS', async () => {
  const options = authority.issue('IP:127.0.0.1');
  const seen: string[] = [];
  await using secure = await tlsServer();
  await using proxy = await listen(
    createServer(options, (request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.end('{}');
    }).on('connect', (request, client) => {
      seen.push(`${request.method} ${request.url}`);
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      const service = connect(secure.port, '127.0.0.1');
      client.on('error', () => {});
      client.pipe(service).pipe(client);
    }),
  );
  const url = `https://127.0.0.1:${proxy.port}`;
  await using transport = await openTransport({ proxies: { http: url, https: url }, authorities });

  const relayed = await fetchText(transport, get('http://hotel.invalid/api/v1/roles'));
  const tunnelled = await fetchText(transport, get(`https://localhost:${secure.port}/`));

  expect([relayed.text, tunnelled.text]).toEqual(['{}', '{"hotel":"VIE"}']);
  expect(seen).toEqual(['GET http://hotel.invalid/api/v1/roles', `CONNECT localhost:${secure.port}`]);
});

test.each([
  [
    'has an untrusted certificate',
    () => listen(createServer(authority.issue('IP:127.0.0.1'), () => {})),
    'the certificate of the proxy HOST is not accepted: its authority is not trusted here, or a certificate in between is missing; name either with --ca-file.',
  ],
  ['does not speak TLS', () => httpServer(() => {}), 'the proxy HOST does not speak TLS on this port.'],
])('a proxy with an https URL that %s: proxy-refused, and certainly not sent', async (_, serve, message) => {
  await using proxy = await serve();
  const url = `https://ana:s3cret@127.0.0.1:${proxy.port}`;
  const options = { proxies: { http: url, https: url } };

  const failures = [
    await failureAt('http://hotel.invalid/', options),
    await failureAt('https://hotel.invalid/', options),
  ];

  const refused = {
    kind: 'proxy-refused',
    sent: false,
    message: message.replace('HOST', `127.0.0.1:${proxy.port}`),
  };
  expect(failures).toEqual([refused, refused]);
});
