import type { OperationId } from '../../api/operations.ts';
import { type Fault, operationsOf } from '../faults.ts';

/** What hits one request: at most one fault, and whether its idempotency key is ignored. */
export interface Hit {
  readonly fault: Fault | undefined;
  readonly ignoresKey: boolean;
}

/** Tells what hits the next request. */
export type FaultPicker = (operation: OperationId | 'token', method: string) => Hit;

/**
 * Counts requests for each fault apart. Where several hit, the first given wins.
 *
 * @param random uniform in [0, 1).
 */
export function createFaultPicker(faults: readonly Fault[], random: () => number): FaultPicker {
  const pickers = faults.map((fault) => ({ fault, hits: createHits(fault, random) }));
  return (operation, method) => {
    const hitting = pickers.filter(({ hits }) => hits(operation, method)).map(({ fault }) => fault);
    const isOfKeys = ({ kind }: Fault) => kind === 'ignore-keys';
    return { fault: hitting.find((fault) => !isOfKeys(fault)), ignoresKey: hitting.some(isOfKeys) };
  };
}

function createHits(fault: Fault, random: () => number) {
  let matched = 0;
  let hit = 0;
  return (operation: OperationId | 'token', method: string) => {
    if (!matches(fault, operation, method)) return false;
    matched += 1;
    const isTurn = fault.nth === undefined || fault.nth === matched;
    const isChance = fault.rate === undefined || random() < fault.rate;
    if (!isTurn || !isChance || hit >= (fault.times ?? Number.POSITIVE_INFINITY)) return false;
    hit += 1;
    return true;
  };
}

function matches(fault: Fault, operation: OperationId | 'token', method: string): boolean {
  const all = operationsOf(fault);
  if (all !== undefined && !all.some((each) => each === operation)) return false;
  const named = fault.operation === undefined ? operation !== 'token' : fault.operation === operation;
  return named && (fault.method === undefined || fault.method === method);
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
