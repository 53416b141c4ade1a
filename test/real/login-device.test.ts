import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { agree, openChromium } from './chromium.ts';
import { clients, type Identity, startIdentity } from './identity.ts';
import { type LoggingIn, PAGE, startLogin, TYPED } from './login.ts';

let browser: Browser;
let identity: Identity;

beforeAll(async () => {
  setup();
  [browser, identity] = await Promise.all([openChromium(), startIdentity()]);
});

afterAll(() => Promise.all([browser.close(), identity[Symbol.asyncDispose]()]));

/** Types the code in a browser, as on another device. */
async function typeCode(login: LoggingIn) {
  const page = await (await browser.newContext()).newPage();
  const code = await login.waitFor(TYPED);
  await page.goto(await login.waitFor(PAGE));
  await page.locator('input[name=user_code]').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  return page;
}

const grants = () => identity.log().filter(({ grant }) => grant?.endsWith(':device_code'));

test('after the code is confirmed in Chromium, the service accepts the token', async () => {
  await using home = await openHome();
  const login = startLogin(home, identity, ['--device']);
  const page = await typeCode(login);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await agree(page);
  await page.getByRole('heading', { name: 'Done' }).waitFor();

  expect(await login.ended).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('Logged in as Ana'),
  });
  expect(grants().filter(({ status }) => status === 200)).toMatchObject([{ client: clients.native.id }]);
  const me = await home.innctl(['users', 'me', '--profile', 'chain', '--json']);
  expect(me).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('"email"') });
});
