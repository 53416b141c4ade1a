import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { snakeCaseName } from '../model/fields.ts';
import { type PatchStep, segmentsOf } from '../model/patch.ts';
import { languageMaps } from '../model/property-fields.ts';
import { isRecord, type Page, type ServiceRecord } from '../model/records.ts';
import { type Answer, checkTheUrl, isMarkupType } from './answer.ts';
import type { Call } from './client.ts';
import type { Query } from './dialect.ts';
import { type Extent, type WalkOptions, walk } from './paging.ts';
import { ask, type ListAnswer, readCount, readList, readRecord, readRecordOf } from './reading.ts';
import type { ApiOptions } from './service.ts';
import {
  type CreationDoubt,
  createUnder,
  isMissing,
  lookBack,
  type NewProperty,
  type ReadBack,
  remove,
} from './settling.ts';
import { update } from './updating.ts';

/** How a property is read: languages of its texts, and what is shown beside it. */
export interface PropertyView {
  readonly languages?: readonly string[] | undefined;
  readonly expand?: readonly string[] | undefined;
}

/** A property with what may be done with it, and the service's own number of the request, where it gave one. */
interface PropertyWithActions {
  readonly property: ServiceRecord;
  readonly requestId: string | undefined;
}

/** Properties of the current account. */
export function propertiesApi(call: Call, options: ApiOptions) {
  const { warn, ahead } = options;
  const read = (id: string, { languages, expand }: PropertyView, deadline?: number) => {
    const timed = deadline === undefined ? {} : { deadline };
    const readThis = (answer: Answer) => readProperty(answer, id);
    return ask(call, 'getProperty', { id }, readThis, { query: { languages, expand }, ...timed });
  };
  const readPage = (query: Query) =>
    ask(call, 'listProperties', {}, (answer) => readList(answer, 'properties', 'id'), { query });
  const count = () => ask(call, 'countProperties', {}, readSafely);
  const list = (filter: Query, extent: Extent, more: Partial<WalkOptions> = {}): AsyncGenerator<Page> =>
    walk(
      ({ number, size }) => {
        const page = () => readPage({ ...filter, page_size: size, page_number: number });
        // What a filter leaves is not part of the count.
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

    /** All pages of the list; the reader judges a count that disagrees. */
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
    readWithActions: (id: string): Promise<PropertyWithActions> => {
      const readThis = (answer: Answer) => ({
        property: readProperty(answer, id),
        requestId: answer.requestId,
      });
      return ask(call, 'getProperty', { id }, readThis, { query: { expand: ['actions'] } });
    },

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

function readProperty(answer: Answer, id: string): ServiceRecord {
  return readRecordOf(answer, 'id', id, (shown) => shown.toLowerCase());
}

/** Whether a list with this filter is of all properties. */
function isWhole(filter: Query): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

/** The languages that a patch writes: a service may show only those that are asked for. */
function languagesIn(steps: readonly PatchStep[]): readonly string[] | undefined {
  const languages = steps.flatMap((step) => {
    const [field = '', language, ...rest] = segmentsOf(step.path);
    if (!languageMaps.has(snakeCaseName(field)) || rest.length > 0) return [];
    if (language !== undefined) return [language];
    return 'value' in step && isRecord(step.value) ? Object.keys(step.value) : [];
  });
  return languages.length === 0 ? undefined : [...new Set(languages)];
}

/** A number of records, and whether it would show that its answer broke off: half a bare number is a number. */
interface Count {
  readonly count: number;
  readonly isSafe: boolean;
}

/** Two ways to learn how many there are. */
interface Sources {
  /** `$count`. */
  readonly count: () => Promise<Count>;
  /** A page of the list. */
  readonly list: () => Promise<ListAnswer>;
}

/** So often both are asked before they are said to disagree. */
const ROUNDS = 3;

/** @throws {CliError} `malformed_answer` when it is no number of records. */
function readSafely(answer: Answer): Count {
  return { count: readCount(answer), isSafe: isRecord(answer.body) };
}

/**
 * How many there are. A bare number counts where the list says the same or, where that says nothing, `$count` does again.
 *
 * @throws {CliError} `malformed_answer` when they go on to disagree.
 */
async function countSurely({ count: ask, list }: Sources): Promise<number> {
  let earlier: number | undefined;
  let counted: number | undefined;
  for (let round = 1; round <= ROUNDS; round += 1) {
    const { count, isSafe } = await ask();
    if (isSafe) return count;
    counted = countIn(await list().catch(sayingNothing));
    if (count === (counted ?? earlier)) return count;
    earlier = count;
  }
  const other = counted === undefined ? 'said another number before' : `the list says ${counted}`;
  throw disagreement('count', `$count says ${earlier}, and ${other}`);
}

/**
 * A page of a list, unless it has no content where `$count` says that there is some.
 *
 * @param before so many records are on the pages before it.
 * @throws {CliError} `malformed_answer` when they go on to disagree.
 */
async function listSurely({ count: ask, list }: Sources, before: number): Promise<ListAnswer> {
  for (let round = 1; ; round += 1) {
    const listed = await list();
    if (listed.isSilent !== true) return listed;
    const counted = await ask().catch(sayingNothing);
    if (counted === undefined || counted.count <= before) return listed;
    if (round === ROUNDS)
      throw disagreement('list', `the list has no content (204), and $count says ${counted.count}`);
  }
}

/** What a first page of one record says of all; a count of 1 may be that of the page. */
function countIn(listed: ListAnswer | undefined): number | undefined {
  if (listed?.isSilent === true) return 0;
  return listed?.count === 1 && listed.items.length === 1 ? undefined : listed?.count;
}

/** For `catch`: what the service refuses to tell, or tells badly, proves nothing. */
function sayingNothing(error: unknown): undefined {
  if (!(error instanceof CliError) || error.exitCode === ExitCode.unavailable) throw error;
}

function disagreement(does: string, what: string): CliError {
  return new CliError('malformed_answer', `Could not ${does} the properties: ${what}.`);
}

/**
 * Takes a success of HEAD for that of a record. It has no body: of a page that a gateway would have sent, as of a log-in or
 * for what it cannot route, only the type is seen, and it says neither.
 *
 * @throws {CliError} `html_answer` when it is about a page.
 */
function readHead({ headers }: Answer): void {
  if (isMarkupType(headers))
    throw new CliError('html_answer', "the service's answer is about a page, not about a record", {
      hint: checkTheUrl,
    });
}

/**
 * Whether the answer to HEAD says that there is a record.
 *
 * @throws {CliError} `html_answer`, exit 1, when it is about a page.
 */
async function isThere(asking: Promise<void>): Promise<boolean> {
  try {
    await asking;
    return true;
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (cause.code === 'not_found') return false;
    if (cause.code !== 'html_answer') throw cause;
    const { message, status, requestId, hint } = cause;
    throw new CliError(cause.code, message, { status, requestId, hint, cause, exitCode: ExitCode.failed });
  }
}
