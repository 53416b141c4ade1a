import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { ACCESS, begin, CODE, tokens } from './going.ts';
import { browse, loginServer } from './login-world.ts';
import { issue } from './token-server.ts';

test('the login times out after five minutes, and the port is closed', async () => {
  await using server = await tokens();
  const login = await begin({ ...server, sleep: () => {} });

  expect(await login.end).toMatchObject({
    code: 'login_timeout',
    exitCode: 4,
    message: 'The login was not finished within 5 minutes.',
    hint: 'Log in again.',
  });
  expect(login.world.slept).toEqual([300_000]);
  await expect(login.back({ code: CODE })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('an interruption ends the login, and closes every connection', async () => {
  const stop = new AbortController();
  const reason = new Error('interrupted');
  await using server = await tokens();
  const login = await begin({ ...server, signal: stop.signal });
  const silent = connect(Number(new URL(login.redirectUri).port), '127.0.0.1');
  const half = connect(Number(new URL(login.redirectUri).port), '127.0.0.1');
  half.write('GET /callback HTTP/1.1\r\n');
  const closed = Promise.all(
    [silent, half].map(
      (socket) => new Promise((resolve) => socket.on('error', () => {}).once('close', resolve)),
    ),
  );
  // Responses are in order: they come after these requests.
  await browse(login.redirectUri);
  stop.abort(reason);

  expect(await login.end).toBe(reason);
  await closed;
  await expect(login.back({ code: CODE })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('an interruption cancels an exchange in progress, and the browser gets no page', async () => {
  const stop = new AbortController();
  const reason = new Error('interrupted');
  await using server = await loginServer({
    '/token': () => {
      stop.abort(reason);
      return undefined;
    },
  });
  const login = await begin({ ...server, signal: stop.signal });
  const back = login.back({ code: CODE }).catch((cause: unknown) => cause);

  expect(await login.end).toBe(reason);
  expect(await back).toMatchObject({ code: 'ECONNRESET' });
});

test('a browser that disconnects does not fail a successful login', async () => {
  const gone: (() => void)[] = [];
  const left = new Promise<void>((resolve) => {
    gone.push(resolve);
  });
  await using server = await loginServer({
    '/token': async () => {
      socket?.destroy();
      await left;
      return issue(ACCESS);
    },
  });
  const login = await begin(server);
  const { port } = new URL(login.redirectUri);
  const socket = connect(Number(port), '127.0.0.1');
  socket.once('close', () => gone[0]?.());
  socket.write(`GET /callback?state=${login.state}&code=${CODE} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);

  expect(await login.end).toMatchObject({ accessToken: ACCESS });
});
