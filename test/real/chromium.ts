import { execFileSync } from 'node:child_process';
import { type Browser, chromium, type Page } from 'playwright-core';
import { ana } from './identity.ts';

/** The browser of this system, without a screen. */
export function openChromium(): Promise<Browser> {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();
  // Tests may run as root, whom its sandbox does not serve.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** Logs in at the page that the server shows now, and allows what is asked for. */
export async function agree(
  page: Page,
  { email, password }: { readonly email: string; readonly password: string } = ana,
) {
  await page.getByPlaceholder('Mail address').fill(email);
  await page.getByPlaceholder('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
}
