import { contractOperations, type DialectName, type OperationId, operations } from '../service/operations.ts';
import type { Change, Records } from './records.ts';

/** Who calls: a person, or a program with its own credentials. */
export type Caller =
  | { readonly kind: 'user'; readonly subjectId: string }
  | {
      readonly kind: 'client';
      readonly clientId: string;
      /** The scopes of the token; `undefined`: all. */
      readonly scopes?: readonly string[];
    };

/** One request as an operation sees it, and the stored records. */
export interface Call {
  /** Decoded placeholders of the path, of which no operation has more than one. */
  readonly path: Readonly<Record<string, string>>;
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
export type Handler = (call: Call) => Outcome;

/** The handler of each operation. */
export type Handlers = Readonly<Record<OperationId, Handler>>;

/** How the sandbox reads requests and writes answers. Only `Call.dialect` changes what operations do. */
export interface SandboxDialect {
  readonly name: DialectName;
  /** The path template of an operation; `undefined` if the service does not have it. */
  path(id: OperationId): string | undefined;
  /** A token needs one of these scopes; empty if any token is enough. */
  scopes(id: OperationId): readonly string[];
  /** The header with the request id. */
  readonly requestIdHeader: string;
  /** How many requests a second its headers promise. They are named by the service; the form of their values is not documented. */
  readonly requestsPerSecond?: number;
  /** The query under the names that operations read. */
  query(id: OperationId, query: URLSearchParams): URLSearchParams;
  /** The body of a write under the names that operations read. @throws {Refusal} 422 for names in another spelling. */
  body(body: unknown): unknown;
  /** A success as the dialect writes it. */
  success(id: OperationId, answer: Answer): Answer;
  /** A refusal, or a failure of the sandbox, as the dialect writes it. */
  failure(answer: Answer): Answer;
}

/** The contract's own names and paths. */
export const contractSandbox: SandboxDialect = {
  name: 'contract',
  path: (id) => (id in contractOperations ? operations[id].path : undefined),
  scopes: () => [],
  requestIdHeader: 'x-request-id',
  // The identity API takes the names of parameters in camelCase, too.
  query: (id, query) => (operations[id].area === 'identity' ? inSnakeCase(query) : query),
  body: (body) => body,
  success: (_id, answer) => answer,
  failure: (answer) => answer,
};

function inSnakeCase(query: URLSearchParams): URLSearchParams {
  const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return new URLSearchParams([...query].map(([name, value]): [string, string] => [snakeCase(name), value]));
}
