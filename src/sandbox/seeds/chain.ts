import type { PropertyRoles, UserRecord } from '../records.ts';
import {
  accountsOfAll,
  admin,
  at,
  type Hotel,
  type Invited,
  type Seed,
  type SeedOptions,
  userOf,
} from './seed.ts';
import { usualStock } from './stock.ts';

const DEFAULT_SIZE = 240;

const houses = ['Grand Hotel', 'Park Hotel', 'Station Hotel', 'Garden Hotel', 'Harbour Hotel', 'City Inn'];
const streets = ['Station Road', 'Market Square', 'Park Lane', 'Harbour Street', 'Castle Street'];
const firstNames = 'Ben Clara David Emma Felix Greta Hugo Ines Jan Lena Milan'.split(' ');
const lastNames = 'Becker Costa Dubois Eriksen Ferrari Gruber Horvat Janssen Kowalski'.split(' ');
const staffRoles = ['PropertyAdmin', 'FrontDesk', 'Housekeeping'] as const;

/** A chain with hotels all over Europe, three people and four rooms in each, and Ana above them. */
export function chainSeed({ size = DEFAULT_SIZE }: Pick<SeedOptions, 'size'>): Seed {
  const hotels = Array.from({ length: size }, (_, index) => ({ ...hotelAt(index), stock: usualStock }));
  const staff = hotels.flatMap(({ code }, index) => staffOf(code, index, staffRoles));
  return { hotels, users: [admin(), ...staff] };
}

/** The hotel that the chain opened at this place in the order. */
function hotelAt(index: number): Hotel {
  const [cityCode, city, localCity, language, postal_code, country_code, time_zone, currency_code] = pick(
    cities,
    index,
  );
  const round = Math.floor(index / cities.length);
  const code = round === 0 ? cityCode : `${cityCode}${round + 1}`;
  const house = pick(houses, index + round);
  const address = `${pick(streets, index)} ${(index % 90) + 1}`;
  return {
    code,
    name: { en: `${house} ${city}`, [language]: `${house} ${localCity}` },
    company_name: `${localCity} Hotels ${round + 1} Ltd`,
    commercial_register_entry: `${country_code} ${String(100_000 + index)}`,
    tax_id: `${country_code}${String(800_000_000 + index)}`,
    location: { address_line1: address, postal_code, city: localCity, country_code },
    payment_terms: { en: 'Payment on check-in' },
    time_zone,
    currency_code,
    default_check_in_time: '15:00:00',
    default_check_out_time: '11:00:00',
    daysAgo: 30 + (index % 900),
    status: index % 4 === 3 ? 'Test' : 'Live',
  };
}

/** A person for each of the roles, in the hotel at this place in the order. */
function staffOf(id: string, index: number, roles: readonly string[]): readonly UserRecord[] {
  return roles.map((role, position) => {
    const number = index * roles.length + position + 1;
    const firstName = pick(firstNames, number);
    const lastName = pick(lastNames, number * 7 + index);
    return userOf({
      subject_id: `7a2d3b5f-0000-4b7c-8d2e-${number.toString(16).padStart(12, '0')}`,
      first_name: firstName,
      last_name: lastName,
      email: `${firstName}.${lastName}.${id}@aurora.example`.toLowerCase(),
      property_roles: [{ id, roles: [role] }],
      enabled: number % 23 !== 0,
    });
  });
}

/** The entry at an index modulo the length. */
function pick<T>(list: readonly T[], index: number): T {
  // The remainder is within the list, and no list here is empty.
  return list[index % list.length] as T;
}

/**
 * A city of the chain: code, name in English and in its language, that language, postal code, country, time zone, currency.
 * The first hotel there has its code; the codes of the others begin with it.
 */
type City = readonly [string, string, string, string, string, string, string, string];

