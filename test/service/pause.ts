import type { Past } from '../../src/service/retry.ts';
import type { Pause } from '../../src/service/send.ts';

/** A pause of a write, after tries of which this is known. */
export function pauseAfter(known: Partial<Past> = {}): Pause {
  const past = { inDoubt: false, suspect: false, honoursKey: false, ...known };
  const request = { safety: 'patch', does: 'do it' };
  // Of a sending only what a failed look reads.
  const sending = { request, budget: { expired: false }, past } as unknown as Pause['sending'];
  return { past, sending };
}
