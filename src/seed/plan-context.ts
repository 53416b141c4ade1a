import type { Redactor } from '../print/redaction.ts';
import type { Dialect } from '../service/dialect.ts';
import type { Api } from '../service/service.ts';
import { createReadBreaker } from './breakers.ts';
import type { Memory } from './journal-line.ts';
import type { StockApi } from './stock.ts';

/** The part of the service that planning reads. */
export interface PlanApi extends StockApi {
  readonly dialect: Dialect;
  readonly properties: Pick<Api['properties'], 'listAll' | 'read' | 'readWithActions'>;
  readonly invitations: Pick<Api['invitations'], 'listAll'>;
  readonly users: Pick<Api['users'], 'listAll' | 'read'>;
  readonly roles: Pick<Api['roles'], 'list'>;
}

/** The options of a plan. */
export interface PlanOptions {
  readonly memory: Memory;
  /** The current or resumed run. */
  readonly runId?: string | undefined;
  /** Creates entries whose existence cannot be determined. */
  readonly assumeNew?: boolean | undefined;
  /** Invites people again whose invitation may have been sent and is not listed. */
  readonly resendUnknown?: boolean | undefined;
  /** Always writes fields that the service does not show. */
  readonly writeUnreadable?: boolean | undefined;
  /** Deletes records that these files created, according to the journal, and that no entry wants. */
  readonly prune: boolean;
  /** Reports what could not be checked. */
  readonly warn: (sentence: string) => Promise<void>;
  /** Masks secrets in texts of the service before they are clipped. */
  readonly redactor: Pick<Redactor, 'text'>;
  /** Whether the command has a time limit: then a timeout ends the plan. */
  readonly hasDeadline?: boolean | undefined;
  /** Parallel reads, from 1. */
  readonly workers: number;
  /** Waits until requests of a killed run have ended; called at most once. Without it, the plan does not wait. */
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The shared context of one plan. */
export type PlanContext = ReturnType<typeof createPlanContext>;

/** After this, a request of a killed run has been carried out or never will be, and most creations are visible. */
const SETTLED_MS = 15_000;

export function createPlanContext(api: PlanApi, options: PlanOptions) {
  let { pause } = options;
  return {
    api,
    options,
    readForRow: createReadBreaker(options.hasDeadline === true),
    /**
     * Waits until requests of killed runs have ended and their creations may be visible. Only the first call waits.
     *
     * @returns whether it has waited, so that earlier reads are outdated.
     */
    async waitOnce() {
      const wait = pause;
      pause = undefined;
      await wait?.(SETTLED_MS);
      return wait !== undefined;
    },
  };
}
