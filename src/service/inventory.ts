import type { Comparison, PatchStep } from '../model/patch.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { type Answer, nothingConfirms } from './answer.ts';
import type { Call } from './client.ts';
import { ask } from './reading.ts';
import { resource } from './resource.ts';
import type { ApiOptions } from './service.ts';
import type { ReadBack } from './settling.ts';

/** Units of one request: the service does not say how many it takes. */
export const UNITS_A_REQUEST = 50;

/** The documents allow pages of 500: most properties have one page of units. */
const LARGEST_PAGE = 500;

/** How an update is sent. */
interface Sending {
  readonly verify: boolean;
}

/** How an update is sent whose steps depend on the record. */
interface Deriving extends Sending {
  /** The steps that are left for a record. */
  readonly stepsFor?: (record: ServiceRecord) => readonly PatchStep[];
}

/** Unit groups, units and unit attributes: what a property rents out. Only the dialect apaleo has them. */
export function inventoryApi(call: Call, options: ApiOptions) {
  const unitGroups = resource(call, options, {
    subject: 'The unit group',
    plural: 'unit groups',
    key: 'unitGroups',
    list: 'listUnitGroups',
    count: 'countUnitGroups',
    get: 'getUnitGroup',
    exists: 'unitGroupExists',
    create: 'createUnitGroup',
    delete: 'deleteUnitGroup',
    whole: { languages: ['all'] },
    pageSize: LARGEST_PAGE,
  });
  const units = resource(call, options, {
    subject: 'The unit',
    plural: 'units',
    key: 'units',
    list: 'listUnits',
    count: 'countUnits',
    get: 'getUnit',
    exists: 'unitExists',
    create: 'createUnit',
    delete: 'deleteUnit',
    whole: { languages: ['all'] },
    pageSize: LARGEST_PAGE,
  });
  const unitAttributes = resource(call, options, {
    subject: 'The unit attribute',
    plural: 'unit attributes',
    key: 'unitAttributes',
    list: 'listUnitAttributes',
    get: 'getUnitAttribute',
    exists: 'unitAttributeExists',
    create: 'createUnitAttribute',
    delete: 'deleteUnitAttribute',
    whole: {},
    pageSize: LARGEST_PAGE,
  });
  return {
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
        { verify }: Sending,
      ): Promise<ReadBack> =>
        unitGroups.change(id, {
          steps,
          send: (_steps, deadline) => call('replaceUnitGroup', { id }, { body, deadline }),
          verify,
        }),
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
      /** PATCH /inventory/v1/units/{id}, as `change`. */
      update: (id: string, steps: readonly PatchStep[], { verify, stepsFor }: Deriving): Promise<ReadBack> =>
        units.change(id, {
          steps,
          send: (body, deadline) => call('updateUnit', { id }, { body, deadline }),
          verify,
          stepsFor,
          // A unit does not show its condition and its group where they are set.
          judge: stepsFor && ((record) => leaving(stepsFor(record))),
        }),
      /** PATCH /inventory/v1/units: the same steps for several units; read them back to see the result. */
      updateAll: async (ids: readonly string[], steps: readonly PatchStep[]): Promise<void> => {
        await call('updateUnits', {}, { query: { unit_ids: ids }, body: steps });
      },
      /** PUT /inventory/v1/unit-actions/{id}/archive, as `change`. */
      archive: (id: string, { verify }: Sending): Promise<ReadBack> =>
        units.change(id, {
          steps: [{ op: 'replace', path: '/is_archived', value: true }],
          send: (_steps, deadline) => call('archiveUnit', { id }, { deadline }),
          verify,
        }),
    },
    unitAttributes: {
      ...unitAttributes,
      /** PATCH /inventory/v1/unit-attributes/{id}, as `change`. */
      update: (id: string, steps: readonly PatchStep[], { verify }: Sending): Promise<ReadBack> =>
        unitAttributes.change(id, {
          steps,
          send: (body, deadline) => call('updateUnitAttribute', { id }, { body, deadline }),
          verify,
        }),
    },
  };
}

/** What a record shows of an update after which these steps are left. */
function leaving(steps: readonly PatchStep[]): Comparison {
  return { different: steps.map(({ path }) => path), unseen: [], absent: [] };
}

/** The ids in the answer to a bulk creation. @throws {CliError} `malformed_answer` without any. */
function idsIn({ body }: Answer): readonly string[] {
  const ids = isRecord(body) ? body['ids'] : undefined;
  if (Array.isArray(ids) && ids.every((id) => typeof id === 'string')) return ids;
  throw nothingConfirms();
}
