import nock from 'nock';
import { afterEach, beforeEach, expect } from 'vitest';

/** For every test of a file: only intercepted requests are sent, and every interceptor is used. */
export function onlyIntercepted(): void {
  beforeEach(() => nock.disableNetConnect());
  afterEach(() => {
    const unused = nock.pendingMocks();
    nock.cleanAll();
    nock.enableNetConnect();
    expect(unused).toEqual([]);
  });
}

/**
 * The lookups before and after a creation find nothing: lists of properties and invitations are empty, and only the properties
 * that tests list may be read individually, any number of times.
 */
export function findNothing(): void {
  const answer = (host: string, path: RegExp, status: number, body: object) =>
    nock(host).persist().get(path).optionally().reply(status, body);
  const empty = { count: 0, items: [] };
  answer('https://api.example.com', /^\/inventory\/v1\/properties(\?(include|page)|$)/, 200, empty);
  answer('https://api.example.com', /^\/inventory\/v1\/properties\/(?!BER|BRE|MUC|VIE)[^/?$]+$/, 403, {});
  answer('https://identity.example.com', /^\/api\/v1\/(account\/)?invitations$/, 200, empty);
}

/** The same for every test of a file. */
export function emptyAccount(): void {
  beforeEach(findNothing);
}
