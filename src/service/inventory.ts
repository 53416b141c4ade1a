import { asWritten } from '../model/diff.ts';
import { normalise, snakeCaseName } from '../model/fields.ts';
import { languageMaps } from '../model/kinds.ts';
import { compare, type PatchStep, segmentsOf } from '../model/patch.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { type Answer, nothingConfirms } from './answer.ts';
import { type Dialect, type Query, requiredInList } from './dialect.ts';
import { PAGE_SIZE, pagedLists } from './paging.ts';
import {
  type ApiOptions,
  ask,
  type Call,
  isThere,
  readCount,
  readHead,
  readList,
  readRecord,
  readRecordOf,
} from './reading.ts';
import { isMissing, type ReadBack, remove, type Update, update } from './settling.ts';

/** Units of one request: the service does not say how many it takes. */
export const UNITS_A_REQUEST = 50;

/** The documents allow pages of 500: most properties have one page of units. */
const LARGEST_PAGE = 500;

/** How a record is read: the languages of its texts, and what is shown besides. */
export interface View {
  readonly languages?: readonly string[] | undefined;
  readonly expand?: readonly string[] | undefined;
}

/** How the texts of a record are read in every language. */
const allTexts = { languages: ['all'] } as const;

/** The kinds of records, as operations and messages name them: `subject` begins a sentence, `whole` is how a record is read back. */
const kinds = {
  property: { one: 'Property', all: 'Properties', subject: 'Property', whole: {} },
  unitGroup: { one: 'UnitGroup', all: 'UnitGroups', subject: 'The unit group', whole: allTexts },
  unit: { one: 'Unit', all: 'Units', subject: 'The unit', whole: allTexts },
  unitAttribute: { one: 'UnitAttribute', all: 'UnitAttributes', subject: 'The unit attribute', whole: {} },
} as const;

/** Whether a write is read back. */
interface Sending {
  readonly verify: boolean;
}

/** An update, and how it is sent and read back. */
interface Change extends Sending, Pick<Update, 'steps' | 'stepsFor' | 'judge'> {
  readonly view?: View;
  /** What is sent. Default: the steps. */
  readonly body?: ServiceRecord | undefined;
}

/** A record that a creation led to. */
type CreatedRecord = ServiceRecord & { readonly id: string };

