import { CliError } from '../../src/cli/errors.ts';
import { ExitCode } from '../../src/cli/exit-codes.ts';
import type { Page, ServiceRecord } from '../../src/model/records.ts';
import { createRedactor } from '../../src/print/redaction.ts';
import { type Entry, identityOf, type Kind } from '../../src/seed/entry.ts';
import type { Memory, RowMemory } from '../../src/seed/journal-line.ts';
import type { PlanApi, PlanOptions } from '../../src/seed/plan-context.ts';
import { contract } from '../../src/service/dialect.ts';
import { noInventory } from './no-inventory.ts';

/** Noon of a day in spring. */
export const NOON = Date.UTC(2026, 3, 21, 12);

/** The records of a service and how it shows them. */
export interface Stock {
  readonly properties?: readonly ServiceRecord[];
  /** As lists show them; default: unchanged. */
  readonly listed?: readonly ServiceRecord[];
  /** The total count of properties; default: none. */
  readonly count?: number;
  readonly users?: readonly ServiceRecord[];
  readonly invitations?: readonly ServiceRecord[];
  /** Names in the role list; default: the list cannot be read. */
  readonly roles?: readonly string[];
  /** The error of reading the property or user with this id. */
  readonly failing?: Readonly<Record<string, CliError>>;
  /** Properties may not be listed. */
  readonly forbidden?: true;
  /** Default: the contract. */
  readonly dialect?: PlanApi['dialect'];
}

/** A service in memory, and the ids that were read individually. */
export function serviceOf({ properties = [], listed = properties, dialect = contract, ...stock }: Stock) {
  const reads: string[] = [];
  const read = async (records: readonly ServiceRecord[], field: string, id: string) => {
    reads.push(id);
    const failure = stock.failing?.[id];
    if (failure !== undefined) throw failure;
    const found = records.find((record) => String(record[field]) === id);
    if (found === undefined) throw new CliError('not_found', `no ${id}`, { exitCode: ExitCode.notFound });
    return found;
  };
  const api: PlanApi = {
    ...noInventory,
    dialect,
    properties: {
      listAll: () => {
        if (stock.forbidden) throw new CliError('forbidden', 'no', { exitCode: ExitCode.forbidden });
        return pageOf(listed, stock.count);
      },
      read: (id) => read(properties, 'id', id),
      readWithActions: async (id) => ({ property: await read(properties, 'id', id), requestId: undefined }),
    },
    users: {
      listAll: () => pageOf(stock.users ?? []),
      read: (id) => read(stock.users ?? [], 'subject_id', id),
    },
    invitations: { listAll: () => pageOf(stock.invitations ?? []) },
    roles: {
      list: () => {
        if (stock.roles === undefined)
          throw new CliError('forbidden', 'no', { exitCode: ExitCode.forbidden });
        return pageOf(stock.roles.map((name) => ({ name })));
      },
    },
  };
  return { api, reads };
}

async function* pageOf(items: readonly ServiceRecord[], total?: number): AsyncGenerator<Page> {
  yield { items, total, truncated: false };
}

/** A journal with these rows. */
export function memoryOf(
  ...rows: readonly (Partial<RowMemory> & Pick<RowMemory, 'kind' | 'name'>)[]
): Memory {
  const whole = rows.map(
    (row): RowMemory => ({ action: 'create', state: 'done', hash: '', runId: 'run-1', at: NOON, ...row }),
  );
  return {
    recall: (kind, name) => whole.find((row) => identityOf(row) === identityOf({ kind, name })),
    created: () => whole.filter(({ action, state }) => action === 'create' && state === 'done'),
  };
}

/** The default options of a plan. */
export function planOptions(more: Partial<PlanOptions> = {}): PlanOptions {
  return {
    memory: memoryOf(),
    assumeNew: false,
    resendUnknown: false,
    writeUnreadable: false,
    prune: false,
    warn: async () => {},
    redactor: createRedactor(),
    workers: 2,
    now: () => NOON,
    ...more,
  };
}

/** An entry of a manifest. */
export function entryOf(kind: Kind, name: string, fields: ServiceRecord = {}, number = 1): Entry {
  const own = kind === 'property' ? { code: name } : { email: name };
  const identity = 'subject_id' in fields ? {} : own;
  return {
    kind,
    name,
    place: { file: 'hotels.yaml', unit: 'line', number },
    fields: { ...identity, ...fields },
  };
}
