import type { PlanApi, PlanOptions } from '../../src/change/listing.ts';
import type { Entry } from '../../src/files/entry.ts';
import { createHistory, type History } from '../../src/journal/history.ts';
import { type NewLine, VERSION } from '../../src/journal/line.ts';
import { CliError, ExitCode } from '../../src/model/errors.ts';
import type { Kind } from '../../src/model/kinds.ts';
import type { Page, ServiceRecord } from '../../src/model/records.ts';
import { createRedactor } from '../../src/model/redaction.ts';
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

/** One request of a journal. */
export interface Remembered {
  readonly kind: Kind;
  readonly name: string;
  readonly id?: string | undefined;
  readonly hash?: string;
  readonly key?: string;
  /** Default: a creation. */
  readonly action?: 'create' | 'change' | 'delete';
  /** `silence`: it has no answer. Default: done. */
  readonly outcome?: 'done' | 'failed' | 'unknown' | 'silence';
  /** When it was sent, and when it ended. Default: noon, and at once. */
  readonly at?: number;
  readonly endedAt?: number;
  readonly run?: string;
  /** A later read showed it. */
  readonly isShown?: boolean;
  /** The request that it is a part of. Default: one of its own. */
  readonly request?: string;
}

/** A journal of these requests. */
export function memoryOf(...rows: readonly Remembered[]): History {
  const history = createHistory();
  const take = (line: NewLine) => {
    const problem = history.take({ ...line, sum: '' });
    if (problem !== undefined) throw new Error(problem);
  };
  const service = { identity_url: '', base_url: '', account: '' };
  const requests = new Map(rows.map((row, index) => [row.request ?? String(index), row]));
  for (const [of, row] of requests) {
    const { kind, key, action = 'create', outcome = 'done', at = NOON, endedAt = at, run = 'run-1' } = row;
    const same = rows.filter((each) => each === row || (of === each.request && of === row.request));
    const head = { at, run };
    take({ is: 'start', ...head, version: VERSION, command: 'apply', files: [], ...service });
    const sent = same.map(({ name, id, hash = '' }) => ({
      name,
      id: action === 'create' ? undefined : id,
      hash,
    }));
    take({ is: 'send', ...head, id: of, by: 'test', kind, action, does: 'test it', key, rows: sent });
    if (outcome !== 'silence') take({ is: 'answer', at: endedAt, run, of, outcome, id: row.id });
    if (row.isShown) take({ is: 'see', ...head, kind, rows: same.map(({ name, id }) => ({ name, id })) });
  }
  return history;
}

/** The default options of a plan. */
export function planOptions(more: Partial<PlanOptions> = {}): PlanOptions {
  return {
    memory: memoryOf(),
    honoursKeys: true,
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