/** Properties of the current account, and unit groups, units and unit attributes: what they rent out, which only the dialect apaleo has. */
export function inventoryApi(call: Call, dialect: Dialect, options: ApiOptions) {
  const properties = resource(call, dialect, options, 'property');
  const unitGroups = resource(call, dialect, options, 'unitGroup');
  const units = resource(call, dialect, options, 'unit');
  const unitAttributes = resource(call, dialect, options, 'unitAttribute');
  return {
    properties: {
      ...properties,
      /** Sends a request that every token may send: `$count`. */
      probe: async (): Promise<void> => void (await properties.count()),
      /**
       * The property with an id; a record of another one is refused.
       *
       * @param languages of its texts; a service may show only requested ones.
       */
      read: (id: string, languages?: readonly string[]): Promise<ServiceRecord> =>
        properties.read(id, { languages }),
      /** The same with the actions that are possible now, if the service shows them; and the request id. */
      readWithActions: (id: string) => {
        const readThis = (answer: Answer) => ({
          property: readRecordOf(answer, dialect.required.property, 'id', id),
          requestId: answer.requestId,
        });
        const isShown = dialect.expansions?.includes('actions') === true;
        return ask(
          call,
          'getProperty',
          { id },
          readThis,
          isShown ? { query: { ...allTexts, expand: ['actions'] } } : {},
        );
      },
      /**
       * POST /inventory/v1/property-actions/{id}/clone with an idempotency key, which the contract does not have; as `create`.
       *
       * @param id of the property whose inventory and rate plans are copied.
       */
      clone: (id: string, body: ServiceRecord, idempotencyKey: string): Promise<CreatedRecord> =>
        ask(call, 'cloneProperty', { id }, created, { body, idempotencyKey }),
      /** PATCH /inventory/v1/properties/{id}, as `change`. */
      update: (id: string, steps: readonly PatchStep[], how: Sending): Promise<ReadBack> =>
        properties.change('updateProperty', id, { ...how, steps, view: { languages: languagesIn(steps) } }),
      /** PUT /inventory/v1/property-actions/{id}/..., as `change`. No read shows a reset. */
      carryOut: async (id: string, verb: LifeVerb, how: Sending): Promise<ReadBack> => {
        const { operation, steps } = lifeActions[verb];
        if (steps.length > 0) return properties.change(operation, id, { ...how, steps, body: undefined });
        await call(operation, { id });
        return { verification: undefined, paths: [] };
      },
    },
    unitGroups: {
      ...unitGroups,
      /**
       * PUT /inventory/v1/unit-groups/{id}, as `change`.
       *
       * @param body the whole group as it shall be.
       * @param steps what differs from the group as it was read.
       */
      replace: (
        id: string,
        body: ServiceRecord,
        steps: readonly PatchStep[],
        how: Sending,
      ): Promise<ReadBack> => unitGroups.change('replaceUnitGroup', id, { ...how, steps, body }),
    },
    units: {
      ...units,
      /**
       * POST /inventory/v1/units/bulk with an idempotency key. The answer names no names: list the units to see whose ids
       * they are.
       *
       * @returns the ids.
       * @throws {OutcomeUnknown} when no answer says whether they were created.
       */
      createAll: (bodies: readonly ServiceRecord[], idempotencyKey: string): Promise<readonly string[]> =>
        ask(call, 'createUnits', {}, idsIn, { body: { units: bodies }, idempotencyKey }),
      /**
       * PATCH /inventory/v1/units/{id}, as `change`. A unit does not show its condition and its group where they are set.
       *
       * @param stepsFor the steps that are left for a record, if they depend on it.
       */
      update: (
        id: string,
        steps: readonly PatchStep[],
        { verify, stepsFor }: Sending & Pick<Update, 'stepsFor'>,
      ): Promise<ReadBack> => {
        const judge: Update['judge'] = (record, sent) =>
          stepsFor === undefined
            ? compare(asWritten(record), sent)
            : { different: stepsFor(record).map(({ path }) => path), unseen: [] };
        return units.change('updateUnit', id, { steps, verify, stepsFor, judge });
      },
      /** PATCH /inventory/v1/units: the same steps for several units; read them back to see the result. */
      updateAll: async (ids: readonly string[], steps: readonly PatchStep[]): Promise<void> => {
        await call('updateUnits', {}, { query: { unit_ids: ids }, body: steps });
      },
      /** PUT /inventory/v1/unit-actions/{id}/archive, as `change`. */
      archive: (id: string, how: Sending): Promise<ReadBack> =>
        units.change('archiveUnit', id, { ...how, steps: lifeActions.archive.steps, body: undefined }),
    },
    unitAttributes: {
      ...unitAttributes,
      /** PATCH /inventory/v1/unit-attributes/{id}, as `change`. */
      update: (id: string, steps: readonly PatchStep[], how: Sending): Promise<ReadBack> =>
        unitAttributes.change('updateUnitAttribute', id, { ...how, steps }),
    },
  };
}

