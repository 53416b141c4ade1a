import type { PropertyRoles, UserRecord } from '../records.ts';
import { hotelAt, staffOf } from './chain.ts';
import { accountsOfAll, admin, at, type Hotel, type Invited, type Seed, userOf } from './seed.ts';
import { usualStock } from './stock.ts';

/** The last one is archived: no list shows it unless it is asked for. */
const HOTELS = 11;
/** Berlin and Munich have rooms. */
const STOCKED = 2;

const staffRoles: readonly string[] = [
  ...['PropertyAdmin', 'Accountant', 'RevenueManager', 'ReservationManager', 'Auditor'],
  ...['HousekeepingManager', ...Array<string>(10).fill('Housekeeping')],
  ...['FrontDeskSenior', 'FrontDeskSenior', ...Array<string>(6).fill('FrontDesk')],
];

/** An account with everything that a review of access may meet, among more people than a page has. */
export function peopleSeed(): Seed {
  const hotels = Array.from({ length: HOTELS }, (_, index): Hotel => {
    const hotel = { ...hotelAt(index), stock: index < STOCKED ? usualStock : [] };
    return index === HOTELS - 1 ? { ...hotel, status: 'Live', isArchived: true } : hotel;
  });
  const staff = hotels.flatMap(({ code }, index) =>
    staffOf(code, index, staffRoles).map((member, position) => ({
      ...member,
      ...{ is_mfa_enabled: position % 3 !== 0, is_passkeys_enabled: position % 5 === 0 },
    })),
  );
  return { hotels, users: [...specialUsers(), ...staff], invited };
}

/** A person; the address is at aurora.example unless it says where. */
type Row = readonly [string, string, string, readonly PropertyRoles[], Partial<UserRecord>?];

const HOSTILE_TEXT = '\u001b[31mRed\u001b[0m\u0007';
const HOSTILE_DIRECTION = '\u202egnp.exe\u2066\u200b';

const rows: readonly Row[] = [
  ['robert', 'Robert', 'Lang', [], { is_account_admin: true, enabled: false }],
  // He is invited as well, to Vienna.
  ['ben', 'Ben', 'Schuster', [at('BER', 'FrontDesk'), at('MUC', 'FrontDesk')]],
  ['clara', 'Clara', 'Vogel', [at('BER', 'PropertyAdmin'), at('MUC', 'FrontDesk')]],
  ['david', 'David', 'Novak', [at('MUC', 'RevenueManager'), at('VIE')]],
  ['emma', 'Emma', 'Huber', []],
  ['greta', 'Greta', 'Moser', [at('HAM', 'Housekeeping')]],
  ['Greta', 'Greta', 'Moser-Klein', [at('ZRH', 'HousekeepingManager')]],
  ['hanna', 'Hanna', 'Kraus', accountsOfAll, { is_mfa_enabled: true }],
  ['ivan@audit-partner.example', 'Ivan', 'Petrov', [at('BER', 'Auditor'), at('PAR', 'Accountant')]],
  // The archived property, and one that is in no list.
  ['julia', 'Julia', 'Egger', [at('BRU', 'PropertyAdmin'), at('OLD', 'FrontDesk')]],
  ['karl', 'Karl', 'Lorenz', [at('BER', 'ReservationManager')], { enabled: false }],
  ['lukas', 'Lukas', 'Weiss', [at('MUC', 'Accountant', 'FrontDesk')]],
  ['formula', '=HYPERLINK("http://evil.example";"Pay")', '@SUM(1+1)', [at('BER', 'FrontDesk')]],
  ['html', '<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', [at('BER', 'Auditor')]],
  ['escape', HOSTILE_TEXT, 'a,b\t"c"\r\nd', [at('MUC', 'FrontDesk')]],
  ['direction', HOSTILE_DIRECTION, '%s {{x}} | `id`', [at('MUC', 'Housekeeping')]],
  ['-rf+1', '', '', [at('VIE', 'Housekeeping')]],
];

const invited: readonly Invited[] = [
  ['jonas.keller@aurora.example', ['BER'], 'Housekeeping', 2],
  ['Ben@Aurora.example', ['VIE'], 'FrontOffice', 3],
  ['lea.wagner@aurora.example', ['MUC', 'VIE'], 'FrontOffice', 29],
  ['=1+1@aurora.example', ['OLD'], 'Housekeeping', 31],
  ['paul.steiner@aurora.example', ['VIE'], 'Auditor', 40],
  ['nora.fuchs@audit-partner.example', [], 'AccountAdmin', 45],
];

/** Ana, who is the only enabled account admin and works in Berlin too, and one person for each thing that may be wrong. */
function specialUsers(): readonly UserRecord[] {
  const others = rows.map(([address, first_name, last_name, property_roles, more], index) =>
    userOf({
      subject_id: `7a2d3b5f-0001-4b7c-8d2e-${index.toString(16).padStart(12, '0')}`,
      email: address.includes('@') ? address : `${address}@aurora.example`,
      ...{ first_name, last_name, property_roles, ...more },
    }),
  );
  return [userOf({ ...admin(), property_roles: [at('BER', 'PropertyAdmin')] }), ...others];
}
