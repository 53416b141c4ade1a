import { snakeCaseName } from '../model/fields.ts';
import { type PatchStep, segmentsOf } from '../model/patch.ts';
import { languageMaps } from '../model/property-fields.ts';
import { isRecord, type Page, type ServiceRecord } from '../model/records.ts';
import type { Answer } from './answer.ts';
import type { Call } from './client.ts';
import { countSurely, listSurely, readSafeCount } from './counting.ts';
import type { Query } from './dialect.ts';
import { type Extent, walk } from './paging.ts';
import { type LifeVerb, lifeActions } from './property-life.ts';
import { ask, isThere, readList, readRecord, readRecordOf } from './reading.ts';
import type { ApiOptions } from './service.ts';
import {
  type CreatedRecord,
  type CreationDoubt,
  created,
  createUnder,
  isMissing,
  lookBack,
  type NewProperty,
  type ReadBack,
  remove,
} from './settling.ts';
import { update } from './updating.ts';

/** How a property is read: the languages of its texts, and what is shown besides. */
export interface PropertyView {
  readonly languages?: readonly string[] | undefined;
  readonly expand?: readonly string[] | undefined;
}

/** Properties of the current account. */
export function propertiesApi(call: Call, options: ApiOptions) {
  const { warn, ahead } = options;
  const read = (id: string, { languages, expand }: PropertyView, deadline?: number) => {
    const query = { languages, expand };
    return ask(call, 'getProperty', { id }, (answer) => readProperty(answer, id), { query, deadline });
  };
  const readPage = (query: Query) =>
    ask(call, 'listProperties', {}, (answer) => readList(answer, 'properties', 'id'), { query });
  const count = () => ask(call, 'countProperties', {}, readSafeCount);
  const list = (filter: Query, extent: Extent, warnOf = warn): AsyncGenerator<Page> =>
    walk(
      ({ number, size }) => {
        const page = () => readPage({ ...filter, page_size: size, page_number: number });
        // A filtered list has another count.
        const isWhole = Object.values(filter).every((value) => value === undefined);
        return isWhole ? listSurely('properties', page, count, (number - 1) * size) : page();
      },
      extent,
      { idOf: ({ id }) => id, warn: warnOf, ahead },
    );
  return {
    /**
     * GET /inventory/v1/properties, page by page.
     *
     * @param filter query parameters that the contract does not name; the dialect spells those that it knows.
     */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> => list(filter, extent),

    /** All pages of the list; the caller judges a count that disagrees. */
    listAll: (filter: Query = {}): AsyncGenerator<Page> => list(filter, {}, async () => {}),

    /** GET /inventory/v1/properties/$count; a bare number is checked against the list. */
    count: (): Promise<number> =>
      countSurely('properties', count, () => readPage({ page_size: 1, page_number: 1 })),

    /** Sends a request that every token may send: `$count`. */
    probe: async (): Promise<void> => void (await count()),

    /** GET /inventory/v1/properties/{id}. */
    get: (id: string, { languages, expand }: PropertyView): Promise<ServiceRecord> =>
      ask(call, 'getProperty', { id }, readRecord, { query: { languages, expand } }),

    /** HEAD /inventory/v1/properties/{id}, which the contract does not have. */
    exists: (id: string): Promise<boolean> => isThere(call, 'propertyExists', id),

    /**
     * The property with an id; a record of another one is refused.
     *
     * @param languages of its texts; a service may show only requested ones.
     */
    read: (id: string, languages?: readonly string[]): Promise<ServiceRecord> => read(id, { languages }),

    /** The same with the actions that are possible now, if the service shows them; and the request id. */
    readWithActions: (id: string) => {
      const readThis = (answer: Answer) => ({
        property: readProperty(answer, id),
        requestId: answer.requestId,
      });
      return ask(call, 'getProperty', { id }, readThis, { query: { expand: ['actions'] } });
    },

    /**
     * POST /inventory/v1/properties with an idempotency key.
     *
     * @returns the record of the answer, with its `id`, or the property that a look found.
     * @throws {OutcomeUnknown} when neither an answer nor a look says whether it was created.
     */
    create: (property: NewProperty, idempotencyKey: string, doubt: CreationDoubt<CreatedRecord> = {}) =>
      createUnder(
        idempotencyKey,
        property,
        doubt,
        { operation: 'createProperty', read: created },
        call,
        options,
      ),

    /**
     * POST /inventory/v1/property-actions/{id}/clone with an idempotency key, which the contract does not have; as `create`.
     *
     * @param source the property whose inventory and rate plans are copied.
     */
    clone: (
      source: string,
      property: NewProperty,
      idempotencyKey: string,
      doubt: CreationDoubt<CreatedRecord> = {},
    ) =>
      createUnder(
        idempotencyKey,
        property,
        doubt,
        { operation: 'cloneProperty', source, read: created },
        call,
        options,
      ),

    /**
     * Whether a created property can be read, within 15 s; `undefined` if unknown.
     *
     * @param waits look again if it cannot be read yet.
     */
    isVisible: async (id: string, waits: boolean): Promise<boolean | undefined> => {
      const isRead = async (deadline: number) => !(await isMissing(read(id, {}, deadline)));
      const last = await lookBack(isRead, (isThere) => isThere || !waits, options);
      return 'seen' in last ? last.seen : undefined;
    },

    /**
     * PATCH /inventory/v1/properties/{id}, read back unless `verify` is false.
     *
     * @throws {OutcomeUnknown} when no answer came and reading cannot settle it.
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
     * PUT /inventory/v1/property-actions/{id}/..., read back unless `verify` is false. No read shows a reset.
     *
     * @throws {OutcomeUnknown} when no answer came and reading cannot settle it.
     */
    carryOut: async (
      id: string,
      verb: LifeVerb,
      { verify }: { readonly verify: boolean },
    ): Promise<ReadBack> => {
      const { operation, steps } = lifeActions[verb];
      const send = (deadline?: number) => call(operation, { id }, { deadline });
      if (steps.length > 0) {
        const readThis = (deadline: number) => read(id, {}, deadline);
        return update({ steps, send: (_, deadline) => send(deadline), read: readThis, verify }, options);
      }
      await send();
      return { verification: undefined, paths: [] };
    },

    /**
     * DELETE /inventory/v1/properties/{id}, read back unless `verify` is false.
     *
     * @throws {OutcomeUnknown} when no answer confirmed it, and the property still exists or cannot be read.
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

function readProperty(answer: Answer, id: string): ServiceRecord {
  return readRecordOf(answer, 'id', id, (shown) => shown.toLowerCase());
}

/** The languages that a patch writes: a service may show only requested ones. */
function languagesIn(steps: readonly PatchStep[]): readonly string[] | undefined {
  const languages = steps.flatMap((step) => {
    const [field = '', language, ...rest] = segmentsOf(step.path);
    if (!languageMaps.has(snakeCaseName(field)) || rest.length > 0) return [];
    if (language !== undefined) return [language];
    return 'value' in step && isRecord(step.value) ? Object.keys(step.value) : [];
  });
  return languages.length === 0 ? undefined : [...new Set(languages)];
}
