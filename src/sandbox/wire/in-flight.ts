import type { Answer } from '../operations/exchange.ts';
import { refusal } from '../operations/refusal.ts';

/** Lets one request with an idempotency key through at a time. */
export interface InFlight {
  /** @throws {Refusal} 409 `idempotency_in_progress` while another request with the key is carried out. */
  alone(key: string | undefined, carryOut: () => Promise<Answer>): Promise<Answer>;
}

/** No request under way. */
export function createInFlight(): InFlight {
  const keys = new Set<string>();
  return {
    async alone(key, carryOut) {
      if (key === undefined) return carryOut();
      if (keys.has(key)) {
        throw refusal(
          409,
          'idempotency_in_progress',
          'A request with this Idempotency-Key is being carried out. Ask again in a moment.',
        );
      }
      keys.add(key);
      try {
        return await carryOut();
      } finally {
        keys.delete(key);
      }
    },
  };
}
