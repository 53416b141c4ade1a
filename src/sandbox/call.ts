import type { DialectName } from '../service/dialect-names.ts';
import type { OperationId, PathValues } from '../service/operations.ts';
import type { Change, Records } from './records.ts';

/** Who calls: a person, or a program with its own credentials. */
export type Caller =
  | { readonly kind: 'user'; readonly subjectId: string }
  | {
      readonly kind: 'client';
      readonly clientId: string;
      /** Those that the token was asked for; `undefined`: all. */
      readonly scopes?: readonly string[] | undefined;
    };

/** One request as an operation sees it, and what was stored when its turn came. */
export interface Call<Id extends OperationId = OperationId> {
  /** Decoded placeholders of the path. */
  readonly path: PathValues<Id>;
  readonly query: URLSearchParams;
  /** Decoded JSON; `undefined` where the method takes none. */
  readonly body: unknown;
  /** The `Idempotency-Key` header. */
  readonly idempotencyKey: string | undefined;
  readonly caller: Caller;
  /** Whose rules decide where the services differ in what they take. */
  readonly dialect: DialectName;
  readonly records: Records;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Property lists show the id and the name alone. */
  readonly bareLists: boolean;
}

/** What goes back to the caller. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON; no body where it is `undefined`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer and what is to be stored with it. */
export interface Outcome extends Answer {
  readonly changes?: readonly Change[];
}

/** Decides one request: pure, so that it may run under the lock. @throws {Refusal} when the answer is no. */
export type Handler<Id extends OperationId> = (call: Call<Id>) => Outcome;
