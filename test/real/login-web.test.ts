import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { closedPort, httpServer } from '../helpers/servers.ts';
import { agree, openChromium } from './chromium.ts';
import { clients, type Identity, startIdentity } from './identity.ts';
import { PAGE, startLogin } from './login.ts';

let browser: Browser;
let identity: Identity;

beforeAll(async () => {
  setup();
  [browser, identity] = await Promise.all([openChromium(), startIdentity()]);
});

afterAll(() => Promise.all([browser.close(), identity[Symbol.asyncDispose]()]));

/** A browser without a session. */
const openPage = async () => (await browser.newContext()).newPage();

const lastExchange = () => identity.log().findLast(({ grant }) => grant === 'authorization_code');

async function secretOf(home: Home, client: { readonly secret: string }) {
  const file = join(home.folder, 'token.txt');
  await writeFile(file, client.secret);
  return ['--client-secret-file', file];
}

test.each([clients.native, clients.basic, clients.post])(
  'after a login with $id in Chromium the service accepts the token',
  async (client) => {
    await using home = await openHome();
    const secret = 'secret' in client ? await secretOf(home, client) : [];
    const login = startLogin(home, identity, ['--web', ...secret], { client });
    const page = await openPage();
    await page.goto(await login.waitFor(PAGE));
    await agree(page);
    await page.getByRole('heading', { name: 'You are logged in' }).waitFor();

    expect(await page.getByText('Ana Alves (ana@example.com)').count()).toBe(1);
    expect(await login.ended).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('Logged in as Ana'),
    });
    expect(lastExchange()).toMatchObject({ client: client.id, status: 200 });
    const me = await home.innctl(['users', 'me', '--profile', 'chain', '--json']);
    expect(me).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"email"') });
  },
);

test('the final page loads nothing, runs no script, and is served only until the program ends', async () => {
  await using home = await openHome();
  const login = startLogin(home, identity, ['--web']);
  const page = await openPage();
  const complaints: string[] = [];
  const loaded: string[] = [];
  page.on('console', (message) => {
    if (message.location().url.includes('/callback?')) complaints.push(message.text());
  });
  await page.goto(await login.waitFor(PAGE));
  await agree(page);
  page.on('request', (request) => loaded.push(request.url()));
  await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
  await login.ended;

  expect(complaints).toEqual([]);
  expect(loaded.filter((url) => !url.includes('/callback?'))).toEqual([]);
  // The content security policy allows its style.
  expect(await page.evaluate('getComputedStyle(document.body).maxWidth')).toBe('512px');
  await expect(page.reload()).rejects.toThrow('ERR_CONNECTION_REFUSED');
});

/** A fake browser command that reports the URL it opens. */
async function openDesktop() {
  let open = (_: string) => {};
  const opened = new Promise<string>((resolve) => {
    open = resolve;
  });
  const server = await httpServer(async (request) => open(Buffer.concat(await request.toArray()).toString()));
  const send = `console.log('noise'); console.error('noise');
    fetch('${server.origin}', { method: 'POST', body: process.argv[1] }).catch(() => {});`;
  return { ...server, opened, command: `'${process.execPath}' -e "${send}"` };
}

test.each(['a variable', 'the desktop'])(
  'the browser of %s opens the page, and the program does not wait for it',
  async (who) => {
    await using home = await openHome();
    await using desktop = await openDesktop();
    const port = await closedPort();
    const bin = join(home.folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\nexec ${desktop.command} "$1"\n`, { mode: 0o755 });
    const env =
      who === 'a variable'
        ? { INNCTL_BROWSER: desktop.command }
        : { DISPLAY: ':99', PATH: `${bin}:${home.env['PATH']}` };
    const login = startLogin(home, identity, ['--web', '--redirect-port', String(port)], { env });
    const page = await openPage();
    const url = await desktop.opened;
    await page.goto(url);
    await agree(page);
    await page.getByRole('heading', { name: 'You are logged in' }).waitFor();

    expect(new URL(url).searchParams.get('redirect_uri')).toBe(`http://127.0.0.1:${port}/callback`);
    const { exitCode, stderr } = await login.ended;
    expect(exitCode).toBe(0);
    expect(stderr).toContain('A page to log in opens in your browser.');
    expect(stderr).not.toContain('noise');
  },
);
