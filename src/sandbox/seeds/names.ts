import type { Kind } from '../../model/kinds.ts';

/** The states that a sandbox may start from. */
export const seedNames = ['small', 'chain', 'people', 'numbered'] as const;
export type SeedName = (typeof seedNames)[number];

/** Ana, the account admin of every seed, and the caller of requests without a token. */
export const ADMIN_ID = '6f1c2a4e-0001-4a6b-9c1d-5e8f7a2b3c01';

/** The order in which a body is checked and a record is shown, where it is not that of the table. */
export const orders: Readonly<Partial<Record<Kind | 'location', readonly string[]>>> = {
  property: [
    ...['code', 'name', 'description', 'company_name', 'managing_directors', 'commercial_register_entry'],
    ...['tax_id', 'location', 'bank_account', 'payment_terms', 'time_zone', 'currency_code'],
  ],
  location: ['address_line1', 'address_line2', 'postal_code', 'city', 'region_code'],
  invitation: ['email', 'properties', 'is_account_admin'],
  unit_group: ['property_id', 'code', 'name', 'description', 'max_persons', 'rank', 'connected_unit_groups'],
  unit: ['condition', 'description', 'name', 'unit_group_id', 'max_persons', 'property_id'],
};

/** In every language, in lists too. The public service shows them of every property. */
export const TERMS = 'payment_terms';

/** What is shown of a record inside another one. */
export const inside = {
  ofProperty: ['id', 'code', 'name', 'type', 'member_count', 'max_persons'],
  ofGroup: ['id', 'name', 'description', 'member_count', 'max_persons'],
  ofUnit: ['id', 'name', 'description', 'unit_group_id', 'condition', 'max_persons'],
  /** What a unit shows first of itself, and what in `status`. */
  unit: ['id', 'name', 'description', 'max_persons', 'created'],
  status: ['is_occupied', 'condition', 'maintenance'],
} as const;

/** A unit that no guest has used. */
export const vacant = { condition: 'Clean', is_occupied: false, is_referenced: false };
