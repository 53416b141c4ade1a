import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
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

/** A browser in which nobody is logged in yet. */
const openPage = async () => (await browser.newContext()).newPage();

const lastExchange = () => identity.log().findLast(({ grant }) => grant === 'authorization_code');

async function secretOf(home: Home, client: { readonly secret: string }) {
  const file = join(home.folder, 'token.txt');
  await writeFile(file, client.secret);
  return ['--client-secret-file', file];
}

test.each([clients.native, clients.basic, clients.post])(
  'somebody logs in with $id in Chromium, and is let in by the service',
  async (client) => {
    await using home = await openHome();
    const secret = 'secret' in client ? await secretOf(home, client) : [];
    const login = startLogin(home, identity, ['--web', ...secret], { client });
    const page = await openPage();
    await page.goto(await login.said(PAGE));
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

test('the page at the end loads nothing, runs nothing, and is gone with the program', async () => {
  await using home = await openHome();
  const login = startLogin(home, identity, ['--web']);
  const page = await openPage();
  const complaints: string[] = [];
  const loaded: string[] = [];
  page.on('console', (message) => {
    if (message.location().url.includes('/callback?')) complaints.push(message.text());
  });
  await page.goto(await login.said(PAGE));
  await agree(page);
  page.on('request', (request) => loaded.push(request.url()));
  await page.getByRole('heading', { name: 'You are logged in' }).waitFor();
  await login.ended;

  expect(complaints).toEqual([]);
  expect(loaded.filter((url) => !url.includes('/callback?'))).toEqual([]);
  // Its style is the one that its policy allows.
  expect(await page.evaluate("getComputedStyle(document.querySelector('main')).borderRadius")).toBe('14px');
  await expect(page.reload()).rejects.toThrow('ERR_CONNECTION_REFUSED');
});

test('somebody who cancels is not logged in, and nothing is kept', async () => {
  await using home = await openHome();
  const login = startLogin(home, identity, ['--web']);
  const page = await openPage();
  await page.goto(await login.said(PAGE));
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('heading', { name: 'You are not logged in' }).waitFor();

  expect(await page.getByText('access_denied: The person cancelled').count()).toBe(1);
  expect(await login.ended).toMatchObject({
    exitCode: 4,
    stdout: '',
    stderr: expect.stringContaining('access_denied: The person cancelled'),
  });
  expect(existsSync(join(home.folder, '.config/innctl/credentials.json'))).toBe(false);
});

test('pages of others that come back first change nothing', async () => {
  await using home = await openHome();
  const login = startLogin(home, identity, ['--web']);
  const url = await login.said(PAGE);
  const redirectUri = new URL(url).searchParams.get('redirect_uri') ?? '';
  const page = await openPage();
  await page.goto(`${redirectUri}?code=of-somebody-else&state=of-somebody-else`);
  await page.getByText('belongs to no login that is under way').waitFor();
  await page.goto(url);
  await agree(page);
  await page.getByRole('heading', { name: 'You are logged in' }).waitFor();

  expect(await login.ended).toMatchObject({ exitCode: 0 });
});

test('a browser that a variable names gets the page, and comes back to the port that was asked for', async () => {
  await using home = await openHome();
  const port = await closedPort();
  let open = (_: string) => {};
  const opened = new Promise<string>((resolve) => {
    open = resolve;
  });
  await using desktop = await httpServer(async (request, response) => {
    open(Buffer.concat(await request.toArray()).toString());
    response.end();
  });
  const send = `fetch('${desktop.origin}', { method: 'POST', body: process.argv[1] })`;
  const env = { INNCTL_BROWSER: `'${process.execPath}' -e "${send}"` };
  const login = startLogin(home, identity, ['--web', '--redirect-port', String(port)], { env });
  const page = await openPage();
  const url = await opened;
  await page.goto(url);
  await agree(page);
  await page.getByRole('heading', { name: 'You are logged in' }).waitFor();

  expect(new URL(url).searchParams.get('redirect_uri')).toBe(`http://127.0.0.1:${port}/callback`);
  expect(await login.ended).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('A page to log in opens in your browser.'),
  });
});

test('an interruption ends the waiting at once, while the browser holds on to it', async () => {
  await using home = await openHome();
  const login = startLogin(home, identity, ['--web']);
  const url = await login.said(PAGE);
  const { origin } = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
  const page = await openPage();
  await page.goto(`${origin}/callback`);
  (await login.child).kill('SIGINT');

  expect(await login.ended).toMatchObject({ exitCode: 130 });
  await expect(page.goto(`${origin}/callback`)).rejects.toThrow('ERR_CONNECTION_REFUSED');
});
