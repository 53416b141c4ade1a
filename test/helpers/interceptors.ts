import nock from 'nock';
import { afterEach, beforeEach, expect } from 'vitest';
import { property } from './records.ts';

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
 * The lookups before and after a creation: lists of properties and invitations are empty, and a property that no test lists can be
 * read by its code, any number of times.
 */
export function findNothing(): void {
  const answer = (host: string, path: RegExp, reply: (uri: string) => object) =>
    nock(host).persist().get(path).optionally().reply(200, reply);
  const nothing = () => ({ count: 0, items: [] });
  const read = (uri: string) => {
    const code = decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1));
    return { ...property, id: code, code };
  };
  answer('https://api.example.com', /^\/inventory\/v1\/properties(\?(include|page)|$)/, nothing);
  answer('https://api.example.com', /^\/inventory\/v1\/properties\/(?!BER|BRE|MUC|VIE)[^/?$]+$/, read);
  answer('https://identity.example.com', /^\/api\/v1\/(account\/)?invitations$/, nothing);
}

/** The same for every test of a file. */
export function emptyAccount(): void {
  beforeEach(findNothing);
}
