import { iso31661Alpha2ToAlpha3 } from 'iso-3166';

/** The account's role list. */
export const roles = [
  'AccountAdmin',
  'PropertyAdmin',
  'Accountant',
  'RevenueManager',
  'ReservationManager',
  'FrontDesk',
  'FrontDeskSenior',
  'Housekeeping',
  'HousekeepingManager',
  'Auditor',
  'StaffManager',
] as const;

/** The roles that one can be invited to: not quite those of the role list. */
export const invitationRoles = [
  'AccountAdmin',
  'PropertyAdmin',
  'FinanceManager',
  'RevenueManager',
  'ReservationOffice',
  'FrontOffice',
  'Housekeeping',
  'HousekeepingManager',
  'Auditor',
  'StaffManager',
] as const;

/** Every country that ISO 3166-1 assigns a code of two letters. */
export const countryCodes: readonly string[] = Object.keys(iso31661Alpha2ToAlpha3).sort();
