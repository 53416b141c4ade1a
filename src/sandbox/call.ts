import type { DialectName, OperationId, PathValues } from '../service/operations.ts';
import type { Change, Records } from './records.ts';

/** Who calls: a person, or a program with its own credentials. */
export type Caller =
  | { readonly kind: 'user'; readonly subjectId: string }
  | {
      readonly kind: 'client';
      readonly clientId: string;
      /** The scopes of the token; `undefined`: all. */
      readonly scopes?: readonly string[] | undefined;
    };

/** One request as an operation sees it, and the stored records. */
export interface Call<Id extends OperationId = OperationId> {
  /** Decoded placeholders of the path. */
  readonly path: PathValues<Id>;
  readonly query: URLSearchParams;
  /** Decoded JSON; `undefined` where the method takes none. */
  readonly body: unknown;
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | undefined;
  readonly caller: Caller;
  /** Decides where the services accept different values. */
  readonly dialect: DialectName;
  readonly records: Records;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Property lists show only the id and the name. */
  readonly bareLists: boolean;
}

/** The response to a request. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON; no body where it is `undefined`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer and the changes to store with it. */
export interface Outcome extends Answer {
  readonly changes?: readonly Change[];
}

/** Handles one request. Pure, so that it can run under the lock. @throws {Refusal} */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Outcome;
