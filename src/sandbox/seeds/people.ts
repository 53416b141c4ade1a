import type { PropertyRoles, UserRecord } from '../store/records.ts';

/** Ana, the account admin of every seed: whoever calls without a token is she. */
export const ADMIN_ID = '6f1c2a4e-0001-4a6b-9c1d-5e8f7a2b3c01';

/** One person of a seed; the rest of the record follows. */
export interface Person {
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
