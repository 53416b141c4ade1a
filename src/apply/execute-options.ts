import type { Item } from './item.ts';
import type { Result } from './result.ts';
import type { Service } from './row.ts';
import type { OpenJournal } from './row-journal.ts';

/** What carrying out a plan needs. */
export interface ExecuteOptions {
  readonly api: Service;
  readonly journal: OpenJournal;
  /** Right before a row is sent; what it rejects with is how the row fails. */
  readonly lookAgain: (item: Item) => Promise<void>;
  /** So many rows at a time, from 1. */
  readonly concurrency: number;
  /** Begin no further row once one was not done. */
  readonly failFast: boolean;
  /** Aborted when no further row may be begun; those under way end as they do. */
  readonly stop: AbortSignal;
  /** When the run must be over, by `Clock.monotonic`. */
  readonly deadline?: number | undefined;
  readonly now: () => number;
  /** A creation that may have been carried out is sent so often, and looked for before each repeat. */
  readonly mostTries: number;
  /** Whether the service is known to honour idempotency keys. */
  readonly trustsKeys: boolean;
  /** Waits before a repeat, for a time that grows with the tries that were made. Rejects with an `Interruption`. */
  readonly pause: (tries: number) => Promise<void>;
  /** Called for each row that was carried out, as it ends. */
  readonly onRow: (result: Result) => void;
}

/** How a run ended. */
export interface Execution {
  /** One for each item, in their order. */
  readonly results: readonly Result[];
  /** What ended it before its last row, or kept its journal from being written. */
  readonly stoppedBy?: unknown;
}
