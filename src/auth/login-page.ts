import { createHash } from 'node:crypto';
import type { CliError } from '../errors.ts';
import { neutralise } from '../render/text.ts';
import type { Who } from './claims.ts';

/** What a browser is shown. */
export interface Page {
  readonly status: number;
  readonly html: string;
}

const style = `
:root { color-scheme: light dark; --ground: #f4f5f7; --card: #fff; --text: #1c2430; --soft: #5b6675; --line: #e1e5ea;
  --good: #1a7f4b; --bad: #b3261e; --code: #eef1f4; }
@media (prefers-color-scheme: dark) { :root { --ground: #12161c; --card: #1b2129; --text: #e8ecf1; --soft: #9aa6b5; --line: #2c3540;
  --good: #4cc38a; --bad: #f2857c; --code: #262e38; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { width: 100%; max-width: 32rem; padding: 2.5rem 2rem 2rem; text-align: center; background: var(--card);
  border: 1px solid var(--line); border-radius: 14px; box-shadow: 0 10px 30px rgb(0 0 0 / 6%); overflow-wrap: anywhere; }
svg { width: 3.5rem; height: 3.5rem; color: var(--good); }
.bad svg { color: var(--bad); }
h1 { margin: 1rem 0 .5rem; font-size: 1.4rem; line-height: 1.3; text-wrap: balance; }
p { margin: .5rem 0; white-space: pre-line; text-wrap: pretty; }
.soft { color: var(--soft); }
code { padding: .15em .4em; border-radius: 5px; background: var(--code); font: .92em ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
footer { margin-top: 1.75rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .85rem; }
`;

/** Nothing is loaded, run or framed; the one style is the one above. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The head that every page goes with; the address it was asked at is told to nobody. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const check =
  '<path d="M7.5 12.5l3 3 6-6.5" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/>';
const cross =
  '<path d="M8.5 8.5l7 7m0-7l-7 7" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round"/>';

/** The login worked. */
export function successPage({ name, email, subject, account }: Who): Page {
  const person =
    name !== undefined && email !== undefined ? `${name} (${email})` : (name ?? email ?? subject);
  const as = person === undefined ? '' : `<p>You are <strong>${escaped(person)}</strong>.</p>`;
  const where = account === undefined ? '' : `<p class="soft">Account ${escaped(account)}</p>`;
  const body = `${as}${where}<p class="soft">You can close this window and go back to the terminal.</p>`;
  return page(200, 'You are logged in', check, 'good', body);
}

/** The login did not work: what happened, and what to do. */
export function failurePage({ message, hint }: Pick<CliError, 'message' | 'hint'>): Page {
  const next = hint === undefined ? '' : `<p class="soft">${escaped(hint)}</p>`;
  const body = `<p>${escaped(message)}</p>${next}<p class="soft">To try again, type <code>innctl login</code> in the terminal.</p>`;
  return page(400, 'You are not logged in', cross, 'bad', body);
}

/** Something came that does not belong to the login under way, which goes on. */
export function strangePage(): Page {
  const body =
    '<p>This page belongs to no login that is under way.</p><p class="soft">Open the address that the terminal shows.</p>';
  return page(400, 'Nothing happened', cross, 'bad', body);
}

function page(status: number, title: string, sign: string, kind: string, body: string): Page {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · innctl</title>
<style>${style}</style>
</head>
<body>
<main class="${kind}">
<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10" fill="none" stroke="currentColor" stroke-width="1.5"/>${sign}</svg>
<h1>${title}</h1>
${body}
<footer>innctl</footer>
</main>
</body>
</html>
`;
  return { status, html };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return neutralise(text).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
