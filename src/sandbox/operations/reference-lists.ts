import { iso31661Alpha2ToAlpha3 } from 'iso-3166/1-a2-to-1-a3.js';

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

/** What those of the role list are called in `role` of an invitation, where that is another name. */
export const olderRoles: ReadonlyMap<string, string> = new Map([
  ['Accountant', 'FinanceManager'],
  ['ReservationManager', 'ReservationOffice'],
  ['FrontDesk', 'FrontOffice'],
  ['FrontDeskSenior', 'FrontOffice'],
]);

/** Every country that ISO 3166-1 assigns a code of two letters. */
export const countryCodes: readonly string[] = Object.keys(iso31661Alpha2ToAlpha3).sort();