/** What all kinds have in common. */
function resource(call: Call, dialect: Dialect, options: ApiOptions, name: keyof typeof kinds) {
  const { warn, ahead } = options;
  const kind = kinds[name];
  const { one, all } = kind;
  /** What wraps a list: `unitGroups`. */
  const key = `${all.charAt(0).toLowerCase()}${all.slice(1)}`;
  const whole: View = kind.whole;
  const required = dialect.required[name];
  const listed = requiredInList(dialect, name);
  const read = (id: string, { languages, expand }: View = {}, deadline?: number): Promise<ServiceRecord> => {
    const query = { languages, expand };
    const readThis = (answer: Answer) => readRecordOf(answer, required, 'id', id);
    return ask(call, `get${one}`, { id }, readThis, { query, deadline });
  };
  const readPage = (query: Query) =>
    ask(call, `list${all}`, {}, (answer) => readList(answer, key, 'id', listed), { query });
  return {
    ...pagedLists(
      readPage,
      { idOf: ({ id }) => id, warn, ahead },
      name === 'property' ? PAGE_SIZE : LARGEST_PAGE,
    ),

    /** The number of records: `$count`; of a kind without it the total of the list. */
    count: async (query: Query = {}): Promise<number | undefined> => {
      if (all !== 'UnitAttributes') return ask(call, `count${all}`, {}, readCount, { query });
      return (await readPage({ ...query, page_size: 1, page_number: 1 })).count;
    },

    /** One record as the service shows it. */
    get: (id: string, { languages, expand }: View = {}): Promise<ServiceRecord> =>
      ask(call, `get${one}`, { id }, (answer) => readRecord(answer, required), {
        query: { languages, expand },
      }),

    /** The record with an id; a record of another one is refused. */
    read,

    /** The record with its texts in every language, as a change needs it. */
    readAll: (id: string) => read(id, whole),

    /** HEAD; GET where the service has no HEAD. */
    exists: (id: string): Promise<boolean> => {
      const operation = `${name}Exists` as const;
      const hasHead = dialect.further[operation] !== undefined;
      return isThere(hasHead ? ask(call, operation, { id }, readHead) : read(id));
    },

    /**
     * POST with an idempotency key.
     *
     * @returns the record of the answer, with its `id`.
     * @throws {OutcomeUnknown} when no answer says whether it was created.
     */
    create: (body: ServiceRecord, idempotencyKey: string): Promise<CreatedRecord> =>
      ask(call, `create${one}`, {}, created, { body, idempotencyKey }),

    /**
     * Sends an update, read back unless `verify` is false.
     *
     * @throws {OutcomeUnknown} when no answer came and reading cannot settle it.
     */
    change: (
      operation: ChangeOperation,
      id: string,
      { view = whole, ...change }: Change,
    ): Promise<ReadBack> => {
      const send = (steps: readonly PatchStep[], deadline: number) =>
        call(operation, { id }, { body: 'body' in change ? change.body : steps, deadline });
      return update({ send, read: (deadline) => read(id, view, deadline), ...change }, options);
    },

    /**
     * DELETE, read back unless `verify` is false.
     *
     * @throws {OutcomeUnknown} when no answer confirmed it, and the record still exists or cannot be read.
     */
    delete: (id: string, { verify }: Sending): Promise<ReadBack> =>
      remove(
        {
          send: (deadline) => call(`delete${one}`, { id }, { deadline }),
          isGone: (deadline) => isMissing(read(id, {}, deadline)),
          verify,
          presumed: `${kind.subject} ${id} is not there now`,
        },
        options,
      ),
  };
}

type ChangeOperation =
  | `update${'Property' | 'Unit' | 'UnitAttribute'}`
  | 'replaceUnitGroup'
  | 'archiveUnit'
  | (typeof lifeActions)[LifeVerb]['operation'];

/** The record in the answer to a creation. @throws {CliError} `malformed_answer` without an id. */
function created(answer: Answer): CreatedRecord {
  const record = isRecord(answer.body) ? normalise(answer.body) : {};
  const id = idIn(record);
  if (id === undefined) throw nothingConfirms();
  return { ...record, id };
}

function idIn({ id }: ServiceRecord): string | undefined {
  if (typeof id === 'string' && id.trim() !== '') return id;
  return Number.isSafeInteger(id) ? String(id) : undefined;
}

/** The ids in the answer to a bulk creation. @throws {CliError} `malformed_answer` without any. */
function idsIn({ body }: Answer): readonly string[] {
  const ids = isRecord(body) ? body['ids'] : undefined;
  if (Array.isArray(ids) && ids.every((id) => typeof id === 'string')) return ids;
  throw nothingConfirms();
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

/**
 * What can be done to a property once and not undone, by the verbs of the commands: `action` is its name among those that a property
 * shows; `steps` are what the property shows afterwards, of a reset nothing. Only the dialect apaleo has them.
 */
export const lifeActions = {
  'set-live': {
    operation: 'setPropertyLive',
    action: 'SetLive',
    steps: [{ op: 'replace', path: '/status', value: 'Live' }],
  },
  archive: {
    operation: 'archiveProperty',
    action: 'Archive',
    steps: [{ op: 'replace', path: '/is_archived', value: true }],
  },
  reset: { operation: 'resetProperty', action: 'Reset', steps: [] },
} as const;

export type LifeVerb = keyof typeof lifeActions;
