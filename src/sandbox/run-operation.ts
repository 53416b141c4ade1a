import type { IncomingMessage } from 'node:http';
import { type OperationId, operations } from '../service/operations.ts';
import { authorise, type Service } from './app.ts';
import { readJson } from './deliver.ts';
import { type Answer, type Call, type Caller, type Handler, handlers, type Outcome } from './handlers.ts';
import { parseIdempotencyKey } from './idempotency.ts';
import { refusal } from './refusal.ts';
import { createdBy } from './store.ts';

const DEFAULT_LAG_MS = 12_000;

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
  const { store, requireAuth, bareLists, dialect } = service;
  const { secret } = store.read().header;
  const caller = authorise(incoming.headers.authorization, { requireAuth, now: service.now(), secret });
  requireScope(caller, dialect.scopes(id));
  const sent = await bodyOf(id, incoming);
  const body = sent === undefined ? undefined : dialect.body(id, sent);
  const key = idempotencyKey === undefined ? undefined : parseIdempotencyKey(idempotencyKey);
  // The router matched this operation's own path, so that its placeholders, and no others, are there.
  const handle = handlers[id] as Handler<OperationId>;
  const decide = (records: Call['records']): Outcome => {
    const known = path as Call['path'];
    const now = service.now();
    const asked = { path: known, query: dialect.query(id, query), body, idempotencyKey: key };
    return handle({ ...asked, caller, dialect: dialect.name, records, now, bareLists });
  };
  const { method } = operations[id];
  if (method === 'GET' || method === 'HEAD') {
    const { records } = store.read();
    const { fault: lag } = service.pickLag(id, method);
    if (lag === undefined) return dialect.success(id, decide(records));
    return dialect.success(id, decide(createdBy(service.now() - (lag.delayMs ?? DEFAULT_LAG_MS), records)));
  }
  const answer = await store.write((records) => {
    const { changes = [], ...result } = decide(records);
    return { changes, result };
  });
  return dialect.success(id, answer);
}

/** A client that asked for some scopes has no others; people and clients that asked for none have all. */
function requireScope(caller: Caller, needed: readonly string[]): void {
  const { scopes = needed } = caller.kind === 'client' ? caller : {};
  if (needed.length === 0 || scopes.some((scope) => needed.includes(scope))) return;
  throw refusal(403, 'forbidden', `The token has none of the scopes ${needed.join(', ')}.`);
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
