import type { Redactor } from '../print/redaction.ts';
import type { Dialect } from '../service/dialect.ts';
import type { Api } from '../service/service.ts';
import { createReadBreaker } from './breakers.ts';
import type { Memory } from './history.ts';
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
  /** Whether the service is known to honour idempotency keys. */
  readonly honoursKeys: boolean;
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
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The shared context of one plan. */
export type PlanContext = ReturnType<typeof createPlanContext>;

export function createPlanContext(api: PlanApi, options: PlanOptions) {
  return {
    api,
    options,
    readForRow: createReadBreaker(options.hasDeadline === true),
  };
}
