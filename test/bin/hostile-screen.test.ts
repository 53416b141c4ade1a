import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { expect, test } from 'vitest';
import { attacks, hostile, hostileRecord, obeyedIn, typed } from '../commands/hostile-names.ts';
import { httpServer } from '../helpers/servers.ts';
import { keys } from '../helpers/terminal.ts';
import { binary, type Home, openHome } from './home.ts';

/** A service whose names and values contain control characters. */
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

/** A terminal that several commands use one after the other, and the control sequences that it executed. */
function openSharedTerminal(home: Home, env: Home['env']) {
  const terminal = new xterm.Terminal({ cols: 100, rows: 40, allowProposedApi: true });
  const effects: string[] = [];
  terminal.onTitleChange((title) => effects.push(`title ${title}`));
  terminal.onBell(() => effects.push('bell'));
  terminal.onData((answer) => effects.push(`answered ${JSON.stringify(answer)}`));
  for (const osc of [0, 1, 2, 4, 8, 10, 52, 104, 1337]) {
    terminal.parser.registerOscHandler(osc, () => effects.push(`OSC ${osc}`) > 0);
  }
  return {
    /** Runs innctl until it exits. @returns its output. */
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
    /** The state of the terminal after it processed all output. */
    async state() {
      await new Promise<void>((resolve) => terminal.write('', resolve));
      const { modes, buffer } = terminal;
      return { effects: [...effects], modes, screen: buffer.active.type };
    },
  };
}

test('control characters from a service, a file or the command line do not change the terminal', async () => {
  await using home = await openHome();
  await using server = await hostileServer();
  const env = {
    INNCTL_IDENTITY_URL: server.origin,
    INNCTL_BASE_URL: server.origin,
    INNCTL_TOKEN: 'token-of-ana-1234567890',
  };
  const terminal = openSharedTerminal(home, env);
  const before = await terminal.state();

  const written = [
    await terminal.runs(['properties', 'list', '--debug']),
    await terminal.runs(['properties', 'get', 'BER']),
    await terminal.runs(['roles', 'list', '-o', 'cards']),
    await terminal.runs(['users', 'list', '-o', 'csv']),
    await terminal.runs(['users', 'me']),
    await terminal.runs(['api', 'GET', '/api/v1/roles', '-i']),
    await terminal.runs(['export', '--kind', 'property', '-o', 'csv']),
    await terminal.runs(['plan', `/home/ana/${typed}`]),
    await terminal.runs([typed]),
  ];

  expect(await terminal.state()).toEqual(before);
  expect(written.map((text) => text.length > 50)).toEqual(written.map(() => true));
  expect(written.map((text) => obeyedIn(text.replaceAll('\r\n', '\n'), true))).toEqual(written.map(() => []));
});

test('prompts with hostile choices do not change the terminal', async () => {
  await using home = await openHome();
  await using server = await hostileServer();
  const env = {
    INNCTL_IDENTITY_URL: server.origin,
    INNCTL_BASE_URL: server.origin,
    INNCTL_TOKEN: 'token-of-ana-1234567890',
  };
  const terminal = openSharedTerminal(home, env);
  const before = await terminal.state();

  const drawn = await terminal.runs(['properties', 'update', 'BER'], {
    '0 chosen': `${keys.down}${keys.tab}${keys.ctrlC}`,
  });
  const plain = await terminal.runs(
    ['properties', 'update', 'BER'],
    { 'or 0 for none': keys.ctrlC },
    { TERM: 'dumb' },
  );

  expect(await terminal.state()).toEqual(before);
  expect([drawn, plain].map((text) => text.includes(']0;owned'))).toEqual([true, true]);
  expect(obeyedIn(plain.replaceAll('\r\n', '\n'))).toEqual([]);
});

test('the terminal of this test executes control sequences', async () => {
  const terminal = new xterm.Terminal({ allowProposedApi: true });
  const titles: string[] = [];
  terminal.onTitleChange((title) => titles.push(title));

  await new Promise<void>((resolve) => terminal.write(attacks['a title'], resolve));

  expect(titles).toContain('owned');
});
