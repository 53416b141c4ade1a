import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { httpServer, rawServer } from '../helpers/servers.ts';

const TOKEN = 'token-of-ana-1234567890';
const SECRET = 'pass/word@42';
const roles: RequestListener = (_, response) =>
  response.setHeader('content-type', 'application/json').end('{"count":0,"items":[]}');

const innctl = (line: string, origin: string, env: Readonly<Record<string, string>>) =>
  cli(line, {
    connect: connectUndici,
    env: { INNCTL_IDENTITY_URL: origin, INNCTL_BASE_URL: origin, INNCTL_TOKEN: TOKEN, ...env },
  });

test.each([
  ['HTTPS_PROXY', `socks5://ana:${SECRET}@127.0.0.1:1080`],
  ['http_proxy', `http://ana:%zz${SECRET}@127.0.0.1:3128`],
  ['HTTPS_PROXY', `\u001b]0;${SECRET}\u0007`],
])('%s=%j is rejected before anything is sent, and not shown', async (name, value) => {
  await using service = await httpServer(roles);

  const plain = await innctl('roles list --debug', service.origin, { [name]: value });
  const json = await innctl('roles list --json', service.origin, { [name]: value });

  expect(plain).toEqual(
    ended(
      2,
      expect.stringMatching(
        new RegExp(
          `^error: ${name} is not the URL of a proxy: .+\\.\nhint: ${name}=http://proxy.example.com:3128\n$`,
        ),
      ),
    ),
  );
  expect({ exitCode: json.exitCode, code: JSON.parse(json.stderr).error.code }).toEqual({
    exitCode: 2,
    code: 'usage',
  });
  expect(plain.stderr + json.stderr).not.toContain(SECRET);
  expect(service.connections).toEqual([]);
});

test('a token for remote plain http goes to a proxy only with --insecure-http', async () => {
  const seen: unknown[] = [];
  await using proxy = await httpServer((request, response) => {
    seen.push([request.url, request.headers.authorization]);
    roles(request, response);
  });
  const origin = 'http://hotel.example.com';

  const refused = await innctl('roles list', origin, { HTTP_PROXY: proxy.origin });
  const seenWhenRefused = [...seen];
  const allowed = await innctl('roles list --insecure-http', origin, { HTTP_PROXY: proxy.origin });

  expect({ exitCode: refused.exitCode, seenWhenRefused }).toEqual({ exitCode: 2, seenWhenRefused: [] });
  expect(allowed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('warning: ') });
  expect(seen).toEqual([[expect.stringContaining(`${origin}/`), `Bearer ${TOKEN}`]]);
});

test.each(['roles list', 'invite create ben@example.com --is-account-admin --yes'])(
  'a proxy for https gets the target of the tunnel, and no byte of the request: %s',
  async (line) => {
    const received: string[] = [];
    await using proxy = await rawServer((socket) => {
      socket.once('data', (chunk) => {
        received.push(chunk.toString('latin1'));
        socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
      });
    });
    const credentials = `ana:${encodeURIComponent(SECRET)}`;

    const { exitCode, stderr } = await innctl(`${line} --debug`, 'https://hotel.example.com', {
      HTTPS_PROXY: `http://${credentials}@127.0.0.1:${proxy.port}`,
    });

    expect(received).toEqual([
      'CONNECT hotel.example.com:443 HTTP/1.1\r\n' +
        'host: hotel.example.com:443\r\n' +
        'connection: close\r\n' +
        `proxy-authorization: Basic ${Buffer.from(`ana:${SECRET}`).toString('base64')}\r\n` +
        'proxy-connection: keep-alive\r\n\r\n',
    ]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'hint: Check HTTPS_PROXY (HTTP_PROXY for http), or go around the proxy with NO_PROXY.\n',
    );
    for (const secret of [TOKEN, SECRET, encodeURIComponent(SECRET)]) expect(stderr).not.toContain(secret);
  },
);

test('the messages of a proxy show neither its password nor the header that carries it', async () => {
  await using proxy = await httpServer(({ headers }, response) => {
    const header = headers['proxy-authorization'] ?? '';
    const plain = Buffer.from(header.replace('Basic ', ''), 'base64').toString();
    response.writeHead(400, { 'content-type': 'text/plain', 'x-seen': header }).end(`${header} is ${plain}`);
  });
  const url = `http://ana:${encodeURIComponent(SECRET)}@127.0.0.1:${proxy.port}`;

  const { exitCode, stderr } = await innctl('roles list --debug', 'http://127.0.0.1:9', { HTTP_PROXY: url });

  expect(exitCode).toBe(1);
  expect(stderr).toContain('Basic [redacted] is ana:[redacted] (400 from 127.0.0.1:9).');
  for (const secret of [SECRET, Buffer.from(`ana:${SECRET}`).toString('base64')]) {
    expect(stderr).not.toContain(secret);
  }
});
