import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openInBrowser } from '../../src/auth/browser.ts';
import { httpServer } from '../helpers/servers.ts';

const URL_TO_OPEN = 'https://identity.example.com/authorize?a=1&b=$(touch%20x)&c=`id`;&d="e"';
const HREF = 'https://identity.example.com/authorize?a=1&b=$(touch%20x)&c=`id`;&d=%22e%22';

/** A browser that reports the arguments it was started with, and its environment. */
async function openBrowserLog() {
  let see = (_: unknown) => {};
  const seen = new Promise<unknown>((resolve) => {
    see = resolve;
  });
  const server = await httpServer(async (request, response) => {
    see(JSON.parse(Buffer.concat(await request.toArray()).toString()));
    response.end();
  });
  const folder = await mkdtemp(join(tmpdir(), 'innctl-browser-'));
  const program = join(folder, 'a browser.mjs');
  await writeFile(
    program,
    `const { INNCTL_TOKEN, INNCTL_CLIENT_SECRET, LANG } = process.env;
     console.log('hello'); console.error('hello');
     await fetch('${server.origin}', { method: 'POST',
       body: JSON.stringify({ words: process.argv.slice(2), INNCTL_TOKEN, INNCTL_CLIENT_SECRET, LANG }) });`,
  );
  await chmod(program, 0o755);
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  return { seen, command: `'${process.execPath}' '${program}'` };
}

const PATH = process.env['PATH'] ?? '';

test.each([
  ['INNCTL_BROWSER', '', [HREF]],
  ['INNCTL_BROWSER', ' --url=%s --last', [`--url=${HREF}`, '--last']],
  ['INNCTL_BROWSER', ' \'%s\' "$LANG"', [HREF, 'de']],
  ['BROWSER', '', [HREF]],
  ['BROWSER', ' %s:chromium:firefox', [HREF]],
])('%s is a command line, and the URL is appended as one argument: %j', async (name, words, expected) => {
  const { seen, command } = await openBrowserLog();
  const env = { PATH, LANG: 'de', [name]: `${command}${words}` };

  expect(await openInBrowser(URL_TO_OPEN, { env, platform: 'linux' })).toBe(true);
  expect(await seen).toEqual({ words: expected, LANG: 'de' });
});

test('INNCTL_BROWSER takes precedence over BROWSER, also over SSH, and the browser gets no secret', async () => {
  const { seen, command } = await openBrowserLog();
  const env = {
    PATH,
    INNCTL_BROWSER: command,
    BROWSER: 'false',
    SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22',
    INNCTL_TOKEN: 'token-of-ana-1234567890',
    INNCTL_CLIENT_SECRET: 'secret-of-the-chain-1234567890',
  };

  expect(await openInBrowser(URL_TO_OPEN, { env, platform: 'linux' })).toBe(true);
  expect(await seen).toEqual({ words: [HREF] });
});

test.each([
  ['INNCTL_BROWSER is none', { INNCTL_BROWSER: 'none', DISPLAY: ':0' }, 'linux'],
  ['there is no display', {}, 'linux'],
  ['the session is remote', { SSH_CONNECTION: '192.0.2.1 50000 192.0.2.2 22', DISPLAY: ':10' }, 'linux'],
  ['the session is remote', { SSH_TTY: '/dev/pts/0' }, 'darwin'],
] as const)('no browser is started when %s: %j', async (_, env, platform) => {
  expect(await openInBrowser(URL_TO_OPEN, { env: { PATH, ...env }, platform })).toBe(false);
});

test.each(['javascript:alert(1)', 'file:///etc/passwd', '--help', ''])(
  'a URL that is not http or https is not opened: %j',
  async (url) => {
    const env = { PATH, INNCTL_BROWSER: 'true' };

    expect(await openInBrowser(url, { env, platform: 'linux' })).toBe(false);
  },
);

test('a browser that fails to start is reported as not opened, without an error', async () => {
  expect(
    await openInBrowser(URL_TO_OPEN, { env: { PATH: '/nowhere', BROWSER: 'true' }, platform: 'linux' }),
  ).toBe(false);
  expect(await openInBrowser(URL_TO_OPEN, { env: { BROWSER: 'a\0b' }, platform: 'linux' })).toBe(false);
  expect(
    await openInBrowser(URL_TO_OPEN, { env: { BROWSER: '/nowhere/at/all.exe' }, platform: 'win32' }),
  ).toBe(false);
});
