import type { Comparison, PatchStep } from '../model/patch.ts';
import { isRecord, type Page, type ServiceRecord } from '../model/records.ts';
import type { Answer } from './answer.ts';
import type { Call } from './client.ts';
import { countSurely, listSurely, readSafeCount } from './counting.ts';
import type { Query } from './dialect.ts';
import { type Extent, walk } from './paging.ts';
import type { PropertyView } from './properties.ts';
import { ask, isThere, readList, readRecord, readRecordOf } from './reading.ts';
import type { ApiOptions } from './service.ts';
import {
  type CreatedRecord,
  type CreationDoubt,
  created,
  createUnder,
  isMissing,
  type ReadBack,
  remove,
} from './settling.ts';
import { update } from './updating.ts';

/** How an update is sent. */
interface Sending {
  readonly verify: boolean;
}

/** How an update is sent whose steps depend on the record. */
interface Deriving extends Sending {
  /** The steps that are left for a record. */
  readonly stepsFor?: (record: ServiceRecord) => readonly PatchStep[];
}

/** The operations of one kind of record, and how lists and messages name it. */
interface Kind {
  readonly noun: readonly [one: string, several: string];
  /** The name under which the service wraps the list. */
  readonly key: string;
  readonly list: 'listUnitGroups' | 'listUnits' | 'listUnitAttributes';
  readonly count?: 'countUnitGroups' | 'countUnits';
  readonly get: 'getUnitGroup' | 'getUnit' | 'getUnitAttribute';
  readonly exists: 'unitGroupExists' | 'unitExists' | 'unitAttributeExists';
  readonly create: 'createUnitGroup' | 'createUnit' | 'createUnitAttribute';
  readonly delete: 'deleteUnitGroup' | 'deleteUnit' | 'deleteUnitAttribute';
}

/** Unit groups, units and unit attributes: what a property rents out. Only the dialect apaleo has them. */
export function inventoryApi(call: Call, options: ApiOptions) {
  const unitGroups = resource(call, options, {
    noun: ['unit group', 'unit groups'],
    key: 'unitGroups',
    list: 'listUnitGroups',
    count: 'countUnitGroups',
    get: 'getUnitGroup',
    exists: 'unitGroupExists',
    create: 'createUnitGroup',
    delete: 'deleteUnitGroup',
  });
  const units = resource(call, options, {
    noun: ['unit', 'units'],
    key: 'units',
    list: 'listUnits',
    count: 'countUnits',
    get: 'getUnit',
    exists: 'unitExists',
    create: 'createUnit',
    delete: 'deleteUnit',
  });
  const unitAttributes = resource(call, options, {
    noun: ['unit attribute', 'unit attributes'],
    key: 'unitAttributes',
    list: 'listUnitAttributes',
    get: 'getUnitAttribute',
    exists: 'unitAttributeExists',
    create: 'createUnitAttribute',
    delete: 'deleteUnitAttribute',
  });
  return {
    unitGroups: {
      ...unitGroups,
      /**
       * PUT /inventory/v1/unit-groups/{id}, read back unless `verify` is false.
       *
       * @param body the whole group as it shall be.
       * @param steps what differs from the group as it was read.
       * @throws {OutcomeUnknown} when no answer came and reading cannot settle it.
       */
      replace: (
        id: string,
        body: ServiceRecord,
        steps: readonly PatchStep[],
        { verify }: Sending,
      ): Promise<ReadBack> =>
        update(
          {
            steps,
            send: (_steps, deadline) => call('replaceUnitGroup', { id }, { body, deadline }),
            read: (deadline) => unitGroups.readAll(id, deadline),
            verify,
          },
          options,
        ),
    },
    units: {
      ...units,
      /**
       * POST /inventory/v1/units/bulk with an idempotency key. The answer names no names: list the units to see whose ids
       * they are.
       *
       * @returns the ids, or what a look found.
       * @throws {OutcomeUnknown} when neither an answer nor a look says whether they were created.
       */
      createAll: (
        bodies: readonly ServiceRecord[],
        idempotencyKey: string,
        doubt: CreationDoubt<readonly string[]> = {},
      ): Promise<readonly string[]> =>
        createUnder(
          idempotencyKey,
          { units: bodies },
          doubt,
          { operation: 'createUnits', read: idsIn },
          call,
          options,
        ),
      /** PATCH /inventory/v1/units/{id}, as `unitAttributes.update`. */
      update: (id: string, steps: readonly PatchStep[], { verify, stepsFor }: Deriving): Promise<ReadBack> =>
        update(
          {
            steps,
            send: (body, deadline) => call('updateUnit', { id }, { body, deadline }),
            read: (deadline) => units.readAll(id, deadline),
            verify,
            stepsFor,
            // A unit does not show its condition and its group where they are set.
            judge: stepsFor && ((record) => leaving(stepsFor(record))),
          },
          options,
        ),
      /** PATCH /inventory/v1/units: the same steps for several units; read them back to see the result. */
      updateAll: async (ids: readonly string[], steps: readonly PatchStep[]): Promise<void> => {
        await call('updateUnits', {}, { query: { unit_ids: ids }, body: steps });
      },
      /** PUT /inventory/v1/unit-actions/{id}/archive, as `unitAttributes.update`. */
      archive: (id: string, { verify }: Sending): Promise<ReadBack> =>
        update(
          {
            steps: [{ op: 'replace', path: '/is_archived', value: true }],
            send: (_steps, deadline) => call('archiveUnit', { id }, { deadline }),
            read: (deadline) => units.readAll(id, deadline),
            verify,
          },
          options,
        ),
    },
    unitAttributes: {
      ...unitAttributes,
      /**
       * PATCH /inventory/v1/unit-attributes/{id}, read back unless `verify` is false.
       *
       * @throws {OutcomeUnknown} when no answer came and reading cannot settle it.
       */
      update: (id: string, steps: readonly PatchStep[], { verify }: Sending): Promise<ReadBack> =>
        update(
          {
            steps,
            send: (body, deadline) => call('updateUnitAttribute', { id }, { body, deadline }),
            read: (deadline) => unitAttributes.readAll(id, deadline),
            verify,
          },
          options,
        ),
    },
  };
}

