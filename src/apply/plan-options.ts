import type { Api } from '../api/api.ts';
import type { Memory } from './memory.ts';

/** The part of the service that planning reads. */
export interface PlanApi {
  readonly properties: Pick<Api['properties'], 'listAll' | 'read'>;
  readonly invitations: Pick<Api['invitations'], 'listAll'>;
  readonly users: Pick<Api['users'], 'listAll' | 'read'>;
}

/** What planning goes by, besides the entries and the service. */
export interface PlanOptions {
  readonly memory: Memory;
  /** The run that is under way, or that is resumed. */
  readonly runId?: string | undefined;
  /** Creates what nothing says is there already. */
  readonly assumeNew: boolean;
  /** Writes fields that the service does not show, every time. */
  readonly writeUnreadable: boolean;
  /** Deletes what a journal says we created, and no entry wants. */
  readonly prune: boolean;
  /** So many records are read at a time; from 1. */
  readonly workers: number;
  /** Waits until a request of a run that was killed has surely come to its end; without it nobody waits. */
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told after each record that was read; the total grows while it is not known how many there will be. */
  readonly onRead?: ((done: number, total: number) => void) | undefined;
}

/** Counts the records that are read one by one. */
export interface Tally {
  expect(more: number): void;
  tick(): void;
}

/** A count that starts from nothing. */
export function createTally(onRead: PlanOptions['onRead']): Tally {
  let [done, total] = [0, 0];
  return {
    expect: (more) => {
      total += more;
    },
    tick: () => {
      done += 1;
      onRead?.(done, Math.max(done, total));
    },
  };
}
