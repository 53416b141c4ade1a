import { type ExecuteOptions, type Execution, execute, type RunJournal } from '../../src/change/execute.ts';
import type { Item, Result } from '../../src/change/item.ts';
import type { Service } from '../../src/change/row.ts';
import { CliError, ExitCode, OutcomeUnknown } from '../../src/model/errors.ts';
import type { ServiceRequest } from '../../src/service/answer.ts';
import { createWrites } from '../../src/service/writes.ts';
import { noInventory } from './no-inventory.ts';
import { memoryOf, type Remembered } from './plan-service.ts';

/** A fake service and journal of one run. Both log their events, in order. */
export interface Stage {
  /** `sent property BER`, `POST property BER`, `done property BER BER`, ... */
  readonly events: string[];
  /** The body of each request. */
  readonly bodies: unknown[];
  /** The records that reads showed: `property HAM p-7`. */
  readonly seen: string[];
  run(items: readonly Item[], more?: Partial<ExecuteOptions>): Promise<Execution>;
}

interface Play {
  /** Called for each request, with its description: `POST property BER`; its rejection is the outcome of the request. */
  readonly on?: (request: string) => Promise<void> | void;
  /** Called before a request is announced, with its record: `property BER`; its rejection is the outcome. */
  readonly onAnnounce?: (record: string) => void;
  readonly memory?: readonly Remembered[];
  /** The list responses of the service. */
  readonly listed?: readonly Readonly<Record<string, unknown>>[];
  readonly read?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Users, by their subject ids. */
  readonly users?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A fixed clock. */
export const still = { monotonic: () => 0, sleep: async () => {} };

/** The options of a run that nothing ends early. */
const undisturbed = (): Omit<ExecuteOptions, 'api' | 'journal'> => ({
  concurrency: 1,
  failFast: false,
  signal: new AbortController().signal,
  clock: still,
  random: () => 1,
  mostTries: 1,
  trustsKeys: false,
  progress: { step: () => {} },
  lockout: { recheck: async () => {}, reducesSelf: () => false },
});

const read = { verification: undefined, paths: [] } as const;

/** Creates the fake service and journal. */
export function stage({
  on,
  onAnnounce,
  memory = [],
  listed = [],
  read: records = {},
  users = {},
}: Play = {}): Stage {
  const events: string[] = [];
  const bodies: unknown[] = [];
  const seen: string[] = [];
  const kept = createWrites(async (_, about) => {
    const records = (about?.rows ?? []).map(({ name }) => `${about?.kind} ${name}`);
    for (const record of records) onAnnounce?.(record);
    events.push(...records.map((record) => `sent ${record}`));
    return ({ error }) => {
      const isDoubt =
        error instanceof OutcomeUnknown || (error instanceof Error && !(error instanceof CliError));
      const outcome = error === undefined ? 'done' : isDoubt ? 'unknown' : 'failed';
      events.push(...records.map((record) => `${outcome} ${record}`));
    };
  });
  const look = async (what: string) => {
    events.push(what);
    await on?.(what);
  };
  const request = async (what: string, body?: unknown) => {
    // A fake: the announcement of this stage reads nothing of the request.
    await kept.announce({ does: what } as ServiceRequest, new AbortController().signal);
    if (body !== undefined) bodies.push(body);
    await look(what);
  };
  const journal: RunJournal = {
    recall: memoryOf(...memory).recall,
    newKey: (_, name) => `key-of-${name}`,
    see: (kind, rows) => void seen.push(...rows.map(({ name, id }) => `${kind} ${name} ${id}`)),
    keysFrom: undefined,
  };
  const api: Service = {
    ...noInventory,
    kept,
    properties: {
      clone: async () => {
        throw new Error('nothing is to be cloned');
      },
      create: async (body, key) => {
        await request(`POST property ${body['code']}`, { body, key });
        return { id: `id-of-${body['code']}` };
      },
      update: async (id, steps) => {
        await request(`PATCH property ${id}`, steps);
        return read;
      },
      carryOut: async (id, verb) => {
        await request(`PUT property ${id} ${verb}`);
        return read;
      },
      delete: async (id) => {
        await request(`DELETE property ${id}`);
        return read;
      },
      listAll: async function* () {
        await look('GET properties');
        yield { items: listed, total: listed.length, truncated: false };
      },
      read: async (id) => {
        await look(`GET property ${id}`);
        const record = records[id];
        if (record === undefined)
          throw new CliError('not_found', `no ${id}`, { exitCode: ExitCode.notFound });
        return record;
      },
    },
    invitations: {
      create: async (invitation) => {
        await request(`POST invitation ${invitation.email}`, invitation);
        return {};
      },
      delete: async (email) => {
        await request(`DELETE invitation ${email}`);
        return read;
      },
    },
    users: {
      update: async (id, { steps }) => {
        await request(`PATCH user ${id}`, steps);
        return { ...read, isWritten: true };
      },
      read: async (id) => {
        await look(`GET user ${id}`);
        return users[id] ?? {};
      },
      listAll: async function* () {
        await look('GET users');
        const items = Object.entries(users).map(([subject_id, user]) => ({ ...user, subject_id }));
        yield { items, total: items.length, truncated: false };
      },
    },
  };
  return {
    events,
    bodies,
    seen,
    run: (items, more = {}) =>
      execute(items, {
        api,
        journal,
        ...undisturbed(),
        ...more,
      }),
  };
}

const blank = { steps: [], changes: [] } as const;

/** A property to create. */
export const newProperty = (code: string): Item => ({
  ...blank,
  kind: 'property',
  name: code,
  action: 'create',
  body: { code, name: { en: code } },
});

/** A person to invite to properties. */
export const newInvitation = (email: string, ...properties: readonly string[]): Item => ({
  ...blank,
  kind: 'invitation',
  name: email,
  action: 'create',
  body: { email, properties },
});

/** A user whose properties to set. */
export const changedUser = (email: string, id: string, ...properties: readonly string[]): Item => ({
  ...blank,
  kind: 'user',
  name: email,
  action: 'change',
  id,
  steps: [{ op: 'add', path: '/properties', value: properties }],
});

/** A property whose company to change. */
export const changedProperty = (code: string): Item => ({
  ...blank,
  kind: 'property',
  name: code,
  action: 'change',
  id: code,
  steps: [{ op: 'replace', path: '/companyName', value: 'Nord GmbH' }],
});

/** An item without a request. */
export const settled = (kind: Item['kind'], name: string, action: Item['action'], id?: string): Item => ({
  ...blank,
  kind,
  name,
  action,
  id,
  reason: `${action} it is`,
});

/** The results, one line each. */
export const resultLines = (results: readonly Result[]): readonly string[] =>
  results.map(({ item, outcome, id, error }) =>
    [outcome, item.name, id ?? '', error === undefined ? '' : `(${error.code})`].filter(Boolean).join(' '),
  );
