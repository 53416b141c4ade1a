import type { CliError } from '../errors.ts';
import type { Item } from './item.ts';

/** How one row ended; `done` includes those that needed nothing. */
export const outcomes = ['done', 'failed', 'unknown', 'not_attempted'] as const;
export type Outcome = (typeof outcomes)[number];

/** One row of a run. */
export interface Result {
  readonly item: Item;
  readonly outcome: Outcome;
  /** The service's own id, where it is known. */
  readonly id?: string | undefined;
  /** Why it failed, is unknown or was not attempted. */
  readonly error?: CliError | undefined;
}
