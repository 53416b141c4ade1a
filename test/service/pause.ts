import type { Past } from '../../src/service/retry.ts';
import type { Pause } from '../../src/service/send.ts';

/** A pause of a write, after attempts with this outcome. */
export function pauseAfter(known: Partial<Past> = {}): Pause {
  const past = { inDoubt: false, suspect: false, honoursKey: false, ...known };
  const request = { safety: 'patch', does: 'do it' };
  // Only the fields that a failed lookup reads.
  const sending = { request, budget: { expired: false }, past } as unknown as Pause['sending'];
  return { past, sending };
}
