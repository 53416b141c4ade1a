import { snakeCaseName } from '../model/fields.ts';
import { type PatchStep, segmentsOf } from '../model/patch.ts';
import { languageMaps } from '../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import type { Answer } from './answer.ts';
import type { Call } from './client.ts';
import { ask, readCount } from './reading.ts';
import { type CreatedRecord, created, readOne, resource } from './resource.ts';
import type { ApiOptions } from './service.ts';
import type { ReadBack } from './settling.ts';

/** Properties of the current account. */
export function propertiesApi(call: Call, options: ApiOptions) {
  const properties = resource(call, options, {
    subject: 'Property',
    plural: 'properties',
    key: 'properties',
    list: 'listProperties',
    count: 'countProperties',
    get: 'getProperty',
    exists: 'propertyExists',
    create: 'createProperty',
    delete: 'deleteProperty',
    whole: {},
    countsAll: true,
  });
  const { read, change } = properties;
  return {
    ...properties,

    /** Sends a request that every token may send: `$count`. */
    probe: async (): Promise<void> => void (await ask(call, 'countProperties', {}, readCount)),

    /**
     * The property with an id; a record of another one is refused.
     *
     * @param languages of its texts; a service may show only requested ones.
     */
    read: (id: string, languages?: readonly string[]): Promise<ServiceRecord> => read(id, { languages }),

    /** The same with the actions that are possible now, if the service shows them; and the request id. */
    readWithActions: (id: string) => {
      const readThis = (answer: Answer) => ({ property: readOne(answer, id), requestId: answer.requestId });
      return ask(call, 'getProperty', { id }, readThis, { query: { expand: ['actions'] } });
    },

    /**
     * POST /inventory/v1/property-actions/{id}/clone with an idempotency key, which the contract does not have; as `create`.
     *
     * @param id of the property whose inventory and rate plans are copied.
     */
    clone: (id: string, body: ServiceRecord, idempotencyKey: string): Promise<CreatedRecord> =>
      ask(call, 'cloneProperty', { id }, created, { body, idempotencyKey }),

    /** PATCH /inventory/v1/properties/{id}, as `change`. */
    update: (
      id: string,
      steps: readonly PatchStep[],
      { verify }: { readonly verify: boolean },
    ): Promise<ReadBack> =>
      change(id, {
        steps,
        send: (body, deadline) => call('updateProperty', { id }, { body, deadline }),
        read: (deadline) => read(id, { languages: languagesIn(steps) }, deadline),
        verify,
      }),

    /** PUT /inventory/v1/property-actions/{id}/..., as `change`. No read shows a reset. */
    carryOut: async (
      id: string,
      verb: LifeVerb,
      { verify }: { readonly verify: boolean },
    ): Promise<ReadBack> => {
      const { operation, steps } = lifeActions[verb];
      const send = (deadline?: number) => call(operation, { id }, { deadline });
      if (steps.length > 0) return change(id, { steps, send: (_, deadline) => send(deadline), verify });
      await send();
      return { verification: undefined, paths: [] };
    },
  };
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

/** What can be done to a property once and not undone. */
interface LifeAction {
  readonly operation: 'setPropertyLive' | 'archiveProperty' | 'resetProperty';
  /** Its name among the actions that a property shows. */
  readonly action: string;
  /** What the property shows afterwards; of a reset nothing. */
  readonly steps: readonly PatchStep[];
}

export type LifeVerb = 'set-live' | 'archive' | 'reset';

/** The actions by the verbs of their commands. Only the dialect apaleo has them. */
export const lifeActions: Readonly<Record<LifeVerb, LifeAction>> = {
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
};
