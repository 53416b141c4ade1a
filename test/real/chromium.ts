import { execFileSync } from 'node:child_process';
import { type Browser, chromium, type Page } from 'playwright-core';
import { ana } from './identity.ts';

/** Starts the Chromium of this system, headless. */
export function openChromium(): Promise<Browser> {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();
  // Tests may run as root, for which the sandbox of Chromium does not work.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** Logs in on the current page of the server, and consents. */
export async function agree(
  page: Page,
  { email, password }: { readonly email: string; readonly password: string } = ana,
) {
  await page.getByPlaceholder('Mail address').fill(email);
  await page.getByPlaceholder('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
}
