import { contract } from '../service/dialect.ts';
import {
  type ContractOperationId,
  contractOperations,
  type DialectName,
  type OperationId,
} from '../service/operations.ts';
import type { Answer } from './call.ts';

/** How the sandbox reads requests and writes answers. Only `Call.dialect` changes what operations do. */
export interface SandboxDialect {
  readonly name: DialectName;
  readonly operations: readonly OperationId[];
  /** The path template of an operation. */
  path(id: OperationId): string;
  /** The header with the request id. */
  readonly requestIdHeader: string;
  /** The query under the names that operations read. */
  query(id: OperationId, query: URLSearchParams): URLSearchParams;
  /** The body of a write under the names that operations read. @throws {Refusal} 422 for names in another spelling. */
  body(id: OperationId, body: unknown): unknown;
  /** A success as the dialect writes it. */
  success(id: OperationId, answer: Answer): Answer;
  /** A refusal, or a failure of the sandbox, as the dialect writes it. */
  failure(answer: Answer): Answer;
  /** A client with scopes needs one of these; empty where any token is enough. */
  scopes(id: OperationId): readonly string[];
}

/** The contract's own names and paths. */
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
