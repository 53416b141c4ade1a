import { isRecord, type ServiceRecord } from '../model/records.ts';
import type { InvitationRecord, UserRecord } from './people.ts';
import { vacant } from './seeds/names.ts';

/** Texts by language code. */
export type LanguageMap = Readonly<Record<string, string>>;

/** What callers write of a property. Of each record, the fields are named here that the sandbox itself uses. */
export interface NewProperty extends ServiceRecord {
  readonly code: string;
  readonly name: LanguageMap;
  readonly location: Readonly<Record<string, string>>;
}

export interface PropertyRecord extends NewProperty {
  readonly id: string;
  /** ISO 8601, UTC. */
  readonly created: string;
  readonly status: 'Test' | 'Live';
  readonly is_archived: boolean;
  readonly is_template: boolean;
}

/** A group that the units of another one are made of, and how many of it. */
export interface ConnectedGroup {
  readonly unit_group_id: string;
  readonly member_count: number;
}

export interface UnitGroupRecord extends ServiceRecord {
  readonly id: string;
  readonly property_id: string;
  readonly code: string;
  readonly connected_unit_groups?: readonly ConnectedGroup[];
  /** ISO 8601, UTC. Never shown. */
  readonly created: string;
}

export interface UnitRecord extends ServiceRecord {
  readonly id: string;
  readonly property_id: string;
  readonly unit_group_id?: string;
  readonly is_occupied: boolean;
  /** Reservations refer to it, past ones too, so that it can be archived, not deleted. Never shown. */
  readonly is_referenced: boolean;
  readonly maintenance?: {
    readonly id: string;
    readonly type: string;
    /** ISO 8601, UTC, as `to`. */
    readonly from: string;
    readonly to: string;
    readonly description?: string;
  };
  /** Ids of unit attributes. */
  readonly attributes: readonly string[];
  /** Ids of the units that it is made of. */
  readonly connected_units: readonly string[];
  /** ISO 8601, UTC. */
  readonly created: string;
  /** When it was archived. ISO 8601, UTC. */
  readonly archived?: string;
}

export interface UnitAttributeRecord extends ServiceRecord {
  readonly id: string;
  /** ISO 8601, UTC. Never shown. */
  readonly created: string;
}

