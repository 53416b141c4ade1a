import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';

/** A redirect URL of the client. */
export const REDIRECT = 'http://127.0.0.1:9/callback';

/** The parameters of an authorization request with these, and its verifier. */
export function request(more: Readonly<Record<string, string>> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: 'sandbox',
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'openid offline_access',
    state: 'of-this-login',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  });
  return { verifier, query };
}

/** What a browser receives; it follows no redirect. */
export async function visit(url: string, form?: Readonly<Record<string, string>>) {
  const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
  const response = await fetch(url, { redirect: 'manual', ...sent });
  const location = response.headers.get('location');
  return {
    status: response.status,
    headers: response.headers,
    html: await response.text(),
    back: location === null ? undefined : new URL(location),
  };
}

/** The signed value in the form of a page. */
export function requestIn(html: string): string {
  const value = /name="request" value="([\w.-]+)"/.exec(html)?.[1];
  expect(value).toBeDefined();
  return value ?? '';
}

/** Opens a page, chooses a user by a part of the name, and allows or denies. */
export async function decideAt(url: string, person: string, decision = 'allow') {
  const { html } = await visit(url);
  const option = [...html.matchAll(/<option value="([\w-]+)">(.*)<\/option>/g)].find(([, , name]) =>
    name?.includes(person),
  );
  const { origin, pathname } = new URL(url);
  return visit(origin + pathname, { request: requestIn(html), user: option?.[1] ?? '', decision });
}

/** The JSON answer to a form, which a client without a secret sends. */
export async function post(url: string, form: Readonly<Record<string, string>>) {
  const body = new URLSearchParams({ client_id: 'sandbox', ...form });
  const response = await fetch(url, { method: 'POST', body });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}
