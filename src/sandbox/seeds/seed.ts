import type { PropertyRecord, PropertyRoles, UserRecord } from '../records.ts';
import type { NewProperty } from '../schemas.ts';
import type { Stock } from './stock.ts';

/** The states that a sandbox may start from. */
export const seedNames = ['small', 'chain', 'people', 'numbered'] as const;

export type SeedName = (typeof seedNames)[number];

export interface SeedOptions {
  /** Milliseconds since the epoch; the seed's dates count back from it. */
  readonly now: number;
  /** Number of properties, for seeds with sizes. */
  readonly size: number | undefined;
}

/** Ana, the account admin of every seed, and the caller of requests without a token. */
export const ADMIN_ID = '6f1c2a4e-0001-4a6b-9c1d-5e8f7a2b3c01';

type Person = Pick<UserRecord, 'subject_id' | 'first_name' | 'last_name' | 'email'>;

/** The whole record of a person, who may log in but has no access unless it is given. */
export function userOf(person: Person & Partial<UserRecord>): UserRecord {
  const { subject_id, first_name, last_name, email, property_roles = [], ...rest } = person;
  return {
    ...{ subject_id, first_name, last_name, email },
    ...{ enabled: true, is_account_admin: false, is_mfa_enabled: false, is_passkeys_enabled: false },
    ...rest,
    properties: property_roles.map(({ id }) => id),
    property_roles,
  };
}

/** Ana's record. */
export function admin(): UserRecord {
  return userOf({
    ...{ subject_id: ADMIN_ID, first_name: 'Ana', last_name: 'Lindner', email: 'ana@aurora.example' },
    ...{ is_account_admin: true, is_mfa_enabled: true },
  });
}

/** A property and the roles there. */
export function at(id: string, ...roles: readonly string[]): PropertyRoles {
  return { id, roles };
}

/** What an accountant of the first three hotels may do. */
export const accountsOfAll = ['BER', 'MUC', 'VIE'].map((id) => at(id, 'Accountant'));

/** An invitation that Ana sent. */
export type Invited = readonly [email: string, properties: readonly string[], role: string, daysAgo: number];

/** A hotel, how many days ago it was created, and what it rents out. */
export type Hotel = NewProperty & {
  readonly status: PropertyRecord['status'];
  readonly daysAgo: number;
  readonly isArchived?: true;
  readonly stock?: readonly Stock[];
};

/** What an account begins with. */
export interface Seed {
  readonly attributes?: readonly (readonly [name: string, description: string])[];
  readonly hotels: readonly Hotel[];
  readonly users: readonly UserRecord[];
  readonly invited?: readonly Invited[];
}

const DAY_MS = 86_400_000;

/** The moment that many days before `now` (milliseconds since the epoch), as ISO 8601 in UTC, in whole seconds. */
export function daysBefore(now: number, days: number): string {
  return new Date(Math.floor(now / 1_000) * 1_000 - days * DAY_MS).toISOString();
}
