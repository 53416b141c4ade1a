import { expect, test } from 'vitest';
import { httpServer } from '../helpers/servers.ts';
import { failureOf, innctl, serviceEnv } from './asked.ts';
import { type NginxServer, startNginx } from './nginx.ts';

const create = 'invite create --no-check ben@example.com --is-account-admin --yes';

const everywhere = (line: string): NginxServer => ({ server: [`location / { ${line} }`] });

const page = (status: number) => `a page came instead of an answer (${status} from HOST).`;

/** How a command fails behind a gateway, whose address is HOST in the message. */
async function failureBehind(server: NginxServer, line = 'roles list') {
  await using nginx = await startNginx(server);
  const host = `127.0.0.1:${nginx.port}`;
  const failure = await failureOf(line, serviceEnv(`http://${host}`));
  return { ...failure, message: failure.message.replace(host, 'HOST') };
}

test.each<[string, NginxServer, number, string, string, number]>([
  ['a 502 page', everywhere('return 502;'), 7, 'unavailable', page(502), 5],
  [
    'basic authentication',
    everywhere('auth_basic hotels; auth_basic_user_file users;'),
    4,
    'not_logged_in',
    page(401),
    1,
  ],
  ['a 403 page', everywhere('deny all;'), 5, 'html_answer', page(403), 1],
  ['a 404 page', everywhere('return 404;'), 3, 'html_answer', page(404), 1],
  ['a 414 page', everywhere('return 414;'), 1, 'html_answer', page(414), 1],
  [
    'a 431 response',
    everywhere('return 431;'),
    1,
    'refused',
    'the answer gives no reason (431 from HOST).',
    1,
  ],
  [
    'a closed connection',
    everywhere('return 444;'),
    7,
    'reset',
    'HOST closed the connection without an answer.',
    5,
  ],
  [
    'only HTTP/2',
    { ...everywhere('return 200 x;'), listen: 'http2' },
    1,
    'malformed',
    'HOST answered with something that is not HTTP/1.1.',
    5,
  ],
])('a gateway with %s: one error message', async (_, server, exitCode, code, reason, tries) => {
  expect(await failureBehind({ ...server, files: { users: 'ana:x\n' } })).toEqual({
    exitCode,
    code,
    message: `Could not list the roles: ${reason}`,
    tries,
  });
});

test.each([
  [503, 'unavailable'],
  [429, 'rate_limited'],
])('a rate limit of the gateway with %d is retried', async (status, code) => {
  await using service = await httpServer((_, response) => {
    response.setHeader('content-type', 'application/json').end('{"count":0,"items":[]}');
  });
  await using nginx = await startNginx({
    http: ['limit_req_zone $server_port zone=hotels:1m rate=1r/m;'],
    server: [
      `limit_req zone=hotels; limit_req_status ${status};`,
      `location / { proxy_pass ${service.origin}; }`,
    ],
  });
  const host = `127.0.0.1:${nginx.port}`;
  const env = serviceEnv(`http://${host}`);

  const first = await innctl('roles list', env);

  expect(first.exitCode).toBe(0);
  expect(await failureOf('roles list', env)).toEqual({
    exitCode: 7,
    code,
    message: `Could not list the roles: ${page(status).replace('HOST', host)}`,
    tries: 5,
  });
});

test('a body too large for the gateway is not retried, and was certainly not executed', async () => {
  await using service = await httpServer((_, response) => response.end('{}'));
  const narrow = { server: ['client_max_body_size 20;', `location / { proxy_pass ${service.origin}; }`] };

  expect(await failureBehind(narrow, create)).toEqual({
    exitCode: 1,
    code: 'html_answer',
    message: `Could not create the invitation: ${page(413)}`,
    tries: 1,
  });
  expect(service.connections).toEqual([]);
});

test('headers too large for the gateway are not retried, and the token is not printed', async () => {
  await using nginx = await startNginx({
    server: [
      'client_header_buffer_size 64; large_client_header_buffers 2 512;',
      'location / { return 200 x; }',
    ],
  });
  const host = `127.0.0.1:${nginx.port}`;
  const long = 'token-of-ana-'.repeat(60);

  expect(await failureOf('roles list', serviceEnv(`http://${host}`, { INNCTL_TOKEN: long }), [long])).toEqual(
    {
      exitCode: 1,
      code: 'html_answer',
      message: `Could not list the roles: ${page(400).replace('HOST', host)}`,
      tries: 1,
    },
  );
});

test('a redirect of the gateway is not followed', async () => {
  await using elsewhere = await httpServer((_, response) => response.end('{}'));

  expect(await failureBehind(everywhere(`return 307 ${elsewhere.origin}$request_uri;`), create)).toEqual({
    exitCode: 1,
    code: 'redirected',
    message: `Could not create the invitation: http://HOST redirects to ${elsewhere.origin} (307), and redirects are not followed.`,
    tries: 1,
  });
  expect(elsewhere.connections).toEqual([]);
});

test('a token that the gateway echoes in its error is masked', async () => {
  const { message } = await failureBehind(
    everywhere('default_type text/plain; return 400 "not with $http_authorization";'),
  );

  expect(message).toBe('Could not list the roles: not with Bearer [redacted] (400 from HOST).');
});
