import { apaleo } from '../../api/dialects/apaleo.ts';
import { camelCasePath } from '../../api/fields.ts';
import { type OperationId, operations } from '../../api/operations.ts';
import { pointerTo, segmentsOf } from '../../api/patch.ts';
import { isRecord } from '../../records.ts';
import type { Answer } from '../operations/exchange.ts';
import { asRead, stepsAsRead } from './apaleo-bodies.ts';
import { queryAsRead } from './apaleo-queries.ts';
import { asShown } from './apaleo-views.ts';
import type { SandboxDialect } from './dialect.ts';

/** The statuses of refusals that the service describes; it says others with one of them. */
const described = new Set([400, 401, 403, 404, 415, 422, 429, 500, 503]);

/** The public service of apaleo: camelCase in and out, its own list wrappers, refusals as lists of sentences. */
export const apaleoSandbox: SandboxDialect = {
  name: 'apaleo',
  // The keys of the table are the ids by definition.
  operations: Object.keys(operations) as OperationId[],
  path: apaleo.path,
  requestIdHeader: 'apaleo-tracking-id',
  query: queryAsRead,
  body: (_id, body) => (Array.isArray(body) ? stepsAsRead(body) : asRead(body)),
  success: (id, answer) => asShown(id, answer),
  failure: ({ status, headers, body }) => ({
    status: statusOf(status),
    ...(headers === undefined ? {} : { headers }),
    ...(status === 403 ? {} : { body: { messages: sentencesIn(body) } }),
  }),
  scopes: apaleo.scopes,
};

function statusOf(status: number): number {
  if (described.has(status)) return status;
  return status >= 500 ? 500 : 422;
}

/** One for each value that was not accepted, or the refusal's own. */
function sentencesIn(body: Answer['body']): readonly string[] {
  const error = isRecord(body) ? body['error'] : undefined;
  if (!isRecord(error)) return [];
  const details = Array.isArray(error['details']) ? error['details'].filter(isRecord) : [];
  if (error['code'] !== 'validation_failed' || details.length === 0) return [String(error['message'])];
  return details.map(({ field, reason }) => `${fieldInCamelCase(String(field))} ${String(reason)}.`);
}

/** A field by its dotted path, or a JSON Pointer. */
function fieldInCamelCase(field: string): string {
  if (field.startsWith('/')) return pointerTo(...camelCasePath(segmentsOf(field)));
  return camelCasePath(field.split('.')).join('.');
}
