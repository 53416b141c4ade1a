import type { OperationId } from '../../api/operations.ts';
import type { DialectName } from '../../checks/dialect-names.ts';
import type { Answer } from '../operations/exchange.ts';

/** How the sandbox reads requests and writes answers; what it does is the same in every dialect but for `Call.dialect`. */
export interface SandboxDialect {
  readonly name: DialectName;
  readonly operations: readonly OperationId[];
  /** The path template of an operation. */
  path(id: OperationId): string;
  /** The header that carries the number of each request. */
  readonly requestIdHeader: string;
  /** The query under the names that operations read. */
  query(id: OperationId, query: URLSearchParams): URLSearchParams;
  /** The body of a write under the names that operations read. @throws {Refusal} 422 for names that the dialect has not. */
  body(id: OperationId, body: unknown): unknown;
  /** A success as the dialect writes it. */
  success(id: OperationId, answer: Answer): Answer;
  /** A refusal, or a failure of the sandbox, as the dialect writes it. */
  failure(answer: Answer): Answer;
  /** Scopes of which a client that asked for some needs one; none where any token will do. */
  scopes(id: OperationId): readonly string[];
}
