import type { IncomingMessage } from 'node:http';
import { type OperationId, operations } from '../../api/operations.ts';
import type { Answer, Call, Handler, Outcome } from '../operations/exchange.ts';
import { handlers } from '../operations/handlers.ts';
import { parseIdempotencyKey } from '../operations/idempotency.ts';
import { authorise } from './authorise.ts';
import { readJson } from './body.ts';
import type { Service } from './service.ts';

/** One request for an operation, its path matched. */
export interface OperationRequest {
  readonly incoming: IncomingMessage;
  /** Decoded placeholders of the path. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly idempotencyKey: string | undefined;
}

/** Carries one operation out. @throws {Refusal} when the answer is no; {CliError} when the state cannot be used. */
export async function runOperation(
  service: Service,
  id: OperationId,
  { incoming, path, query, idempotencyKey }: OperationRequest,
): Promise<Answer> {
  const { store, requireAuth, bareLists } = service;
  const { secret } = store.read().header;
  const caller = authorise(incoming.headers.authorization, { requireAuth, now: service.now(), secret });
  const body = await bodyOf(id, incoming);
  const key = idempotencyKey === undefined ? undefined : parseIdempotencyKey(idempotencyKey);
  // The router matched this operation's own path, so that its placeholders, and no others, are there.
  const handle = handlers[id] as Handler<OperationId>;
  const decide = (records: Call['records']): Outcome => {
    const known = path as Call['path'];
    const now = service.now();
    return handle({ path: known, query, body, idempotencyKey: key, caller, records, now, bareLists });
  };
  if (operations[id].method === 'GET') return decide(store.read().records);
  return store.write((records) => {
    const { changes = [], ...answer } = decide(records);
    return { changes, result: answer };
  });
}

function bodyOf(id: OperationId, incoming: IncomingMessage): Promise<unknown> {
  switch (operations[id].method) {
    case 'POST':
      return readJson(incoming, ['application/json']);
    case 'PATCH':
      return readJson(incoming, ['application/json', 'application/json-patch+json']);
    default:
      return Promise.resolve(undefined);
  }
}
