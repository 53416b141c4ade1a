import type { Api } from '../api/api.ts';
import type { Dialect } from '../api/dialects/dialect.ts';
import type { Redactor } from '../redaction.ts';
import type { Memory } from './memory.ts';

/** What planning asks of a dialect. */
export type PlanDialect = Pick<Dialect, 'goesBeyond' | 'propertyFields' | 'fixedFields' | 'expansions'>;

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
  /** Creates what nothing says is there already. */
  readonly assumeNew: boolean;
  /** Invites again those whose invitation may have gone out, and whom no list shows. */
  readonly resendUnknown: boolean;
  /** Writes fields that the service does not show, every time. */
  readonly writeUnreadable: boolean;
  /** Deletes what a journal says these very files created, and no entry wants. */
  readonly prune: boolean;
  /** Hears what could not be checked. */
  readonly warn: (sentence: string) => Promise<void>;
  /** Masks what the service says before it is cut. */
  readonly redactor: Pick<Redactor, 'text'>;
  /** Whether the command has a time limit: then time that is over ends the plan. */
  readonly hasDeadline?: boolean | undefined;
  /** So many records are read at a time; from 1. */
  readonly workers: number;
  /**
   * Waits until requests of a run that was killed have surely come to their end; called once at most. Whoever sends
   * what is planned must give it; the plan is the same one without it.
   */
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
