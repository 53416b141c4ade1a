import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { expect, test } from 'vitest';
import { attacks, hostile, hostileRecord, obeyedIn, typed } from '../commands/hostile-names.ts';
import { httpServer } from '../helpers/servers.ts';
import { keys } from '../helpers/terminal.ts';
import { binary, type Home, openHome } from './home.ts';

/** A service that names everything as nobody should. */
const hostileServer = () =>
  httpServer((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const [, asked] = /\/(?:properties|identity\/users)\/([^/]+)$/.exec(path) ?? [];
    const isOne = asked !== undefined || path.endsWith('/me');
    const items = [hostileRecord(), hostileRecord({ id: 'BER', code: 'BER' })];
    const list = { count: 2, items };
    const refusal = { messages: [hostile], error: { code: hostile, message: hostile } };
    const body = path.endsWith('/me')
      ? refusal
      : isOne
        ? hostileRecord({ id: asked, subject_id: asked })
        : list;
    response.writeHead(path.endsWith('/me') ? 422 : 200, {
      'content-type': 'application/json',
      'x-request-id': '\u009b2J\u009d0;owned\u009c',
    });
    response.end(JSON.stringify(body));
  });

/** A terminal that several commands use one after the other, and what became of it. */
function openDesk(home: Home, env: Home['env']) {
  const terminal = new xterm.Terminal({ cols: 100, rows: 40, allowProposedApi: true });
  const misled: string[] = [];
  terminal.onTitleChange((title) => misled.push(`title ${title}`));
  terminal.onBell(() => misled.push('bell'));
  terminal.onData((answer) => misled.push(`answered ${JSON.stringify(answer)}`));
  for (const osc of [0, 1, 2, 4, 8, 10, 52, 104, 1337]) {
    terminal.parser.registerOscHandler(osc, () => misled.push(`OSC ${osc}`) > 0);
  }
  return {
    /** Runs innctl to its end. @returns all that it wrote. */
    async runs(
      args: readonly string[],
      typing: Readonly<Record<string, string>> = {},
      more: Home['env'] = {},
    ) {
      const left = Object.entries(typing);
      let written = '';
      const size = { cols: 100, rows: 40, cwd: home.folder };
      const child = spawn(process.execPath, [binary, ...args], {
        ...size,
        env: { TERM: 'xterm-256color', ...home.env, ...env, ...more },
      });
      child.onData((text) => {
        written += text;
        terminal.write(text);
        const [next] = left;
        if (next === undefined || !written.includes(next[0])) return;
        left.shift();
        child.write(next[1]);
      });
      await new Promise((resolve) => child.onExit(resolve));
      return written;
    },
    /** How the terminal is left, once it has obeyed all that was written. */
    async state() {
      await new Promise<void>((resolve) => terminal.write('', resolve));
      const { modes, buffer } = terminal;
      return { misled: [...misled], modes, screen: buffer.active.type };
    },
  };
}

test('whatever a service, a file or a person names so, the terminal is left as it was', async () => {
  await using home = await openHome();
  await using server = await hostileServer();
  const env = {
    INNCTL_IDENTITY_URL: server.origin,
    INNCTL_BASE_URL: server.origin,
    INNCTL_TOKEN: 'token-of-ana-1234567890',
  };
  const desk = openDesk(home, env);
  const before = await desk.state();

  const written = [
    await desk.runs(['properties', 'list', '--debug']),
    await desk.runs(['properties', 'get', 'BER']),
    await desk.runs(['roles', 'list', '-o', 'cards']),
    await desk.runs(['users', 'list', '-o', 'csv']),
    await desk.runs(['users', 'me']),
    await desk.runs(['api', 'GET', '/api/v1/roles', '-i']),
    await desk.runs(['export', '--kind', 'property', '-o', 'csv']),
    await desk.runs(['plan', `/home/ana/${typed}`]),
    await desk.runs([typed]),
  ];

  expect(await desk.state()).toEqual(before);
  expect(written.map((text) => text.length > 50)).toEqual(written.map(() => true));
  expect(written.map((text) => obeyedIn(text.replaceAll('\r\n', '\n'), true))).toEqual(written.map(() => []));
});

test('questions with hostile choices leave the terminal as it was', async () => {
  await using home = await openHome();
  await using server = await hostileServer();
  const env = {
    INNCTL_IDENTITY_URL: server.origin,
    INNCTL_BASE_URL: server.origin,
    INNCTL_TOKEN: 'token-of-ana-1234567890',
  };
  const desk = openDesk(home, env);
  const before = await desk.state();

  const drawn = await desk.runs(['properties', 'update', 'BER'], {
    '0 chosen': `${keys.down}${keys.tab}${keys.ctrlC}`,
  });
  const plain = await desk.runs(
    ['properties', 'update', 'BER'],
    { 'Enter ends': keys.ctrlC },
    { TERM: 'dumb' },
  );

  expect(await desk.state()).toEqual(before);
  expect([drawn, plain].map((text) => text.includes(']0;owned'))).toEqual([true, true]);
  expect(obeyedIn(plain.replaceAll('\r\n', '\n'))).toEqual([]);
});

test('the terminal of this test does obey', async () => {
  const desk = new xterm.Terminal({ allowProposedApi: true });
  const titles: string[] = [];
  desk.onTitleChange((title) => titles.push(title));

  await new Promise<void>((resolve) => desk.write(attacks['a title'], resolve));

  expect(titles).toContain('owned');
});
