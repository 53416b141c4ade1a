import type { Change, InvitationRecord, PropertyRecord, PropertyRoles, UserRecord } from '../records.ts';
import { admin, daysBefore, type SeedOptions, unitGroupsOf, userOf } from './seed.ts';

type Invited = Omit<InvitationRecord, 'created' | 'invited_by'> & { readonly daysAgo: number };

const invited: readonly Invited[] = [
  {
    email: 'jonas.keller@aurora.example',
    is_account_admin: false,
    properties: ['BER'],
    role: 'Housekeeping',
    roles: ['Housekeeping'],
    daysAgo: 2,
  },
  {
    email: 'lea.wagner@aurora.example',
    is_account_admin: false,
    properties: ['MUC', 'VIE'],
    role: 'FrontOffice',
    roles: ['FrontOffice'],
    daysAgo: 9,
  },
  {
    email: 'nora.fuchs@aurora.example',
    is_account_admin: true,
    properties: [],
    roles: ['AccountAdmin'],
    daysAgo: 12,
  },
  {
    email: 'paul.steiner@aurora.example',
    is_account_admin: false,
    properties: ['VIE'],
    role: 'Auditor',
    roles: ['Auditor'],
    daysAgo: 40,
  },
];

/** Three hotels, twelve people, four invitations, one of them long expired. */
export function* smallSeed({ now }: SeedOptions): Generator<Change> {
  for (const property of smallProperties(now)) {
    yield { put: ['properties', property.id, property] };
    for (const group of unitGroupsOf(property.id)) yield { put: ['unit_groups', group.id, group] };
  }
  for (const user of smallUsers()) yield { put: ['users', user.subject_id, user] };
  for (const { daysAgo, ...invitation } of invited) {
    const record = { ...invitation, invited_by: 'ana@aurora.example', created: daysBefore(now, daysAgo) };
    yield { put: ['invitations', record.email, record] };
  }
}

type Hotel = Omit<PropertyRecord, 'created'> & { readonly daysAgo: number };

const hotels: readonly Hotel[] = [
  {
    id: 'BER',
    code: 'BER',
    name: { en: 'Grand Hotel Berlin', de: 'Grandhotel Berlin' },
    description: { en: 'At the Gendarmenmarkt', de: 'Am Gendarmenmarkt' },
    company_name: 'Grandhotel Berlin GmbH',
    managing_directors: 'Ana Lindner',
    commercial_register_entry: 'Amtsgericht Charlottenburg, HRB 104512 B',
    tax_id: 'DE811569869',
    location: {
      address_line1: 'Mohrenstraße 30',
      postal_code: '10117',
      city: 'Berlin',
      country_code: 'DE',
    },
    bank_account: { iban: 'DE02120300000000202051', bic: 'BYLADEM1001', bank: 'Deutsche Kreditbank' },
    payment_terms: { en: 'Payment on check-in', de: 'Zahlbar bei Check-in' },
    time_zone: 'Europe/Berlin',
    currency_code: 'EUR',
    default_check_in_time: '15:00:00',
    default_check_out_time: '11:00:00',
    daysAgo: 730,
    status: 'Live',
    is_archived: false,
    is_template: false,
  },
  {
    id: 'MUC',
    code: 'MUC',
    name: { en: 'Isar Hotel Munich', de: 'Hotel an der Isar' },
    company_name: 'Isarhotel Betriebs GmbH',
    commercial_register_entry: 'Amtsgericht München, HRB 228410',
    tax_id: 'DE143271660',
    location: { address_line1: 'Marienplatz 1', postal_code: '80331', city: 'München', country_code: 'DE' },
    payment_terms: { en: 'Payment on check-in', de: 'Zahlbar bei Check-in' },
    time_zone: 'Europe/Berlin',
    currency_code: 'EUR',
    default_check_in_time: '15:00:00',
    default_check_out_time: '11:00:00',
    daysAgo: 120,
    status: 'Test',
    is_archived: false,
    is_template: false,
  },
  {
    id: 'VIE',
    code: 'VIE',
    name: { en: 'Ring Hotel Vienna', de: 'Hotel am Ring' },
    company_name: 'Ringhotel Wien GmbH',
    commercial_register_entry: 'Handelsgericht Wien, FN 412807 k',
    tax_id: 'ATU68012345',
    location: { address_line1: 'Kärntner Ring 9', postal_code: '1010', city: 'Wien', country_code: 'AT' },
    payment_terms: { en: 'Payment within 14 days', de: 'Zahlbar binnen 14 Tagen' },
    time_zone: 'Europe/Vienna',
    currency_code: 'EUR',
    default_check_in_time: '14:00:00',
    default_check_out_time: '12:00:00',
    daysAgo: 45,
    status: 'Test',
    is_archived: false,
    is_template: false,
  },
];

/** Berlin is open; Munich and Vienna are still being set up. */
function smallProperties(now: number): readonly PropertyRecord[] {
  return hotels.map(({ daysAgo, ...hotel }) => ({ ...hotel, created: daysBefore(now, daysAgo) }));
}

type Row = readonly [firstName: string, lastName: string, access: readonly PropertyRoles[]];

const rows: readonly Row[] = [
  ['Ben', 'Schuster', [at('BER', 'FrontDesk'), at('MUC', 'FrontDesk')]],
  ['Clara', 'Vogel', [at('BER', 'PropertyAdmin')]],
  ['David', 'Novak', [at('VIE', 'PropertyAdmin', 'RevenueManager')]],
  ['Emma', 'Huber', [at('MUC', 'PropertyAdmin')]],
  ['Felix', 'Brandt', [at('BER', 'Housekeeping')]],
  ['Greta', 'Moser', [at('VIE', 'HousekeepingManager')]],
  ['Hanna', 'Kraus', [at('BER', 'Accountant'), at('MUC', 'Accountant'), at('VIE', 'Accountant')]],
  ['Ivan', 'Petrov', [at('MUC', 'Housekeeping')]],
  ['Julia', 'Egger', [at('VIE', 'FrontDeskSenior')]],
  ['Karl', 'Lorenz', [at('BER', 'ReservationManager')]],
  ['Lukas', 'Weiss', [at('BER', 'Auditor')]],
];

/** Karl has left: his access is off and his record stays. */
const disabled = new Set(['Karl']);

/** Ana, who may do everything, and eleven who work in the hotels. */
function smallUsers(): readonly UserRecord[] {
  const staff = rows.map(([firstName, lastName, access], index) =>
    userOf({
      id: `6f1c2a4e-00${String(index + 2).padStart(2, '0')}-4a6b-9c1d-5e8f7a2b3c01`,
      firstName,
      lastName,
      email: `${firstName.toLowerCase()}@aurora.example`,
      access,
      enabled: !disabled.has(firstName),
    }),
  );
  return [admin(), ...staff];
}

function at(id: string, ...roles: readonly string[]): PropertyRoles {
  return { id, roles };
}
