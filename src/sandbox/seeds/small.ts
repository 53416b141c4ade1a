import { attributeIdOf, type PropertyRoles, type UserRecord } from '../records.ts';
import {
  accountsOfAll,
  admin,
  at,
  daysBefore,
  type Hotel,
  type Invited,
  type Seed,
  type SeedOptions,
  userOf,
} from './seed.ts';
import { double, kind, meeting, type Stock, single } from './stock.ts';

/** Three hotels with some rooms, twelve people, four invitations, one of them long expired. */
export function smallSeed({ now }: Pick<SeedOptions, 'now'>): Seed {
  const stocked = hotels.map((hotel) => ({
    ...hotel,
    stock: hotel.code === 'BER' ? stockOfBerlin(now) : stockOfOthers,
  }));
  return { attributes, hotels: stocked, users: smallUsers(), invited };
}

const invited: readonly Invited[] = [
  ['jonas.keller@aurora.example', ['BER'], 'Housekeeping', 2],
  ['lea.wagner@aurora.example', ['MUC', 'VIE'], 'FrontOffice', 9],
  ['nora.fuchs@aurora.example', [], 'AccountAdmin', 12],
  ['paul.steiner@aurora.example', ['VIE'], 'Auditor', 40],
];

const attributes = [
  ['BALCONY', 'Balcony'],
  ['QUIET', 'To the courtyard'],
  ['STREET', 'To the street'],
] as const;
const [balcony, quiet, street] = [attributeIdOf(0), attributeIdOf(1), attributeIdOf(2)];

const parking = kind('PRK', ['Parking lot', 'Stellplatz'], ['In the yard', 'Im Hof'], 5, 'ParkingLot');
const suite = kind('SUI', ['Suite', 'Suite'], ['Two rooms', 'Zwei Zimmer'], 3);

/** Guests have been in some rooms, and are in one. One is being repaired, one is closed for good, two make a suite. */
function stockOfBerlin(now: number): readonly Stock[] {
  const maintenance = {
    ...{ id: 'BER-203-SGHZD', type: 'OutOfOrder', description: 'The bath is being tiled' },
    ...{ from: daysBefore(now, 2), to: daysBefore(now, -5) },
  };
  return [
    {
      ...single,
      rooms: [
        ['101', { is_referenced: true, attributes: [quiet] }],
        ['102', { is_referenced: true, attributes: [quiet], condition: 'CleanToBeInspected' }],
        ['103', { attributes: [street] }],
        ['104', { attributes: [street] }],
      ],
    },
    {
      ...double,
      rooms: [
        ['201', { is_referenced: true, is_occupied: true, attributes: [balcony, quiet] }],
        ['202', { is_referenced: true, attributes: [balcony], condition: 'Dirty' }],
        ['203', { is_referenced: true, maintenance }],
        ['204', { attributes: [street] }],
        ['205'],
        ['206'],
        ['207', { is_referenced: true, archived: daysBefore(now, 90) }],
      ],
    },
    { ...meeting, rooms: [['M1']] },
    { ...parking, rooms: [['P1'], ['P2']] },
    {
      ...suite,
      made: { SGL: 1, DBL: 1 },
      rooms: [['301', { parts: ['104', '206'], attributes: [balcony] }]],
    },
  ];
}

/** No guest has stayed here yet. */
const stockOfOthers: readonly Stock[] = [
  { ...single, rooms: [['101'], ['102']] },
  { ...double, rooms: [['201'], ['202'], ['203']] },
  { ...meeting, rooms: [] },
  { ...parking, rooms: [] },
];

/** Berlin is open; Munich and Vienna are still being set up. */
const hotels: readonly Hotel[] = [
  {
    code: 'BER',
    name: { en: 'Grand Hotel Berlin', de: 'Grandhotel Berlin' },
    description: { en: 'At the Gendarmenmarkt', de: 'Am Gendarmenmarkt' },
    company_name: 'Grandhotel Berlin GmbH',
    managing_directors: 'Ana Lindner',
    commercial_register_entry: 'Amtsgericht Charlottenburg, HRB 104512 B',
    tax_id: 'DE811569869',
    location: { address_line1: 'Mohrenstraße 30', postal_code: '10117', city: 'Berlin', country_code: 'DE' },
    bank_account: { iban: 'DE02120300000000202051', bic: 'BYLADEM1001', bank: 'Deutsche Kreditbank' },
    payment_terms: { en: 'Payment on check-in', de: 'Zahlbar bei Check-in' },
    time_zone: 'Europe/Berlin',
    currency_code: 'EUR',
    default_check_in_time: '15:00:00',
    default_check_out_time: '11:00:00',
    daysAgo: 730,
    status: 'Live',
  },
  {
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
  },
  {
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
  },
];

type Row = readonly [firstName: string, lastName: string, access: readonly PropertyRoles[]];

const rows: readonly Row[] = [
  ['Ben', 'Schuster', [at('BER', 'FrontDesk'), at('MUC', 'FrontDesk')]],
  ['Clara', 'Vogel', [at('BER', 'PropertyAdmin')]],
  ['David', 'Novak', [at('VIE', 'PropertyAdmin', 'RevenueManager')]],
  ['Emma', 'Huber', [at('MUC', 'PropertyAdmin')]],
  ['Felix', 'Brandt', [at('BER', 'Housekeeping')]],
  ['Greta', 'Moser', [at('VIE', 'HousekeepingManager')]],
  ['Hanna', 'Kraus', accountsOfAll],
  ['Ivan', 'Petrov', [at('MUC', 'Housekeeping')]],
  ['Julia', 'Egger', [at('VIE', 'FrontDeskSenior')]],
  ['Karl', 'Lorenz', [at('BER', 'ReservationManager')]],
  ['Lukas', 'Weiss', [at('BER', 'Auditor')]],
];

/** Ana, who may do everything, and eleven who work in the hotels. */
function smallUsers(): readonly UserRecord[] {
  const staff = rows.map(([first_name, last_name, property_roles], index) => {
    const subject_id = `6f1c2a4e-00${String(index + 2).padStart(2, '0')}-4a6b-9c1d-5e8f7a2b3c01`;
    const email = `${first_name.toLowerCase()}@aurora.example`;
    // He has left: his access is off and his record stays.
    const enabled = first_name !== 'Karl';
    return userOf({ subject_id, first_name, last_name, email, property_roles, enabled });
  });
  return [admin(), ...staff];
}
