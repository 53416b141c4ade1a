import type { UserRecord } from '../../src/sandbox/people.ts';
import type { PropertyRecord, Records } from '../../src/sandbox/records.ts';

/** A seed of a thousand rows against the chain, and what must be there afterwards. */
export interface Seed {
  /** NDJSON. */
  readonly text: string;
  readonly rows: number;
  /** Codes of the properties that it creates; each is its property's id in capitals. */
  readonly codes: readonly string[];
  /** What the service must hold, by the id it keeps it under. */
  readonly expected: {
    readonly properties: ReadonlyMap<string, Fields>;
    readonly invitations: ReadonlyMap<string, Fields>;
    /** By e-mail address. */
    readonly users: ReadonlyMap<string, Fields>;
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** How many rows of each kind a seed has. */
export interface Shape {
  readonly created: number;
  /** Properties that are there and get another company. */
  readonly changed: number;
  readonly invited: number;
  /** People who are there and get another access. */
  readonly users: number;
}

/** 1,000 rows of every kind. */
export const mixed: Shape = { created: 880, changed: 20, invited: 60, users: 40 };

/**
 * Makes a seed.
 *
 * @param there what the service holds: its first hotels and the first people who work there are changed.
 */
export function makeSeed(shape: Shape, there: Records): Seed {
  const codes = range(shape.created).map((index) => `S${String(index + 1).padStart(5, '0')}`);
  const created = codes.map((code, index) => hotel(code, index));
  const changed = [...there.properties.values()].slice(0, shape.changed).map(renamed);
  const invited = range(shape.invited).map((index) => ({
    email: `guest${index + 1}@example.com`,
    role: 'Housekeeping',
    properties: [codeAt(codes, index * 7), 'BER'],
  }));
  const staff = [...there.users.values()].filter(
    ({ enabled, properties }) => enabled && properties.length > 0,
  );
  const users = staff
    .slice(0, shape.users)
    .map((user, index) => accessOf(user, codeAt(codes, index * 11), index));
  const rows = shuffled([
    ...created,
    ...changed,
    ...invited,
    ...users.map((user) => ({ kind: 'user', ...user })),
  ]);
  return {
    text: `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`,
    rows: rows.length,
    codes,
    expected: {
      properties: new Map([...created, ...changed].map((row) => [row.code, row])),
      invitations: new Map(invited.map((row) => [row.email, row])),
      users: new Map(users.map((row) => [row.email, row])),
    },
  };
}

function hotel(code: string, index: number) {
  return {
    code,
    name: { en: `Seed Hotel ${index + 1}`, de: `Saathotel ${index + 1}` },
    company_name: `Seed ${index + 1} GmbH`,
    commercial_register_entry: `HRB ${100_000 + index}`,
    tax_id: `DE${800_000_000 + index}`,
    location: {
      address_line1: `Hafenstraße ${index + 1}`,
      postal_code: String(index).padStart(5, '0'),
      city: 'Dresden',
      country_code: 'DE',
    },
    time_zone: 'Europe/Berlin',
    default_check_in_time: '15:00:00',
    default_check_out_time: '11:00:00',
    currency_code: 'EUR',
  };
}

/** A hotel under a new owner. */
function renamed({ code, name, commercial_register_entry, tax_id, location, ...rest }: PropertyRecord) {
  const { time_zone, currency_code } = rest;
  const company_name = `${code} Reborn Ltd`;
  return { code, name, company_name, commercial_register_entry, tax_id, location, time_zone, currency_code };
}

/** Half of them lose their access, half get a hotel that the seed creates. */
function accessOf({ email, properties }: UserRecord, code: string, index: number) {
  return index % 2 === 0 ? { email, enabled: false } : { email, properties: [...properties, code] };
}

/** The code at an index that may run past the end, from the beginning again; the chain's first where there is none. */
function codeAt(codes: readonly string[], index: number): string {
  return codes[index % codes.length] ?? 'BER';
}

/** People stand between the hotels that they need, so that the order of the file is of no help. */
function shuffled<T>(rows: readonly T[]): readonly T[] {
  const step = 7919;
  return rows.toSorted(
    (a, b) => ((rows.indexOf(a) * step) % rows.length) - ((rows.indexOf(b) * step) % rows.length),
  );
}

function range(length: number): readonly number[] {
  return Array.from({ length }, (_, index) => index);
}
