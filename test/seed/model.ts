import { CliError, OutcomeUnknown } from '../../src/cli/errors.ts';
import { ExitCode } from '../../src/cli/exit-codes.ts';
import type { PatchStep } from '../../src/model/patch.ts';
import type { Page, ServiceRecord } from '../../src/model/records.ts';
import { sameName } from '../../src/model/text.ts';
import type { Item } from '../../src/seed/item.ts';
import type { PlanApi } from '../../src/seed/plan-context.ts';
import type { Service } from '../../src/seed/row.ts';
import { contract } from '../../src/service/dialect.ts';
import { noInventory } from './no-inventory.ts';

/**
 * The outcome of one write: carried out and answered, lost before or after the service received it, or rejected. A property
 * that is not listed yet lost its response too: no list shows it until its key is sent again.
 */
export type Fate =
  | 'answered'
  | 'lost on the way there'
  | 'lost on the way back'
  | 'carried out, not listed yet'
  | 'refused';

/** The initial records of a service. */
export interface Holdings {
  readonly properties: readonly ServiceRecord[];
  readonly users: readonly ServiceRecord[];
  readonly invitations: readonly ServiceRecord[];
  /** Whether lists of properties show only ids. */
  readonly hidesCodes: boolean;
}

/** A service in memory that keeps what is written to it, and counts duplicate creations. */
export interface Model {
  readonly api: PlanApi & Service;
  /** Its records without ids: two services with the same writes are equal. */
  held(): unknown;
  /** The names that were created more than once. */
  twice(): readonly string[];
}

/** @param fate the outcome of each write, in order. */
export function createModel(holdings: Holdings, fate: () => Fate = () => 'answered'): Model {
  const properties = new Map(holdings.properties.map((record) => [String(record['id']), record]));
  const users = new Map(holdings.users.map((record) => [String(record['subject_id']), record]));
  const invitations = [...holdings.invitations];
  const byKey = new Map<string, ServiceRecord>();
  const creations: string[] = [];
  const unlisted = new Set<string>();
  const write = <T>(work: () => T, what = fate()): T => {
    if (what === 'refused') throw new CliError('refused', 'no', { exitCode: ExitCode.refused });
    if (what === 'lost on the way there') throw new OutcomeUnknown('Nobody answered.');
    const result = work();
    if (what !== 'answered') throw new OutcomeUnknown('Nobody answered.');
    return result;
  };
  const createProperty = (body: ServiceRecord, key: string): ServiceRecord => {
    const before = byKey.get(key);
    unlisted.delete(String(before?.['id']));
    if (before !== undefined) return before;
    const { code, default_check_in_time: _in, default_check_out_time: _out, ...shown } = body;
    const record = { ...shown, id: `id of ${String(code)}`.replaceAll(/[^\w-]/g, '-'), code };
    creations.push(`property ${sameName(String(code))}`);
    properties.set(record.id, record);
    byKey.set(key, record);
    return record;
  };
  const read = (records: ReadonlyMap<string, ServiceRecord>, id: string) => {
    const found = records.get(id);
    if (found === undefined) throw new CliError('not_found', `no ${id}`, { exitCode: ExitCode.notFound });
    return found;
  };
  const patch = (records: Map<string, ServiceRecord>, id: string, steps: Item['steps']) => {
    records.set(id, steps.reduce<ServiceRecord>(patched, read(records, id)));
    return { verification: undefined, paths: [] };
  };
  const isListed = ({ id }: ServiceRecord) => !unlisted.has(String(id));
  const listed = ({ id, code }: ServiceRecord) => (holdings.hidesCodes ? { id } : { id, code });
  const never = async () => {
    throw new Error('nothing is to be deleted');
  };
  return {
    api: {
      ...noInventory,
      dialect: contract,
      properties: {
        listAll: () => pageOf([...properties.values()].filter(isListed).map(listed)),
        read: async (id) => read(properties, id),
        readWithActions: async (id) => ({ property: read(properties, id), requestId: undefined }),
        create: async (body, key) => {
          const what = fate();
          return write(() => {
            const id = String(createProperty(body, key ?? '')['id']);
            if (what === 'carried out, not listed yet') unlisted.add(id);
            return { id };
          }, what);
        },
        update: async (id, steps) => write(() => patch(properties, id, steps)),
        carryOut: never,
        delete: never,
      },
      invitations: {
        listAll: () => pageOf(invitations),
        create: async (invitation) =>
          write(() => {
            creations.push(`invitation ${sameName(invitation.email)}`);
            invitations.push({ is_account_admin: false, properties: [], ...invitation });
            return {};
          }),
        delete: never,
      },
      roles: { list: () => pageOf([]) },
      users: {
        listAll: () => pageOf([...users.values()]),
        read: async (id) => read(users, id),
        update: async (id, { steps }) => write(() => ({ ...patch(users, id, steps), isWritten: true })),
      },
    },
    held: () => ({
      properties: sortedBy('code', [...properties.values()]),
      users: sortedBy('email', [...users.values()]),
      invitations: sortedBy('email', invitations),
    }),
    twice: () => creations.filter((name, index) => creations.indexOf(name) !== index),
  };
}

async function* pageOf(items: readonly ServiceRecord[]): AsyncGenerator<Page> {
  yield { items: [...items], total: items.length, truncated: false };
}

function patched(record: ServiceRecord, step: PatchStep): ServiceRecord {
  const [field = '', inner] = step.path.slice(1).split('/');
  const name = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const value = 'value' in step ? step.value : undefined;
  // Only languages are nested in the plans of these tests, and their parent is an object.
  return { ...record, [name]: inner === undefined ? value : { ...(record[name] as object), [inner]: value } };
}

function sortedBy(field: string, records: readonly ServiceRecord[]): readonly ServiceRecord[] {
  return records.toSorted((one, other) => (String(one[field]) < String(other[field]) ? -1 : 1));
}
