import type { Memory } from '../journal/history.ts';
import { CliError } from '../model/errors.ts';
import { type InventoryKind, isInventory, isPerson, type Kind, severalOf } from '../model/kinds.ts';
import { Interruption } from '../model/ports.ts';
import { groupBy, isRecord, type Page, type ServiceRecord } from '../model/records.ts';
import type { Redactor } from '../model/redaction.ts';
import { idProblem, sameName } from '../model/text.ts';
import type { Dialect } from '../service/dialect.ts';
import { readWhole } from '../service/paging.ts';
import type { Api } from '../service/service.ts';
import { emailOf } from '../service/users.ts';
import type { Item } from './item.ts';

/** The part of the service that lists and reads properties and what they rent out. */
export interface ListApi {
  readonly properties: Pick<Api['properties'], 'listAll' | 'read'>;
  readonly unitGroups: Pick<Api['unitGroups'], 'listAll' | 'read' | 'readAll'>;
  readonly units: Pick<Api['units'], 'listAll' | 'read' | 'readAll'>;
  readonly unitAttributes: Pick<Api['unitAttributes'], 'listAll' | 'read'>;
}

/** The part of the service that planning reads. */
export interface PlanApi extends ListApi {
  readonly dialect: Dialect;
  readonly properties: ListApi['properties'] & Pick<Api['properties'], 'readWithActions'>;
  readonly invitations: Pick<Api['invitations'], 'listAll'>;
  readonly users: Pick<Api['users'], 'listAll' | 'read'>;
  readonly roles: Pick<Api['roles'], 'list'>;
}

