import { normalise } from '../model/fields.ts';
import { isRecord, type Page, type ServiceRecord } from '../model/records.ts';
import { isDecodable } from '../model/segment.ts';
import { type Answer, nothingConfirms } from './answer.ts';
import type { Call } from './client.ts';
import { countSurely, listSurely, readSafeCount } from './counting.ts';
import type { Query } from './dialect.ts';
import { type Extent, walk } from './paging.ts';
import { idProblem } from './path.ts';
import { ask, isThere, readList, readRecord, readRecordOf } from './reading.ts';
import type { ApiOptions } from './service.ts';
import { isMissing, type ReadBack, remove } from './settling.ts';
import { type Update, update } from './updating.ts';

/** How a record is read: the languages of its texts, and what is shown besides. */
export interface View {
  readonly languages?: readonly string[] | undefined;
  readonly expand?: readonly string[] | undefined;
}

/** The operations of one kind of record, and how lists and messages name it. */
interface Kind {
  /** The beginning of a sentence about one: `The unit`. */
  readonly subject: string;
  readonly plural: string;
  /** The name under which the service wraps the list. */
  readonly key: string;
  readonly list: 'listProperties' | 'listUnitGroups' | 'listUnits' | 'listUnitAttributes';
  readonly count?: 'countProperties' | 'countUnitGroups' | 'countUnits';
  readonly get: 'getProperty' | 'getUnitGroup' | 'getUnit' | 'getUnitAttribute';
  readonly exists: 'propertyExists' | 'unitGroupExists' | 'unitExists' | 'unitAttributeExists';
  readonly create: 'createProperty' | 'createUnitGroup' | 'createUnit' | 'createUnitAttribute';
  readonly delete: 'deleteProperty' | 'deleteUnitGroup' | 'deleteUnit' | 'deleteUnitAttribute';
  /** How a record is read back. */
  readonly whole: View;
  /** Records on a page of a whole list. Default: 100. */
  readonly pageSize?: number;
  /** A filtered list has the same count. */
  readonly countsAll?: true;
}

/** A record that a creation led to. */
export type CreatedRecord = ServiceRecord & { readonly id: string };

/** What properties, and what they let, have in common. */
export function resource(call: Call, options: ApiOptions, kind: Kind) {
  const { warn, ahead } = options;
  const { plural, whole } = kind;
  const read = (id: string, { languages, expand }: View = {}, deadline?: number): Promise<ServiceRecord> =>
    ask(call, kind.get, { id }, (answer) => readOne(answer, id), { query: { languages, expand }, deadline });
  const readPage = (query: Query) =>
    ask(call, kind.list, {}, (answer) => readList(answer, kind.key, 'id'), { query });
  const counted = (query: Query) => {
    const { count } = kind;
    return count && (() => ask(call, count, {}, readSafeCount, { query }));
  };
  const list = (filter: Query, extent: Extent, warnOf = warn, pageSize?: number): AsyncGenerator<Page> => {
    const { expand: _, ...filters } = filter;
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const count = isFiltered && kind.countsAll ? undefined : counted(filters);
    return walk(
      ({ number, size }) => {
        const page = () => readPage({ ...filter, page_size: size, page_number: number });
        return count ? listSurely(plural, page, count, (number - 1) * size) : page();
      },
      extent,
      { idOf: ({ id }) => id, warn: warnOf, ahead, pageSize },
    );
  };
  return {
    /** The list, page by page. @param filter query parameters, in snake_case; the dialect spells those that it knows. */
    list: (filter: Query, extent: Extent): AsyncGenerator<Page> => list(filter, extent),

    /** All pages of the list; the caller judges a count that disagrees. */
    listAll: (filter: Query = {}): AsyncGenerator<Page> => list(filter, {}, async () => {}, kind.pageSize),

    /** The number of records: `$count`, checked against the list; of a kind without it the total of the list. */
    count: async (filter: Query = {}): Promise<number | undefined> => {
      const first = () => readPage({ ...filter, page_size: 1, page_number: 1 });
      const count = counted(filter);
      return count ? countSurely(plural, count, first) : (await first()).count;
    },

    /** One record as the service shows it. */
    get: (id: string, { languages, expand }: View = {}): Promise<ServiceRecord> =>
      ask(call, kind.get, { id }, readRecord, { query: { languages, expand } }),

    /** The record with an id; a record of another one is refused. */
    read,

    /** The record with its texts in every language, as a change needs it. */
    readAll: (id: string) => read(id, whole),

    /** HEAD. */
    exists: (id: string): Promise<boolean> => isThere(call, kind.exists, id),

    /**
     * POST with an idempotency key.
     *
     * @returns the record of the answer, with its `id`.
     * @throws {OutcomeUnknown} when no answer says whether it was created.
     */
    create: (body: ServiceRecord, idempotencyKey: string): Promise<CreatedRecord> =>
      ask(call, kind.create, {}, created, { body, idempotencyKey }),

    /**
     * Sends an update, read back unless `verify` is false.
     *
     * @throws {OutcomeUnknown} when no answer came and reading cannot settle it.
     */
    change: (id: string, how: Omit<Update, 'read'> & Partial<Pick<Update, 'read'>>): Promise<ReadBack> =>
      update({ read: (deadline) => read(id, whole, deadline), ...how }, options),

    /**
     * DELETE, read back unless `verify` is false.
     *
     * @throws {OutcomeUnknown} when no answer confirmed it, and the record still exists or cannot be read.
     */
    delete: (id: string, { verify }: { readonly verify: boolean }): Promise<ReadBack> =>
      remove(
        {
          send: (deadline) => call(kind.delete, { id }, { deadline }),
          isGone: (deadline) => isMissing(read(id, {}, deadline)),
          verify,
          presumed: `${kind.subject} ${id} is not there now`,
        },
        options,
      ),
  };
}

/** The record with an id, in any case of letters. @throws {CliError} `malformed_answer` for a record of another one. */
export function readOne(answer: Answer, id: string): ServiceRecord {
  return readRecordOf(answer, 'id', id, (shown) => shown.toLowerCase());
}

/** The record in the answer to a creation. @throws {CliError} `malformed_answer` without an id. */
export function created(answer: Answer): CreatedRecord {
  const record = isRecord(answer.body) ? normalise(answer.body) : {};
  const id = idIn(record) ?? idFromLocation(answer);
  if (id === undefined) throw nothingConfirms();
  return { ...record, id };
}

function idIn({ id }: ServiceRecord): string | undefined {
  if (typeof id === 'string' && id.trim() !== '') return id;
  return Number.isSafeInteger(id) ? String(id) : undefined;
}

/** The last segment of the `location` header, if it follows the collection. */
function idFromLocation({ headers }: Answer): string | undefined {
  const segment = /\/(?:properties|unit-groups|units|unit-attributes)\/([^/?#]+)$/.exec(
    headers['location'] ?? '',
  )?.[1];
  if (segment === undefined || !isDecodable(segment)) return undefined;
  const id = decodeURIComponent(segment);
  return idProblem(id) === undefined ? id : undefined;
}
