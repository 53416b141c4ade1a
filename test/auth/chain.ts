import { clientCredentials } from '../../src/auth/credentials.ts';
import type { Facts } from '../../src/config/credentials.ts';
import { createRedactor } from '../../src/model/redaction.ts';
import { oauthHttp } from './login-world.ts';

/** A chain of hotels with client credentials, and a clock that only the test advances. */
export function chain(
  tokenUrl: string,
  more: {
    readonly cache?: ReturnType<typeof memoryCache>;
    readonly id?: string;
    readonly secret?: string;
  } = {},
) {
  const world = { now: Date.parse('2026-05-01T12:00:00Z'), slept: [] as number[] };
  const clock = {
    now: () => world.now,
    monotonic: () => world.now,
    sleep: async (ms: number) => {
      world.slept.push(ms);
    },
  };
  const redactor = createRedactor();
  const credentials = clientCredentials({
    tokenUrl,
    clientId: more.id ?? 'chain',
    secret: async () => more.secret ?? 'secret of the chain',
    scope: 'setup.manage',
    source: 'profile chain',
    http: oauthHttp(clock, redactor),
    cache: more.cache,
  });
  return { credentials, redactor, world };
}

/** A cache in memory. */
export function memoryCache(access_token?: string, expires = '2026-05-01T12:30:00Z') {
  const key = 'the chain';
  const tokenOf = (token: string) => ({ access_token: token, expires_at: Date.parse(expires), key });
  let facts: Facts = {
    origins: [],
    cached_token: access_token === undefined ? undefined : tokenOf(access_token),
  };
  return {
    key,
    vault: {
      facts: () => facts,
      async note(change: (before: Facts) => Facts) {
        facts = change(facts);
      },
    },
  };
}

/** A signal that is never aborted. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}