/** The answer stored for an idempotency key. */
export interface ReplyRecord {
  /** Of the body in canonical form. */
  readonly hash: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** The collections. Their keys are ids; those of invitations are addresses in lower case. */
export interface Collections {
  readonly properties: PropertyRecord;
  readonly unit_groups: UnitGroupRecord;
  readonly units: UnitRecord;
  readonly unit_attributes: UnitAttributeRecord;
  /** Counts the ids that were ever given. */
  readonly counters: { readonly next: number };
  readonly users: UserRecord;
  readonly invitations: InvitationRecord;
  readonly replies: ReplyRecord;
}

type CollectionName = keyof Collections;

/** Everything that is stored, oldest first in each collection. */
export type Records = { readonly [Name in CollectionName]: ReadonlyMap<string, Collections[Name]> };

/** One change as it is written in the log. */
export type Change =
  | {
      [Name in CollectionName]: { readonly put: readonly [Name, id: string, Collections[Name]] };
    }[CollectionName]
  | { readonly delete: readonly [CollectionName, id: string] };

/** The change that stores a record. */
export function put<Name extends CollectionName>(name: Name, id: string, record: Collections[Name]): Change {
  // A member of the union, whichever name it is.
  return { put: [name, id, record] } as Change;
}

/** The change that deletes a record. */
export function gone(name: CollectionName, id: string): Change {
  return { delete: [name, id] };
}

/** Records that `applyChange` may change. */
export type Tables = { readonly [Name in CollectionName]: Map<string, Collections[Name]> };

const collections: readonly CollectionName[] = [
  ...(['properties', 'unit_groups', 'units', 'unit_attributes', 'counters'] as const),
  ...(['users', 'invitations', 'replies'] as const),
];

/** The records of a property, oldest first. */
export function recordsIn<Name extends 'unit_groups' | 'units'>(
  name: Name,
  records: Records,
  propertyId: string,
): readonly Collections[Name][] {
  return [...records[name].values()].filter((record) => record.property_id === propertyId);
}

/** A unit that no guest has used. */
export function unused({ maintenance: _, ...unit }: UnitRecord): UnitRecord {
  return { ...unit, ...vacant };
}

/** Tables without records. */
export function emptyTables(): Tables {
  // One for each name, and a table without records is one of any collection.
  return Object.fromEntries(collections.map((name) => [name, new Map()])) as unknown as Tables;
}

/** The collections whose records say when they were created. */
export const dated = ['properties', 'unit_groups', 'units', 'unit_attributes', 'invitations'] as const;

/** Whether a value has the shape of a change; the version of the log guarantees that records fit their collections. */
export function isChange(value: unknown): value is Change {
  if (!isRecord(value)) return false;
  const { put, delete: removed } = value;
  const parts: unknown = put ?? removed;
  if (!Array.isArray(parts) || !collections.includes(parts[0]) || typeof parts[1] !== 'string') return false;
  return put === undefined ? parts.length === 2 : isRecord(parts[2]);
}

/** Changes the tables as a line of the log says. */
export function applyChange(tables: Tables, change: Change): void {
  const [name, id, record] = 'put' in change ? change.put : change.delete;
  const table: Map<string, unknown> = tables[name];
  if (record === undefined) table.delete(id);
  else table.set(id, record);
}

const dateNames = new Set(['created', 'archived', 'from', 'to']);

/** A record with other dates at any depth. A text in the language `to` is none. */
export function withDates<Kept extends object>(record: Kept, changed: (date: string) => string): Kept {
  const isDate = (name: string, value: unknown) =>
    dateNames.has(name) && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(String(value));
  return JSON.parse(JSON.stringify(record), (name, value) => (isDate(name, value) ? changed(value) : value));
}

/** Programs may take an earlier date for one that is not set. */
const EARLIEST = Date.UTC(2000, 0);

/**
 * Lets time pass: all that is stored becomes older, so that this machine's clock, and those of the programs that ask, need
 * not be moved. Tokens are not stored, and stay valid.
 */
export function passTime(ms: number, records: Records) {
  const earlier = (date: string) => new Date(Math.max(EARLIEST, Date.parse(date) - ms)).toISOString();
  const older = dated.flatMap((name) =>
    [...records[name]].map(([id, record]) => put(name, id, withDates(record, earlier))),
  );
  const replies = [...records.replies].map(([id, reply]) =>
    put('replies', id, { ...reply, expires: reply.expires - ms }),
  );
  return { status: 204, changes: [...older, ...replies] };
}

const COUNTER = 'ids';
const LETTERS = 26;
/** A prime that is no factor of a power of 26, so that all numbers below such a power give different letters. */
const STRIDE = 982_451_653;

/** The id of a group, as `BER-DBL`. */
export function groupIdOf(propertyId: string, code: string): string {
  return `${propertyId}-${code.toUpperCase()}`;
}

/** The id of the unit of a number, as `BER-XYZ`. */
export function unitIdOf(propertyId: string, number: number): string {
  return `${propertyId}-${lettersOf(number, 3)}`;
}

/** The id of the unit attribute of a number, as `KQOSXHLS`. */
export function attributeIdOf(number: number): string {
  return lettersOf(number, 8);
}

/** Capital letters for a number from 0. More letters when all are taken. */
function lettersOf(number: number, length: number): string {
  const size = LETTERS ** length;
  if (number >= size) return lettersOf(number - size, length + 1);
  const mixed = Number((BigInt(number + 1) * BigInt(STRIDE)) % BigInt(size));
  const codes = Array.from({ length }, (_, at) => 65 + (Math.floor(mixed / LETTERS ** at) % LETTERS));
  return String.fromCharCode(...codes);
}

/** The first of the numbers for new ids. None is given twice, even after a deletion. */
export function nextNumber({ counters }: Records): number {
  return counters.get(COUNTER)?.next ?? 0;
}

/** Stores that the numbers below this one were given. */
export function countedTo(next: number): Change {
  return put('counters', COUNTER, { next });
}
