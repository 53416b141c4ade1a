import { contract } from '../service/dialect.ts';
import type { DialectName } from '../service/dialect-names.ts';
import { type ContractOperationId, contractOperations, type OperationId } from '../service/operations.ts';
import type { Answer } from './call.ts';

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

/** As operations read and write: the contract's names and paths. */
export const contractSandbox: SandboxDialect = {
  name: 'contract',
  // The keys of the table are the ids by definition.
  operations: Object.keys(contractOperations) as ContractOperationId[],
  path: contract.path,
  requestIdHeader: 'x-request-id',
  query: (_id, query) => query,
  body: (_id, body) => body,
  success: (_id, answer) => answer,
  failure: (answer) => answer,
  scopes: () => [],
};