/** In the order in which the chain opened its hotels. */
const cities: readonly City[] = [
  ['BER', 'Berlin', 'Berlin', 'de', '10117', 'DE', 'Europe/Berlin', 'EUR'],
  ['MUC', 'Munich', 'München', 'de', '80331', 'DE', 'Europe/Berlin', 'EUR'],
  ['VIE', 'Vienna', 'Wien', 'de', '1010', 'AT', 'Europe/Vienna', 'EUR'],
  ['HAM', 'Hamburg', 'Hamburg', 'de', '20095', 'DE', 'Europe/Berlin', 'EUR'],
  ['DRS', 'Dresden', 'Dresden', 'de', '01067', 'DE', 'Europe/Berlin', 'EUR'],
  ['SZG', 'Salzburg', 'Salzburg', 'de', '5020', 'AT', 'Europe/Vienna', 'EUR'],
  ['ZRH', 'Zurich', 'Zürich', 'de', '8001', 'CH', 'Europe/Zurich', 'CHF'],
  ['GVA', 'Geneva', 'Genève', 'fr', '1201', 'CH', 'Europe/Zurich', 'CHF'],
  ['PAR', 'Paris', 'Paris', 'fr', '75001', 'FR', 'Europe/Paris', 'EUR'],
  ['LYS', 'Lyon', 'Lyon', 'fr', '69002', 'FR', 'Europe/Paris', 'EUR'],
  ['BRU', 'Brussels', 'Bruxelles', 'fr', '1000', 'BE', 'Europe/Brussels', 'EUR'],
  ['AMS', 'Amsterdam', 'Amsterdam', 'nl', '1012 AB', 'NL', 'Europe/Amsterdam', 'EUR'],
  ['LUX', 'Luxembourg', 'Luxembourg', 'fr', '1009', 'LU', 'Europe/Luxembourg', 'EUR'],
  ['LON', 'London', 'London', 'en', 'SW1A 1AA', 'GB', 'Europe/London', 'GBP'],
  ['EDI', 'Edinburgh', 'Edinburgh', 'en', 'EH1 1YZ', 'GB', 'Europe/London', 'GBP'],
  ['DUB', 'Dublin', 'Dublin', 'en', 'D02 AF30', 'IE', 'Europe/Dublin', 'EUR'],
  ['MAD', 'Madrid', 'Madrid', 'es', '28013', 'ES', 'Europe/Madrid', 'EUR'],
  ['BCN', 'Barcelona', 'Barcelona', 'es', '08002', 'ES', 'Europe/Madrid', 'EUR'],
  ['LIS', 'Lisbon', 'Lisboa', 'pt', '1100-148', 'PT', 'Europe/Lisbon', 'EUR'],
  ['ROM', 'Rome', 'Roma', 'it', '00184', 'IT', 'Europe/Rome', 'EUR'],
  ['MIL', 'Milan', 'Milano', 'it', '20121', 'IT', 'Europe/Rome', 'EUR'],
  ['VCE', 'Venice', 'Venezia', 'it', '30124', 'IT', 'Europe/Rome', 'EUR'],
  ['PRG', 'Prague', 'Praha', 'cs', '110 00', 'CZ', 'Europe/Prague', 'CZK'],
  ['BUD', 'Budapest', 'Budapest', 'hu', '1051', 'HU', 'Europe/Budapest', 'HUF'],
  ['WAW', 'Warsaw', 'Warszawa', 'pl', '00-001', 'PL', 'Europe/Warsaw', 'PLN'],
  ['KRK', 'Krakow', 'Kraków', 'pl', '31-001', 'PL', 'Europe/Warsaw', 'PLN'],
  ['CPH', 'Copenhagen', 'København', 'da', '1050', 'DK', 'Europe/Copenhagen', 'DKK'],
  ['STO', 'Stockholm', 'Stockholm', 'sv', '111 20', 'SE', 'Europe/Stockholm', 'SEK'],
  ['OSL', 'Oslo', 'Oslo', 'nb', '0154', 'NO', 'Europe/Oslo', 'NOK'],
  ['HEL', 'Helsinki', 'Helsinki', 'fi', '00100', 'FI', 'Europe/Helsinki', 'EUR'],
  ['TLL', 'Tallinn', 'Tallinn', 'et', '10111', 'EE', 'Europe/Tallinn', 'EUR'],
  ['RIX', 'Riga', 'Rīga', 'lv', 'LV-1050', 'LV', 'Europe/Riga', 'EUR'],
  ['ATH', 'Athens', 'Αθήνα', 'el', '105 57', 'GR', 'Europe/Athens', 'EUR'],
  ['LJU', 'Ljubljana', 'Ljubljana', 'sl', '1000', 'SI', 'Europe/Ljubljana', 'EUR'],
  ['ZAG', 'Zagreb', 'Zagreb', 'hr', '10000', 'HR', 'Europe/Zagreb', 'EUR'],
];

/** The last one is archived: no list shows it unless it is asked for. */
const HOTELS = 11;
/** Berlin and Munich have rooms. */
const STOCKED = 2;

const peopleRoles: readonly string[] = [
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
    staffOf(code, index, peopleRoles).map((member, position) => ({
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
