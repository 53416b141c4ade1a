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

/** Another device, on which the code is typed. */
async function typeCode(login: LoggingIn) {
  const page = await (await browser.newContext()).newPage();
  const code = await login.said(TYPED);
  await page.goto(await login.said(PAGE));
  await page.locator('input[name=user_code]').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  return page;
}

const grants = () => identity.log().filter(({ grant }) => grant?.endsWith(':device_code'));

test('somebody types the code in Chromium, and is let in by the service', async () => {
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

test('somebody who cancels there is not logged in here', async () => {
  await using home = await openHome();
  const login = startLogin(home, identity, ['--device']);
  const page = await typeCode(login);
  await page.getByRole('button', { name: 'Cancel' }).click();

  expect(await login.ended).toMatchObject({
    exitCode: 4,
    stdout: '',
    stderr: expect.stringContaining('access_denied'),
  });
});

test('a code that is no longer good ends the waiting', async () => {
  await using home = await openHome();
  await using hasty = await startIdentity({ deviceCodeSeconds: 1 });
  const login = startLogin(home, hasty, ['--device']);

  expect(await login.ended).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('The login was not finished within'),
  });
});
