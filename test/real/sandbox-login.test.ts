import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sandbox } from '../sandbox/harness.ts';
import { post, request } from '../sandbox/logins.ts';
import { openChromium } from './chromium.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await openChromium();
});

afterAll(() => browser.close());

/** Opens a page, and collects what the browser complains about and loads. */
async function open(url: string, colorScheme: 'light' | 'dark' = 'light') {
  const page = await browser.newPage({ colorScheme });
  const noticed: string[] = [];
  page.on('console', (message) => noticed.push(message.text()));
  page.on('dialog', (dialog) => noticed.push(dialog.message()));
  page.on('request', (asked) => noticed.push(asked.url()));
  await page.goto(url);
  return { page, noticed };
}

/** Waits for the browser, as the program that logs in does. */
async function openCallback() {
  const server = createServer((_, response) => response.end('back in the terminal'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on TCP.
  const { port } = server.address() as AddressInfo;
  return {
    redirect_uri: `http://127.0.0.1:${port}/callback`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

test('a person chooses a user by keyboard, and the form leads back to the program', async () => {
  const { url } = await sandbox({ seed: 'people', now: Date.now });
  await using callback = await openCallback();
  const { redirect_uri } = callback;
  const { query, verifier } = request({ redirect_uri });
  const asked = `${url}/connect/authorize?${query}`;
  const { page, noticed } = await open(asked);

  await page.getByLabel('Log in as').focus();
  await page.keyboard.type('Clara');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('back in the terminal').waitFor();

  const back = new URL(page.url());
  expect(noticed.filter((each) => !each.includes('favicon'))).toEqual([
    asked,
    `${url}/connect/authorize`,
    back.href,
  ]);
  const code = back.searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier };
  const { body } = await post(`${url}/connect/token`, form);
  const authorization = `Bearer ${body.access_token}`;
  const me = await (await fetch(`${url}/api/v1/users/me`, { headers: { authorization } })).json();
  expect(me).toMatchObject({ email: 'clara@aurora.example' });
  await page.close();
});

test('a person types the code of a device, and allows it', async () => {
  const { url } = await sandbox({ seed: 'people', now: Date.now });
  const { body } = await post(`${url}/connect/deviceauthorization`, {});
  const { page, noticed } = await open(body.verification_uri);

  await page.getByLabel('Code').fill(body.user_code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(body.user_code).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('heading', { name: 'You allowed the login' }).waitFor();

  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: body.device_code };
  expect(await post(`${url}/connect/token`, form)).toMatchObject({ status: 200 });
  expect(noticed.filter((each) => !each.startsWith(`${url}/`))).toEqual([]);
  await page.close();
});

const standards = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];

test.each(['light', 'dark'] as const)('axe-core finds nothing on the pages in %s colours', async (scheme) => {
  const { url } = await sandbox({ seed: 'people', now: Date.now });
  const paths = [
    `/connect/authorize?${request().query}`,
    '/device',
    '/device?user_code=X',
    '/connect/authorize',
  ];

  for (const path of paths) {
    const { page } = await open(url + path, scheme);
    // Not a script element: the policy of the page would stop it.
    await page.evaluate(axe.source);
    const results = await page
      .locator('html')
      .evaluate((html, tags) => html.ownerDocument.defaultView.axe.run({ runOnly: tags }), standards);
    const { violations, passes } = results as axe.AxeResults;

    expect([path, violations.map(({ id, nodes }) => [id, nodes[0]?.html])]).toEqual([path, []]);
    expect(passes.map(({ id }) => id)).toContain('color-contrast');
    await page.close();
  }
});
