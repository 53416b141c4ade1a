import { OutcomeUnknown } from '../errors.ts';
import type { Answer } from '../http/send.ts';
import { isRecord, type Page, type ServiceRecord } from '../records.ts';
import type { Call } from './client.ts';
import type { Query } from './dialects/dialect.ts';
import { normalise } from './fields.ts';
import { type Extent, walk } from './paging.ts';
import { idProblem } from './path.ts';
import { readList } from './reading.ts';

/** The body of create property; commands/properties/check.ts checks it. */
export type NewProperty = Readonly<Record<string, unknown>>;

/** Properties of the current account. */
export function propertiesApi(call: Call, warn: (sentence: string) => Promise<void>) {
  return {
    /**
     * GET /inventory/v1/properties, page by page.
     *
     * @param filter query parameters that the contract only mentions, sent as they are.
     */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> =>
      walk(
        async ({ number, size }) => {
          const query = { ...filter, page_size: size, page_number: number };
          return readList(await call('listProperties', {}, { query }), 'properties', 'id');
        },
        extent,
        { idOf: (record) => record['id'] ?? JSON.stringify(record), warn },
      ),

    /**
     * POST /inventory/v1/properties with an idempotency key, so that a repeated request creates nothing twice.
     *
     * @returns the answer's record, its `id` included.
     * @throws {OutcomeUnknown} when no answer says whether it was created.
     */
    create: async (
      property: NewProperty,
      idempotencyKey: string,
    ): Promise<ServiceRecord & { readonly id: string }> => {
      const answer = await call('createProperty', {}, { body: property, idempotencyKey });
      const record = isRecord(answer.body) ? normalise(answer.body) : {};
      const id = idIn(record) ?? idFromLocation(answer);
      if (id !== undefined) return { ...record, id };
      throw new OutcomeUnknown(
        `The service answered with ${answer.status} and named no id: the property may exist or not.`,
        { status: answer.status, requestId: answer.requestId },
      );
    },
  };
}

function idIn({ id }: ServiceRecord): string | undefined {
  if (typeof id === 'string' && id.trim() !== '') return id;
  return Number.isSafeInteger(id) ? String(id) : undefined;
}

/** The segment that follows the collection in the location; anything else there is no id. */
function idFromLocation({ headers }: Answer): string | undefined {
  const segment = /\/properties\/([^/?#]+)$/.exec(headers['location'] ?? '')?.[1];
  if (segment === undefined) return undefined;
  try {
    const id = decodeURIComponent(segment);
    return idProblem(id) === undefined ? id : undefined;
  } catch {
    // A broken percent encoding names nothing.
    return undefined;
  }
}
