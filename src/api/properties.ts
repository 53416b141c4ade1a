import type { Answer } from '../http/answer.ts';
import { isRecord, type Page, type ServiceRecord } from '../records.ts';
import type { Call } from './client.ts';
import { countSurely, listSurely, readSafely } from './counting.ts';
import { type CreationDoubt, createUnder, type NewProperty } from './creating.ts';
import type { Query } from './dialects/dialect.ts';
import { isThere, readHead } from './existing.ts';
import { lookBack, type ReadBack } from './looks.ts';
import { type Extent, type WalkOptions, walk } from './paging.ts';
import { type PatchStep, segmentsOf } from './patch.ts';
import { ask, readList, readRecord, readRecordOf } from './reading.ts';
import { isMissing, remove } from './removing.ts';
import { type UpdateOptions, update } from './updating.ts';

/** Fields that hold a text for each language. */
export const languageMaps: ReadonlySet<string> = new Set([
  'name',
  'description',
  'paymentTerms',
  'payment_terms',
]);

/** How a property is read: languages of its texts, and what is shown beside it. */
export interface PropertyView {
  readonly languages?: readonly string[] | undefined;
  readonly expand?: readonly string[] | undefined;
}

/** Is told the service's own number of the request, where it gave one. */
type Heard = (requestId: string | undefined) => void;

type PropertiesOptions = UpdateOptions &
  Pick<WalkOptions, 'warn' | 'ahead'> & { readonly trustsKeys: boolean };

/** Properties of the current account. */
export function propertiesApi(call: Call, options: PropertiesOptions) {
  const { warn, ahead } = options;
  const read = (id: string, { languages, expand }: PropertyView, deadline?: number, heard?: Heard) => {
    const timed = deadline === undefined ? {} : { deadline };
    const readThis = (answer: Answer) => {
      heard?.(answer.requestId);
      return readRecordOf(answer, 'id', id, (shown) => shown.toLowerCase());
    };
    return ask(call, 'getProperty', { id }, readThis, { query: { languages, expand }, ...timed });
  };
  const readPage = (query: Query) =>
    ask(call, 'listProperties', {}, (answer) => readList(answer, 'properties', 'id'), { query });
  const count = () => ask(call, 'countProperties', {}, readSafely);
  const list = (filter: Query, extent: Extent, more: Partial<WalkOptions> = {}): AsyncGenerator<Page> =>
    walk(
      ({ number, size }) => {
        const page = () => readPage({ ...filter, page_size: size, page_number: number });
        // What a filter leaves is no part of the count.
        return isWhole(filter) ? listSurely({ count, list: page }, (number - 1) * size) : page();
      },
      extent,
      { idOf: (record) => record['id'] ?? JSON.stringify(record), warn, ahead, ...more },
    );
  return {
    /**
     * GET /inventory/v1/properties, page by page.
     *
     * @param filter query parameters that the contract only mentions, sent as they are where the dialect has no spelling.
     */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> => list(filter, extent),

    /** All pages of the list; a count that disagrees is whoever reads it to judge. */
    listAll: (filter: Query = {}): AsyncGenerator<Page> => list(filter, {}, { warn: async () => {} }),

    /** GET /inventory/v1/properties/$count; a bare number is held against the list. */
    count: (): Promise<number> =>
      countSurely({ count, list: () => readPage({ page_size: 1, page_number: 1 }) }),

    /** Asks what every token may ask: for `$count`, whatever it is. */
    probe: async (): Promise<void> => void (await count()),

    /** GET /inventory/v1/properties/{id}. */
    get: (id: string, { languages, expand }: PropertyView): Promise<ServiceRecord> =>
      ask(call, 'getProperty', { id }, readRecord, { query: { languages, expand } }),

    /** HEAD /inventory/v1/properties/{id}, which the contract does not have. */
    exists: (id: string): Promise<boolean> => isThere(ask(call, 'propertyExists', { id }, readHead)),

    /**
     * The property with an id, to conclude something from it: a record of another one is refused.
     *
     * @param languages of its texts; a service may show only those that are asked for.
     */
    read: (id: string, languages?: readonly string[]): Promise<ServiceRecord> => read(id, { languages }),

    /** The same, with what may be done with it now, where the service shows that. */
    readWithActions: (id: string, heard?: Heard): Promise<ServiceRecord> =>
      read(id, { expand: ['actions'] }, undefined, heard),

    /**
     * POST /inventory/v1/properties with an idempotency key, so that a repeated request creates nothing twice.
     *
     * @returns the answer's record, its `id` included, or the property as a look found it.
     * @throws {OutcomeUnknown} when no answer says whether it was created, and no look does.
     */
    create: (property: NewProperty, idempotencyKey: string, doubt: CreationDoubt = {}) =>
      createUnder(idempotencyKey, property, doubt, call, options),

    /**
     * Whether a property that was created can be read: a courtesy, with a short time of its own. `undefined`: nothing tells.
     *
     * @param waits looks again where it cannot be read yet.
     */
    isVisible: async (id: string, waits: boolean): Promise<boolean | undefined> => {
      const isRead = async (deadline: number) => !(await isMissing(read(id, {}, deadline)));
      const last = await lookBack(isRead, (isThere) => isThere || !waits, options);
      return 'seen' in last ? last.seen : undefined;
    },

    /**
     * PATCH /inventory/v1/properties/{id}, read back unless `verify` is false. The times of day can be changed, and
     * the public service never shows them.
     *
     * @throws {OutcomeUnknown} when no answer came and reading cannot tell.
     */
    update: (
      id: string,
      steps: readonly PatchStep[],
      { verify }: { readonly verify: boolean },
    ): Promise<ReadBack> =>
      update(
        {
          steps,
          send: (body, deadline) => call('updateProperty', { id }, { body, deadline }),
          read: (deadline) => read(id, { languages: languagesIn(steps) }, deadline),
          verify,
        },
        options,
      ),

    /**
     * DELETE /inventory/v1/properties/{id}, read back unless `verify` is false.
     *
     * @throws {OutcomeUnknown} when no answer said yes and the property is still there, or nothing tells.
     */
    delete: (id: string, { verify }: { readonly verify: boolean }): Promise<ReadBack> =>
      remove(
        {
          send: (deadline) => call('deleteProperty', { id }, { deadline }),
          isGone: (deadline) => isMissing(read(id, {}, deadline)),
          verify,
          presumed: `Property ${id} is not there now`,
        },
        options,
      ),
  };
}

/** Whether a list with this filter is of all properties. */
function isWhole(filter: Query): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

/** The languages that a patch writes: a service may show only those that are asked for. */
function languagesIn(steps: readonly PatchStep[]): readonly string[] | undefined {
  const languages = steps.flatMap((step) => {
    const [field = '', language, ...rest] = segmentsOf(step.path);
    if (!languageMaps.has(field) || rest.length > 0) return [];
    if (language !== undefined) return [language];
    return 'value' in step && isRecord(step.value) ? Object.keys(step.value) : [];
  });
  return languages.length === 0 ? undefined : [...new Set(languages)];
}
