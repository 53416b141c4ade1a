import type { Change, PropertyRecord, UserRecord } from '../store/records.ts';
import { cities } from './cities.ts';
import { daysBefore } from './dates.ts';
import { admin, userOf } from './people.ts';
import type { SeedOptions } from './seed.ts';
import { unitGroupsOf } from './unit-groups.ts';

const DEFAULT_SIZE = 240;

const houses = ['Grand Hotel', 'Park Hotel', 'Station Hotel', 'Garden Hotel', 'Harbour Hotel', 'City Inn'];
const streets = ['Station Road', 'Market Square', 'Park Lane', 'Harbour Street', 'Castle Street'];
const firstNames = [
  'Ben',
  'Clara',
  'David',
  'Emma',
  'Felix',
  'Greta',
  'Hugo',
  'Ines',
  'Jan',
  'Lena',
  'Milan',
];
const lastNames = [
  'Becker',
  'Costa',
  'Dubois',
  'Eriksen',
  'Ferrari',
  'Gruber',
  'Horvat',
  'Janssen',
  'Kowalski',
];
const staffRoles = ['PropertyAdmin', 'FrontDesk', 'Housekeeping'] as const;

/** A chain with hotels all over Europe, three people in each, and Ana above them. */
export function* chainSeed({ now, size = DEFAULT_SIZE }: SeedOptions): Generator<Change> {
  const user = admin();
  yield { put: ['users', user.subject_id, user] };
  for (let index = 0; index < size; index += 1) {
    const property = propertyAt(index, now);
    yield { put: ['properties', property.id, property] };
    for (const group of unitGroupsOf(property.id)) yield { put: ['unit_groups', group.id, group] };
    for (const member of staffOf(property, index)) yield { put: ['users', member.subject_id, member] };
  }
}

function propertyAt(index: number, now: number): PropertyRecord {
  const city = pick(cities, index);
  const round = Math.floor(index / cities.length);
  const code = round === 0 ? city.code : `${city.code}${round + 1}`;
  const house = pick(houses, index + round);
  return {
    id: code,
    code,
    name: { en: `${house} ${city.name}`, [city.language]: `${house} ${city.localName}` },
    company_name: `${city.localName} Hotels ${round + 1} Ltd`,
    commercial_register_entry: `${city.countryCode} ${String(100_000 + index)}`,
    tax_id: `${city.countryCode}${String(800_000_000 + index)}`,
    location: {
      address_line1: `${pick(streets, index)} ${(index % 90) + 1}`,
      postal_code: city.postalCode,
      city: city.localName,
      country_code: city.countryCode,
    },
    payment_terms: { en: 'Payment on check-in' },
    time_zone: city.timeZone,
    currency_code: city.currencyCode,
    default_check_in_time: '15:00:00',
    default_check_out_time: '11:00:00',
    created: daysBefore(now, 30 + (index % 900)),
    status: index % 4 === 3 ? 'Test' : 'Live',
    is_archived: false,
    is_template: false,
  };
}

function staffOf(property: PropertyRecord, index: number): readonly UserRecord[] {
  return staffRoles.map((role, position) => {
    const number = index * staffRoles.length + position + 1;
    const firstName = pick(firstNames, number);
    const lastName = pick(lastNames, number * 7 + index);
    return userOf({
      id: `7a2d3b5f-0000-4b7c-8d2e-${number.toString(16).padStart(12, '0')}`,
      firstName,
      lastName,
      email: `${firstName}.${lastName}.${property.id}@aurora.example`.toLowerCase(),
      access: [{ id: property.id, roles: [role] }],
      enabled: number % 23 !== 0,
    });
  });
}

/** The entry at an index that may run past the end, from the beginning again. */
function pick<T>(list: readonly T[], index: number): T {
  // The remainder is within the list, and no list here is empty.
  return list[index % list.length] as T;
}
