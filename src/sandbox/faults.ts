import type { Operation, OperationId } from '../service/operations.ts';

/** The kinds of fault. */
export const faultKinds = {
  'drop-before': 'the connection breaks; nothing is carried out',
  'drop-after': 'carried out, then the connection breaks without an answer',
  hang: 'nothing is carried out, and no answer comes',
  '429': 'nothing is carried out; Retry-After of retry-after=1 seconds',
  '503': 'nothing is carried out; Retry-After where retry-after=seconds is given',
  'ignore-keys': 'the idempotency key is ignored; another fault may hit as well',
  lag: 'what is created shows ms=12000 later in reads=lists, records or all (default: all); combines with other faults',
} as const;

export type FaultKind = keyof typeof faultKinds;

/** What a request is for: an operation, or a token. */
export type Target = OperationId | 'token';

/** The requests that a fault hits: every match, unless `rate`, `nth` or `times` limit it. */
export interface Limits {
  /** Chance for each matching request, above 0 to 1. */
  readonly rate?: number;
  /** Only this matching request, counted from 1. */
  readonly nth?: number;
  /** Maximum number of hits. */
  readonly times?: number;
  readonly method?: Operation['method'];
  /** Default: every operation, but not the token endpoint. */
  readonly targets?: readonly Target[];
}

/** A fault and the requests that it hits. */
export interface Fault extends Limits {
  readonly kind: FaultKind;
  readonly retryAfterSeconds?: number;
  /** How long new records lag. */
  readonly delayMs?: number;
}

/** Returns the faults that hit the next request. */
export type FaultPicker<Each extends Limits> = (target: Target, method: string) => readonly Each[];

/**
 * Picks the faults that hit a request, in the order in which they were given. Counts the requests of each fault separately.
 *
 * @param seed decides where faults with a rate hit.
 */
export function createFaultPicker<Each extends Limits>(
  faults: readonly Each[],
  seed: number,
): FaultPicker<Each> {
  const pickers = faults.map((fault, index) => ({ fault, hits: createHits(fault, seed + index) }));
  return (target, method) => pickers.filter(({ hits }) => hits(target, method)).map(({ fault }) => fault);
}

function createHits({ targets, method, nth, rate, times = Number.POSITIVE_INFINITY }: Limits, seed: number) {
  const random = seededRandom(seed);
  let matched = 0;
  let hit = 0;
  return (target: Target, given: string): boolean => {
    const isTarget = targets === undefined ? target !== 'token' : targets.includes(target);
    if (!isTarget || (method ?? given) !== given) return false;
    matched += 1;
    const isChance = rate === undefined || random() < rate;
    if ((nth ?? matched) !== matched || !isChance || hit >= times) return false;
    hit += 1;
    return true;
  };
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
