import { expect, test } from 'vitest';
import { httpServer } from '../helpers/servers.ts';
import { failureOf, serviceEnv } from './asked.ts';
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
