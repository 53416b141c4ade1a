import { contract } from '../../api/dialects/contract.ts';
import { type ContractOperationId, contractOperations } from '../../api/operations.ts';
import type { SandboxDialect } from './dialect.ts';

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