/** The documents allow pages of 500: most properties have one page of units. */
const LARGEST_PAGE = 500;

/** What the three kinds have in common. */
function resource(call: Call, options: ApiOptions, kind: Kind) {
  const { warn, ahead } = options;
  const [one, several] = kind.noun;
  const readThis = (id: string) => (answer: Answer) =>
    readRecordOf(answer, 'id', id, (shown) => shown.toLowerCase());
  const read = (id: string, { languages, expand }: PropertyView, deadline?: number) =>
    ask(call, kind.get, { id }, readThis(id), { query: { languages, expand }, deadline });
  /** The record with its texts in every language, as a change needs it. */
  const readAll = (id: string, deadline?: number) =>
    read(id, kind.get === 'getUnitAttribute' ? {} : { languages: ['all'] }, deadline);
  const readPage = (query: Query) =>
    ask(call, kind.list, {}, (answer) => readList(answer, kind.key, 'id'), { query });
  const counted = (query: Query) => {
    const { count } = kind;
    return count && (() => ask(call, count, {}, readSafeCount, { query }));
  };
  const list = (filter: Query, extent: Extent, warnOf = warn, pageSize?: number): AsyncGenerator<Page> => {
    const { expand: _, ...filters } = filter;
    const count = counted(filters);
    return walk(
      ({ number, size }) => {
        const page = () => readPage({ ...filter, page_size: size, page_number: number });
        return count ? listSurely(several, page, count, (number - 1) * size) : page();
      },
      extent,
      { idOf: ({ id }) => id, warn: warnOf, ahead, pageSize },
    );
  };
  return {
    /** The list, page by page. @param filter query parameters, in snake_case. */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> => list(filter, extent),

    /** All pages of the list; the caller judges a count that disagrees. */
    listAll: (filter: Query = {}): AsyncGenerator<Page> => list(filter, {}, async () => {}, LARGEST_PAGE),

    /** The number of records: `$count`, checked against the list; of a kind without it the total of the list. */
    count: async (filter: Query = {}): Promise<number | undefined> => {
      const first = () => readPage({ ...filter, page_size: 1, page_number: 1 });
      const count = counted(filter);
      return count ? countSurely(several, count, first) : (await first()).count;
    },

    /** One record as the service shows it. */
    get: (id: string, { languages, expand }: PropertyView = {}): Promise<ServiceRecord> =>
      ask(call, kind.get, { id }, readRecord, { query: { languages, expand } }),

    /** The record with an id; a record of another one is refused. */
    read: (id: string, view: PropertyView = {}): Promise<ServiceRecord> => read(id, view),

    readAll,

    /** HEAD. */
    exists: (id: string): Promise<boolean> => isThere(call, kind.exists, id),

    /**
     * POST with an idempotency key.
     *
     * @returns the record of the answer, with its `id`, or the one that a look found.
     * @throws {OutcomeUnknown} when neither an answer nor a look says whether it was created.
     */
    create: (
      body: ServiceRecord,
      idempotencyKey: string,
      doubt: CreationDoubt<CreatedRecord> = {},
    ): Promise<CreatedRecord> =>
      createUnder(idempotencyKey, body, doubt, { operation: kind.create, read: created }, call, options),

    /**
     * DELETE, read back unless `verify` is false.
     *
     * @throws {OutcomeUnknown} when no answer confirmed it, and the record still exists or cannot be read.
     */
    delete: (id: string, { verify }: Sending): Promise<ReadBack> =>
      remove(
        {
          send: (deadline) => call(kind.delete, { id }, { deadline }),
          isGone: (deadline) => isMissing(read(id, {}, deadline)),
          verify,
          presumed: `The ${one} ${id} is not there now`,
        },
        options,
      ),
  };
}

/** What a record shows of an update after which these steps are left. */
function leaving(steps: readonly PatchStep[]): Comparison {
  return { different: steps.map(({ path }) => path), unseen: [], absent: [] };
}

/** The ids of an answer to a bulk creation; `undefined` if it has none. */
function idsIn({ body }: Answer): readonly string[] | undefined {
  const ids = isRecord(body) ? body['ids'] : undefined;
  return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids : undefined;
}
