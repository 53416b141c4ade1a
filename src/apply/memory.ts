import type { Kind } from '../manifest/entry.ts';
import type { KeyAge } from './key-age.ts';

/** How far a row had come, as a journal says. */
export const rowStates = ['planned', 'sent', 'done', 'failed', 'unknown'] as const;
export type RowState = (typeof rowStates)[number];

/** What a journal last said of one row. */
export interface RowMemory {
  readonly kind: Kind;
  readonly name: string;
  readonly action: 'create' | 'change' | 'delete';
  readonly state: RowState;
  /** Digest of what was, or was to be, sent. */
  readonly hash: string;
  /** The idempotency key, for a property's creation. */
  readonly key?: string | undefined;
  /** How far that key can be trusted; `undefined` where no key was sent. */
  readonly keyAge?: KeyAge | undefined;
  /** When an answer said that an invitation was created, milliseconds since the epoch, where the row is younger. */
  readonly madeAt?: number | undefined;
  /** The service's own id, once it is known. */
  readonly id?: string | undefined;
  /** The last values that were sent and taken of fields that no service shows, by the names of manifests. */
  readonly sent?: Readonly<Record<string, string>> | undefined;
  readonly runId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Why it failed or is unknown. */
  readonly error?: string | undefined;
  /** The service's own number for the request that failed; journals of before have it in `error` alone. */
  readonly request_id?: string | undefined;
  /** The status that the service refused it with, or failed with. */
  readonly status?: number | undefined;
  /** What else the line says: why it goes out under a new key. */
  readonly note?: string | undefined;
}

/** What earlier runs left: recalled by planning, and told by journals. */
export interface Memory {
  /** The last word about a row; letters in any case. */
  recall(kind: Kind, name: string): RowMemory | undefined;
  /** The rows that runs of the same command and files created, not deleted since, in the order of their creation. */
  created(): readonly RowMemory[];
}

/** Whether a row was sent, and nobody knows what came of it. */
export function isInDoubt(row: RowMemory | undefined): row is RowMemory {
  return row?.state === 'sent' || row?.state === 'unknown';
}

/** Of somebody who never ran anything. */
export const noMemory: Memory = { recall: () => undefined, created: () => [] };
