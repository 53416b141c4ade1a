import type { PropertyRoles, UnitGroupRecord, UserRecord } from '../records.ts';

/** The states that a sandbox may start from. */
export const seedNames = ['small', 'chain'] as const;

export type SeedName = (typeof seedNames)[number];

export interface SeedOptions {
  /** Milliseconds since the epoch; the seed's dates count back from it. */
  readonly now: number;
  /** Number of properties, for seeds with sizes. */
  readonly size: number | undefined;
}

/** Ana, the account admin of every seed, and the caller of requests without a token. */
export const ADMIN_ID = '6f1c2a4e-0001-4a6b-9c1d-5e8f7a2b3c01';

/** One person of a seed; the rest of the record follows. */
interface Person {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly access?: readonly PropertyRoles[];
  /** Default true. */
  readonly enabled?: boolean;
  /** Default false. */
  readonly admin?: boolean;
  /** Default false. */
  readonly mfa?: boolean;
}

/** The whole record of a person. */
export function userOf({ id, firstName, lastName, email, ...rest }: Person): UserRecord {
  const access = rest.access ?? [];
  return {
    subject_id: id,
    first_name: firstName,
    last_name: lastName,
    email,
    enabled: rest.enabled ?? true,
    is_account_admin: rest.admin ?? false,
    is_mfa_enabled: rest.mfa ?? false,
    is_passkeys_enabled: false,
    properties: access.map((property) => property.id),
    property_roles: access,
  };
}

/** Ana's record. */
export function admin(): UserRecord {
  return userOf({
    id: ADMIN_ID,
    firstName: 'Ana',
    lastName: 'Lindner',
    email: 'ana@aurora.example',
    admin: true,
    mfa: true,
  });
}

const kinds = [
  { code: 'SGL', name: 'Single room', type: 'BedRoom', member_count: 24, max_persons: 1 },
  { code: 'DBL', name: 'Double room', type: 'BedRoom', member_count: 48, max_persons: 2 },
  { code: 'MTG', name: 'Meeting room', type: 'MeetingRoom', member_count: 3, max_persons: 20 },
  { code: 'PRK', name: 'Parking lot', type: 'ParkingLot', member_count: 30, max_persons: 5 },
] as const;

/** What a seeded hotel rents out. */
export function unitGroupsOf(propertyId: string): readonly UnitGroupRecord[] {
  return kinds.map((kind) => ({ id: `${propertyId}-${kind.code}`, ...kind, property: { id: propertyId } }));
}

const DAY_MS = 86_400_000;

/** The moment that many days before `now` (milliseconds since the epoch), as ISO 8601 in UTC. */
export function daysBefore(now: number, days: number): string {
  return new Date(now - days * DAY_MS).toISOString();
}