/** The options of a plan. */
export interface PlanOptions {
  readonly memory: Memory;
  /** The current or resumed run. */
  readonly runId?: string | undefined;
  /** Whether the service is known to honour idempotency keys. */
  readonly honoursKeys: boolean;
  /** Deletes records that these files created, according to the journal, and that no entry wants. */
  readonly prune: boolean;
  /** Reports what could not be checked. */
  readonly warn: (sentence: string) => Promise<void>;
  /** Masks secrets in texts of the service before they are clipped. */
  readonly redactor: Pick<Redactor, 'text'>;
  /** Parallel reads, from 1. */
  readonly workers: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The shared context of one plan. */
export interface PlanContext {
  readonly api: PlanApi;
  readonly options: PlanOptions;
}

/** The part of the service that lists people. */
type PeopleApi = Readonly<Record<'invitations' | 'users', { listAll(): AsyncIterable<Page> }>>;

/** All records of one kind: of the account, or of one property. */
export type Listing = Awaited<ReturnType<typeof readListing>>;

/** Reads a list once. @throws {CliError} `incomplete_list`. */
export async function readListing(kind: Kind, pages: AsyncIterable<Page>) {
  /** By the id, or by a number if there is none. */
  const byId = new Map<string | number, ServiceRecord>();
  const byName = new Map<string, Map<string | number, ServiceRecord>>();
  await readWhole(pages, severalOf(kind), (record) => {
    const id = idOf(kind, record) ?? byId.size;
    const name = nameOf(kind, record);
    byId.set(id, record);
    if (name === undefined) return;
    const alike = byName.get(sameName(name)) ?? new Map<string | number, ServiceRecord>();
    byName.set(sameName(name), alike.set(id, record));
  });
  return {
    /** The records with a name: exact matches, or else those in another case; of addresses all. */
    withName(name: string): readonly ServiceRecord[] {
      const alike = [...(byName.get(sameName(name))?.values() ?? [])];
      const isExact = (record: ServiceRecord) => bareCode(nameOf(kind, record) ?? '') === bareCode(name);
      const exact = isPerson(kind) ? [] : alike.filter(isExact);
      return exact.length > 0 ? exact : alike;
    },
    withId: (id: string) => byId.get(id),
    records: (): readonly ServiceRecord[] => [...byId.values()],
  };
}

/** A list that is read when something is first looked for in it. @returns finds the records with a name. */
export function openListing(kind: Kind, pages: () => AsyncIterable<Page>) {
  const listing = once(() => readListing(kind, pages()));
  return async (name: string): Promise<readonly ServiceRecord[]> => (await listing()).withName(name);
}

/** Reads the same only once. */
export function once<Key extends readonly string[], Read>(read: (...key: Key) => Promise<Read>) {
  const known = new Map<string, Promise<Read>>();
  return (...key: Key): Promise<Read> => {
    const text = JSON.stringify(key);
    const reading = known.get(text) ?? read(...key);
    known.set(text, reading);
    // A failure is met where it is used.
    reading.catch(() => {});
    return reading;
  };
}

/** Finds people by their e-mail addresses, in lists that are read when they are needed. */
export function openPeople({ invitations, users }: PeopleApi) {
  return {
    invitations: openListing('invitation', invitations.listAll),
    users: openListing('user', users.listAll),
  };
}

/**
 * All records of a kind, archived units too.
 *
 * @param property its id; no matter for what belongs to the account.
 */
export async function listingOf(
  kind: 'property' | InventoryKind,
  property: string,
  { properties, units, unitGroups, unitAttributes }: ListApi,
): Promise<Listing> {
  const filter = { property_id: property };
  const pages = {
    property: () => properties.listAll(),
    unit_attribute: () => unitAttributes.listAll(),
    unit_group: () => unitGroups.listAll({ ...filter, expand: ['connectedUnitGroups'] }),
    unit: () => units.listAll({ ...filter, status: 'All', expand: ['unitGroup', 'connectedUnits'] }),
  };
  return readListing(kind, pages[kind]());
}

/** What people call a record: its code, name or e-mail address; `undefined` if it has none. */
export function nameOf(kind: Kind, record: ServiceRecord): string | undefined {
  if (isPerson(kind)) return emailOf(record);
  const { code, name } = record;
  const text = textOf(kind === 'property' || kind === 'unit_group' ? code : name);
  return text?.trim() === '' ? undefined : text;
}

/** The id of a record, if it is usable in a path; invitations have none. */
export function idOf(kind: Kind, { id, subject_id }: ServiceRecord): string | undefined {
  if (kind === 'invitation') return undefined;
  return usableId(kind === 'user' ? subject_id : id);
}

/** A code or name as services may store it: trimmed, in NFC, with its case. */
export function bareCode(code: string): string {
  return code.trim().normalize('NFC');
}

/** An id that is usable in a path; `undefined` for anything else. */
export function usableId(id: unknown): string | undefined {
  const text = textOf(id);
  return text === undefined || idProblem(text) !== undefined ? undefined : text;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** The id inside a record that another one shows: `unit_group: { id }`. */
export function idIn(value: unknown): string | undefined {
  return isRecord(value) ? usableId(value['id']) : undefined;
}

/** Whether a unit can no longer be used. */
export function isArchived({ is_archived: isMarked, archived }: ServiceRecord): boolean {
  return isMarked === true || typeof archived === 'string';
}

/** Waits for what is read. @returns `undefined` when there is no such record. */
export async function orMissing<Read>(reading: Promise<Read>): Promise<Read | undefined> {
  try {
    return await reading;
  } catch (cause) {
    if (cause instanceof CliError && cause.code === 'not_found') return undefined;
    throw cause;
  }
}

/** The property with an id, if it can be read and shows the code; none for what is no id. */
export async function readCreated(
  code: string,
  id: string,
  { properties }: Pick<ListApi, 'properties'>,
): Promise<ServiceRecord | undefined> {
  try {
    const record = await orMissing(properties.read(id));
    const isSame = sameName(nameOf('property', record ?? {}) ?? '') === sameName(code);
    return isSame ? { id, ...record } : undefined;
  } catch (cause) {
    // The list may still show it.
    if (cause instanceof CliError) return undefined;
    throw cause;
  }
}

/** The records of some rows that exist: an id for each. */
interface Found {
  readonly ids: Map<Item, string>;
  /** The ids of all that have the name. */
  readonly all: Map<Item, readonly string[]>;
}

/**
 * Looks for what rows may have created, with one list for each kind and property. Rows that cannot be looked for are missing.
 *
 * @param propertyOf the id of the property of a row of inventory.
 * @param createdAs the id of a property that may not be listed yet, if an answer said it.
 */
export async function lookFor(
  items: readonly Item[],
  propertyOf: (item: Item) => string,
  api: ListApi,
  createdAs: (item: Item) => string | undefined = () => undefined,
): Promise<Found> {
  const found: Found = { ids: new Map(), all: new Map() };
  const listed = items.filter(({ kind }) => !isPerson(kind));
  const groups = groupBy(listed, (item) => JSON.stringify([item.kind, propertyOf(item)]));
  for (const same of groups.values()) {
    // People are not among them.
    const kind = same[0].kind as 'property' | InventoryKind;
    try {
      const listing = await listingOf(kind, propertyOf(same[0]), api);
      for (const item of same) {
        const ids = idsAmong(listing, item);
        const id = ids.length === 0 && kind === 'property' ? createdAs(item) : undefined;
        const isThere = id !== undefined && (await readCreated(item.name, id, api)) !== undefined;
        found.all.set(item, isThere ? [id] : ids);
      }
    } catch (cause) {
      // Without the list nothing is settled: the rows stay unknown.
      if (!(cause instanceof CliError || cause instanceof Interruption)) throw cause;
    }
  }
  for (const [item, [id]] of found.all) if (id !== undefined) found.ids.set(item, id);
  return found;
}

/** The ids of the records with the name of a row. Archived units do not count. */
function idsAmong(listing: Listing, { kind, name: code, body = {} }: Item): readonly string[] {
  const name = isInventory(kind) ? (nameOf(kind, body) ?? '') : code;
  const isMeant = (record: ServiceRecord) =>
    !isInventory(kind) || (nameOf(kind, record) === name && !isArchived(record));
  return listing
    .withName(name)
    .filter(isMeant)
    .flatMap(({ id }) => usableId(id) ?? []);
}
