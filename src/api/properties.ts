import { CliError, OutcomeUnknown } from '../errors.ts';
import type { Answer } from '../http/send.ts';
import { isRecord, type Page, type ServiceRecord } from '../records.ts';
import type { Call } from './client.ts';
import type { Query } from './dialects/dialect.ts';
import { type Extent, walk } from './paging.ts';
import { readList } from './reading.ts';

/** The body of create property; checked by property-fields.ts. */
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
      const record = isRecord(answer.body) ? answer.body : {};
      const id = textOf(record['id']) ?? idFromLocation(answer);
      if (id === undefined) {
        throw new OutcomeUnknown(
          `The service answered ${answer.status} and named no id: the property may exist or not.`,
          {
            status: answer.status,
            requestId: answer.requestId,
          },
        );
      }
      return { ...record, id };
    },
  };
}

function idFromLocation({ headers }: Answer): string | undefined {
  const last = headers['location']?.split(/[?#]/)[0]?.split('/').at(-1);
  return last === undefined || last === '' ? undefined : decode(last);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new CliError('malformed_answer', 'The location that the service gave cannot be read.', { cause });
  }
}

function textOf(value: unknown): string | undefined {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;
}
