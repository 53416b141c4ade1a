import { setTimeout } from 'node:timers/promises';
import type { Fault } from '../faults.ts';
import type { Answer } from '../operations/exchange.ts';
import { refusal } from '../operations/refusal.ts';
import type { Delivery } from './deliver.ts';

const DEFAULT_DELAY_MS = 5_000;
const DEFAULT_RETRY_AFTER_SECONDS = 1;

/**
 * Carries a request out as far as the fault lets it, and says how the answer is to be delivered.
 *
 * @param signal ends the waiting.
 */
export async function underFault(
  fault: Fault | undefined,
  carryOut: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Delivery> {
  switch (fault?.kind) {
    case undefined:
      return { kind: 'whole', answer: await carryOut() };
    case 'drop-before':
      return { kind: 'none' };
    case 'drop-after':
      await carryOut();
      return { kind: 'none' };
    case 'cut':
      return { kind: 'cut', answer: await carryOut() };
    case 'slow-head': {
      const answer = await carryOut();
      await setTimeout(fault.delayMs ?? DEFAULT_DELAY_MS, undefined, { signal });
      return { kind: 'whole', answer };
    }
    case '429':
      return refused(429, 'rate_limited', fault.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS);
    case '500':
      return refused(500, 'injected_failure');
    case '503':
      return refused(503, 'unavailable', fault.retryAfterSeconds);
  }
}

function refused(status: number, code: string, retryAfterSeconds?: number): Delivery {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const message = 'The sandbox was asked to fail here; nothing was carried out.';
  return { kind: 'whole', answer: refusal(status, code, message, { headers }).answer };
}
