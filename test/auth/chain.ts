import { clientCredentials, type StoredToken, type TokenCache } from '../../src/auth/client-credentials.ts';
import type { Transport } from '../../src/cli/ports.ts';
import { createRedactor } from '../../src/print/redaction.ts';
import { oauthHttpOver } from './login-world.ts';

/** A chain of hotels with client credentials, and a clock that only the test advances. */
export function chain(
  transport: Transport,
  tokenUrl: string,
  more: { readonly cache?: TokenCache; readonly id?: string; readonly secret?: string } = {},
) {
  const world = { now: Date.parse('2026-05-01T12:00:00Z'), slept: [] as number[], warnings: [] as string[] };
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
    client: { id: more.id ?? 'chain', secret: more.secret ?? 'secret of the chain' },
    scope: 'setup.manage',
    source: 'profile chain',
    http: oauthHttpOver(transport, clock, redactor),
    cache: more.cache,
    warn: async (sentence) => {
      world.warnings.push(sentence);
    },
  });
  return { credentials, redactor, world };
}

/** A cache in memory. */
export function memoryCache(stored?: StoredToken): TokenCache & { stored: StoredToken | undefined } {
  const cache = {
    stored,
    read: async () => cache.stored,
    write: async (token: StoredToken) => {
      cache.stored = token;
    },
  };
  return cache;
}

/** A signal that is never aborted. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal;
}
