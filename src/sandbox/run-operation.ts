import type { IncomingMessage } from 'node:http';
import { type OperationId, operations } from '../service/operations.ts';
import type { Answer, Call, Caller, Handler, Outcome } from './call.ts';
import { readJson } from './deliver.ts';
import type { SandboxDialect } from './dialect.ts';
import { parseIdempotencyKey } from './idempotency.ts';
import { createInvitation, deleteInvitation, listInvitations } from './invitations.ts';
import { authorise } from './oauth.ts';
import {
  countProperties,
  createProperty,
  deleteProperty,
  getProperty,
  listProperties,
  propertyExists,
  updateProperty,
} from './properties.ts';
import { countryCodes, roles } from './records.ts';
import { refusal } from './refusal.ts';
import { createdBy, type Store } from './store.ts';
import type { FaultPicker } from './under-fault.ts';
import { getCurrentUser, getUser, listUsers, updateUser } from './users.ts';

/** What all endpoints share. */
export interface Service {
  readonly store: Store;
  /** How requests are read and answers written. */
  readonly dialect: SandboxDialect;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly pickFault: FaultPicker;
  /** The lag of a read, in addition to any other fault. */
  readonly pickLag: FaultPicker;
  /** The idempotency keys of the requests under way. */
  readonly keysInUse: Set<string>;
  /** Refuse calls without a token; otherwise they are the account admin's. */
  readonly requireAuth: boolean;
  /** Property lists show only the id and the name. */
  readonly bareLists: boolean;
  /** Waited before each operation. */
  readonly latencyMs: number;
  /** Aborted when the sandbox closes; ends all waiting. */
  readonly signal: AbortSignal;
  /** The sandbox's own address. */
  readonly url: () => string;
}

/** The handler of each operation; a missing one does not compile. */
const handlers: { readonly [Id in OperationId]: Handler<Id> } = {
  listInvitations,
  createInvitation,
  deleteInvitation,
  listRoles: () => ({ status: 200, body: { roles } }),
  listUsers,
  getUser,
  updateUser,
  getCurrentUser,
  listProperties,
  createProperty,
  countProperties,
  getProperty,
  propertyExists,
  updateProperty,
  deleteProperty,
  listCountries: () => ({ status: 200, body: { count: countryCodes.length, items: countryCodes } }),
};

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
