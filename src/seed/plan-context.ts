import type { Redactor } from '../out/redaction.ts';
import type { Dialect } from '../service/dialect.ts';
import type { Api } from '../service/service.ts';
import type { Memory } from './journal-line.ts';
import { createRowReading, type ReadForRow } from './row-reading.ts';

/** What planning asks of a dialect. */
export type PlanDialect = Pick<
  Dialect,
  'further' | 'withArchived' | 'allLanguages' | 'shownIfSet' | 'propertyFields' | 'fixedFields' | 'expansions'
>;

/** The part of the service that planning reads. */
export interface PlanApi {
  readonly dialect: PlanDialect;
  readonly properties: Pick<Api['properties'], 'listAll' | 'read' | 'readWithActions'>;
  readonly invitations: Pick<Api['invitations'], 'listAll'>;
  readonly users: Pick<Api['users'], 'listAll' | 'read'>;
  readonly roles: Pick<Api['roles'], 'list'>;
}

/** What planning goes by, besides the entries and the service. */
export interface PlanOptions {
  readonly memory: Memory;
  /** The run that is under way, or that is resumed. */
  readonly runId?: string | undefined;
  /** Creates entries whose existence cannot be determined. */
  readonly assumeNew: boolean;
  /** Invites again people whose invitation may have been sent and is not listed. */
  readonly resendUnknown: boolean;
  /** Writes fields that the service does not show, every time. */
  readonly writeUnreadable: boolean;
  /** Deletes what a journal says these very files created, and no entry wants. */
  readonly prune: boolean;
  /** Reports what could not be checked. */
  readonly warn: (sentence: string) => Promise<void>;
  /** Masks what the service says before it is cut. */
  readonly redactor: Pick<Redactor, 'text'>;
  /** Whether the command has a time limit: then a timeout ends the plan. */
  readonly hasDeadline?: boolean | undefined;
  /** Reads in parallel, from 1. */
  readonly workers: number;
  /**
   * Waits until requests of a killed run have surely ended; called at most once. Required where the plan is carried
   * out; the plan is the same without it.
   */
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What all the steps of one plan share. */
export interface PlanContext {
  readonly api: PlanApi;
  readonly options: PlanOptions;
  readonly readForRow: ReadForRow;
  readonly waitOnce: WaitOnce;
}

export function createPlanContext(api: PlanApi, options: PlanOptions): PlanContext {
  const readForRow = createRowReading(options.hasDeadline === true);
  return { api, options, readForRow, waitOnce: createWaitOnce(options.pause) };
}

/** After this, a request that a killed run had under way has been carried out or never will be, and most creations show. */
const SETTLED_MS = 15_000;

/**
 * Waits until requests of killed runs have surely ended, and what they created may show: once, however often a plan asks.
 *
 * @returns whether it has just waited, so that what was read before is old.
 */
type WaitOnce = () => Promise<boolean>;

/** @param pause waits; without it, no wait. */
function createWaitOnce(pause: ((ms: number) => Promise<void>) | undefined): WaitOnce {
  let isOver = pause === undefined;
  return async () => {
    if (isOver) return false;
    isOver = true;
    await pause?.(SETTLED_MS);
    return true;
  };
}
