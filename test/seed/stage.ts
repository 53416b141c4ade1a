import { CliError } from '../../src/cli/errors.ts';
import { ExitCode } from '../../src/cli/exit-codes.ts';
import { type ExecuteOptions, type Execution, execute } from '../../src/seed/execute.ts';
import type { Item } from '../../src/seed/item.ts';
import type { Result } from '../../src/seed/item-json.ts';
import type { NewRow } from '../../src/seed/journal.ts';
import type { RowMemory } from '../../src/seed/journal-line.ts';
import type { Service } from '../../src/seed/row.ts';
import type { OpenJournal } from '../../src/seed/row-journal.ts';
import { noInventory } from './no-inventory.ts';

/** A fake service and journal of one run. Both log their events, in order. */
export interface Stage {
  /** `sent property BER`, `POST property BER`, `done property BER BER`, ... */
  readonly events: string[];
  /** The body of each request. */
  readonly bodies: unknown[];
  readonly rows: NewRow[];
  run(items: readonly Item[], more?: Partial<ExecuteOptions>): Promise<Execution>;
}

interface Play {
  /** Called for each request, with its description: `POST property BER`; its rejection is the outcome of the request. */
  readonly on?: (request: string) => Promise<void> | void;
  /** Called before a line counts as written; its rejection is the outcome of the write. */
  readonly onLine?: (row: NewRow) => Promise<void> | void;
  readonly memory?: readonly RowMemory[];
  /** The list responses of the service. */
  readonly listed?: readonly Readonly<Record<string, unknown>>[];
  readonly read?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Users, by their subject ids. */
  readonly users?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A fixed clock. */
export const still = { monotonic: () => 0, sleep: async () => {} };

/** The options of a run that nothing ends early. */
export const undisturbed = (): Omit<ExecuteOptions, 'api' | 'journal'> => ({
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
  onLine,
  memory = [],
  listed = [],
  read: records = {},
  users = {},
}: Play = {}): Stage {
  const events: string[] = [];
  const bodies: unknown[] = [];
  const rows: NewRow[] = [];
  const request = async (what: string, body?: unknown) => {
    events.push(what);
    if (body !== undefined) bodies.push(body);
    await on?.(what);
  };
  const write = async (row: NewRow) => {
    const { state, kind, name } = row;
    await onLine?.(row);
    rows.push(row);
    events.push(`${state} ${kind} ${name}`);
  };
  const journal: OpenJournal = {
    recall: (kind, name) => memory.find((row) => row.kind === kind && row.name === name),
    bulkKeyFor: ({ name }) => `bulk-key-of-${name}`,
    keyFor: ({ name }) => ({ key: `key-of-${name}` }),
    write,
    writeAll: (all) => {
      const written = (async () => {
        for (const row of all) await write(row);
      })();
      // Like that of the journal: it may be ignored.
      written.catch(() => {});
      return written;
    },
  };
  const api: Service = {
    ...noInventory,
    properties: {
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
        await request('GET properties');
        yield { items: listed, total: listed.length, truncated: false };
      },
      read: async (id) => {
        await request(`GET property ${id}`);
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
        await request(`GET user ${id}`);
        return users[id] ?? {};
      },
      listAll: async function* () {
        await request('GET users');
        const items = Object.entries(users).map(([subject_id, user]) => ({ ...user, subject_id }));
        yield { items, total: items.length, truncated: false };
      },
    },
  };
  return {
    events,
    bodies,
    rows,
    run: (items, more = {}) =>
      execute(items, {
        api,
        journal,
        ...undisturbed(),
        ...more,
      }),
  };
}

const blank = { steps: [], changes: [], unread: [] } as const;

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

/** A row of an earlier run. */
export const left = (row: Pick<RowMemory, 'kind' | 'name' | 'action' | 'state'>): RowMemory => ({
  ...row,
  hash: 'of-old',
  key: 'key-of-old',
  runId: 'old',
  at: 0,
});

/** The results, one line each. */
export const resultLines = (results: readonly Result[]): readonly string[] =>
  results.map(({ item, outcome, id, error }) =>
    [outcome, item.name, id ?? '', error === undefined ? '' : `(${error.code})`].filter(Boolean).join(' '),
  );
