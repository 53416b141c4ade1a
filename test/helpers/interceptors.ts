import nock from 'nock';
import { afterEach, beforeEach, expect } from 'vitest';

/** For every test of a file: nothing leaves but what is intercepted, and every interceptor is used. */
export function onlyIntercepted(): void {
  beforeEach(() => nock.disableNetConnect());
  afterEach(() => {
    const unused = nock.pendingMocks();
    nock.cleanAll();
    nock.enableNetConnect();
    expect(unused).toEqual([]);
  });
}
