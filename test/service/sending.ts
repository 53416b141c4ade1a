import type { Credentials } from '../../src/service/exchange.ts';
import { createGate } from '../../src/service/gate.ts';
import { createSend, type SendOptions } from '../../src/service/send.ts';
import { createWrites } from '../../src/service/writes.ts';

/** A token that is not renewed. */
export const fixed: Credentials = {
  source: 'a test',
  grant: 'token',
  current: async () => ({ header: 'Bearer one', generation: 1 }),
  renew: async () => undefined,
};

/** Keeps no write. */
export const kept = createWrites(async () => () => {});

/** The options of an area of the service without waits or warnings. */
export const areaOptions = {
  now: () => 0,
  sleep: async () => {},
  deadline: undefined,
  maxAttempts: 5,
  grant: 'token',
  trustsKeys: false,
  kept,
  warn: async () => {},
} as const;

/** Sends with three attempts, without jitter, a deadline or a guard, unless these are given. */
export function sendWith(given: Pick<SendOptions, 'transport' | 'clock'> & Partial<SendOptions>) {
  return createSend({
    credentials: fixed,
    kept,
    trace: undefined,
    gate: createGate(given.clock),
    random: () => 1,
    signal: new AbortController().signal,
    deadline: undefined,
    maxAttempts: 3,
    maxBytes: 1_000,
    userAgent: 'innctl/test',
    dryRun: false,
    clean: (text) => text,
    guard: () => {},
    beforeWrite: async () => {},
    ...given,
  });
}
