import { type Change, countedTo, type PropertyRoles, put, type UserRecord } from '../records.ts';
import { hotelAt, staffOf } from './chain.ts';
import {
  admin,
  at,
  daysBefore,
  hotelChange,
  type Invited,
  invitationChange,
  type SeedOptions,
  userOf,
} from './seed.ts';
import { stockChanges, usualStock } from './stock.ts';

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
export function* peopleSeed({ now }: SeedOptions): Generator<Change> {
  for (const user of specialUsers()) yield put('users', user.subject_id, user);
  let next = 0;
  for (let index = 0; index < HOTELS; index += 1) {
    const hotel = hotelAt(index);
    const isArchived = index === HOTELS - 1;
    yield hotelChange(isArchived ? { ...hotel, status: 'Live', isArchived } : hotel, now);
    if (index < STOCKED)
      next = yield* stockChanges(hotel.code, usualStock, next, daysBefore(now, hotel.daysAgo));
    for (const [position, member] of staffOf(hotel.code, index, staffRoles).entries()) {
      const user = { ...member, is_mfa_enabled: position % 3 !== 0, is_passkeys_enabled: position % 5 === 0 };
      yield put('users', user.subject_id, user);
    }
  }
  for (const each of invited) yield invitationChange(each, now);
  yield countedTo(next);
}

type Row = readonly [
  email: string,
  firstName: string,
  lastName: string,
  access: readonly PropertyRoles[],
  more?: Partial<UserRecord>,
];

const HOSTILE_TEXT = '\u001b[31mRed\u001b[0m\u0007';
const HOSTILE_DIRECTION = '\u202egnp.exe\u2066\u200b';

const rows: readonly Row[] = [
  ['robert@aurora.example', 'Robert', 'Lang', [], { is_account_admin: true, enabled: false }],
  // He is invited as well, to Vienna.
  ['ben@aurora.example', 'Ben', 'Schuster', [at('BER', 'FrontDesk'), at('MUC', 'FrontDesk')]],
  ['clara@aurora.example', 'Clara', 'Vogel', [at('BER', 'PropertyAdmin'), at('MUC', 'FrontDesk')]],
  ['david@aurora.example', 'David', 'Novak', [at('MUC', 'RevenueManager'), at('VIE')]],
  ['emma@aurora.example', 'Emma', 'Huber', []],
  ['greta@aurora.example', 'Greta', 'Moser', [at('HAM', 'Housekeeping')]],
  ['Greta@aurora.example', 'Greta', 'Moser-Klein', [at('ZRH', 'HousekeepingManager')]],
  [
    'hanna@aurora.example',
    'Hanna',
    'Kraus',
    [at('BER', 'Accountant'), at('MUC', 'Accountant'), at('VIE', 'Accountant')],
    { is_mfa_enabled: true },
  ],
  ['ivan@audit-partner.example', 'Ivan', 'Petrov', [at('BER', 'Auditor'), at('PAR', 'Accountant')]],
  // The archived property, and one that is in no list.
  ['julia@aurora.example', 'Julia', 'Egger', [at('BRU', 'PropertyAdmin'), at('OLD', 'FrontDesk')]],
  ['karl@aurora.example', 'Karl', 'Lorenz', [at('BER', 'ReservationManager')], { enabled: false }],
  ['lukas@aurora.example', 'Lukas', 'Weiss', [at('MUC', 'Accountant', 'FrontDesk')]],
  [
    'formula@aurora.example',
    '=HYPERLINK("http://evil.example";"Pay")',
    '@SUM(1+1)',
    [at('BER', 'FrontDesk')],
  ],
  [
    'html@aurora.example',
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    [at('BER', 'Auditor')],
  ],
  ['escape@aurora.example', HOSTILE_TEXT, 'a,b\t"c"\r\nd', [at('MUC', 'FrontDesk')]],
  ['direction@aurora.example', HOSTILE_DIRECTION, '%s {{x}} | `id`', [at('MUC', 'Housekeeping')]],
  ['-rf+1@aurora.example', '', '', [at('VIE', 'Housekeeping')]],
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
  const others = rows.map(([email, first_name, last_name, property_roles, more], index) =>
    userOf({
      subject_id: `7a2d3b5f-0001-4b7c-8d2e-${index.toString(16).padStart(12, '0')}`,
      ...{ email, first_name, last_name, property_roles, ...more },
    }),
  );
  return [userOf({ ...admin(), property_roles: [at('BER', 'PropertyAdmin')] }), ...others];
}
