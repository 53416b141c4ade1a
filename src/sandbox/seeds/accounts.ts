import type { ServiceRecord } from '../../model/records.ts';
import { type UserRecord, userOf } from '../people.ts';
import {
  attributeIdOf,
  type Change,
  countedTo,
  groupIdOf,
  type NewProperty,
  type PropertyRecord,
  put,
  type UnitRecord,
  unitIdOf,
} from '../records.ts';
import chain from './chain.json' with { type: 'json' };
import groups from './groups.json' with { type: 'json' };
import { ADMIN_ID, type SeedName, vacant } from './names.ts';
import people from './people.json' with { type: 'json' };
import small from './small.json' with { type: 'json' };

/** Roles by property. */
type Roles = Readonly<Record<string, readonly string[]>>;

/** A person; the address is at aurora.example unless it says where. The last part is what is not as with others. */
type Person = readonly [address: string, firstName: string, lastName: string, Roles, Partial<UserRecord>?];

/** An invitation that Ana sent. */
type Invited = readonly [email: string, properties: readonly string[], role: string, daysAgo: number];

/** A unit, and what is not as in others: attributes and connected units by name. A number is a date, so many days ago. */
type Room = readonly [name: string, more?: ServiceRecord];

interface Hotel extends NewProperty {
  readonly status: PropertyRecord['status'];
  readonly daysAgo: number;
  readonly isArchived?: boolean;
  /** The units of each group, by its code. */
  readonly rooms?: Readonly<Record<string, readonly Room[]>>;
}

interface Group extends ServiceRecord {
  /** How many of each group one of its units is made of, by code. */
  readonly made?: Readonly<Record<string, number>>;
}

/** What an account begins with. */
interface Account {
  readonly attributes?: readonly (readonly string[])[];
  readonly hotels: readonly Hotel[];
  readonly users: readonly UserRecord[];
  readonly invited?: readonly Invited[];
}

export interface SeedOptions {
  /** Milliseconds since the epoch; the seed's dates count back from it. */
  readonly now: number;
  /** Number of properties, for seeds with sizes. */
  readonly size?: number | undefined;
}

// The files have the shapes above.
const [smallHotels, smallPeople] = [small.hotels, small.people] as unknown as [Hotel[], Person[]];
const [specialPeople, invited] = [people.people, people.invited] as unknown as [Person[], Invited[]];

const groupsByCode: Readonly<Record<string, Group>> = groups;

const admin: Person = ['ana', 'Ana', 'Lindner', {}, { is_account_admin: true, is_mfa_enabled: true }];
const ana = personOf(ADMIN_ID, admin);

/** Three hotels with some rooms, twelve people, four invitations, one of them long expired. */
const smallAccount: Account = {
  ...{ attributes: small.attributes, hotels: smallHotels, invited: small.invited as unknown as Invited[] },
  users: [
    ana,
    ...smallPeople.map((person, index) =>
      personOf(`6f1c2a4e-00${String(index + 2).padStart(2, '0')}-4a6b-9c1d-5e8f7a2b3c01`, person),
    ),
  ],
};

/** How each account is made. */
const accounts: Readonly<Record<SeedName, (size?: number) => Account>> = {
  small: () => smallAccount,
  /** Its ids of properties are numbers. */
  numbered: () => smallAccount,
  /** Hotels all over Europe, three people and four rooms in each, and Ana above them. */
  chain: (size = 240) => {
    const hotels = Array.from({ length: size }, (_, index) => hotelAt(index));
    return {
      hotels,
      users: [ana, ...hotels.flatMap(({ code }, index) => staffOf(code, index, chain.roles))],
    };
  },
  /** Everything that a review of access may meet, among more people than a page has. */
  people: () => {
    const hotels = Array.from({ length: 11 }, (_, index) => ({
      ...hotelAt(index),
      // Berlin and Munich have rooms. The last one is archived: no list shows it unless it is asked for.
      ...(index < 2 ? {} : { rooms: {} }),
      ...(index < 10 ? {} : ({ status: 'Live', isArchived: true } as const)),
    }));
    const staff = hotels.flatMap(({ code }, index) =>
      staffOf(code, index, people.roles).map((member, position) => ({
        ...member,
        ...{ is_mfa_enabled: position % 3 !== 0, is_passkeys_enabled: position % 5 === 0 },
      })),
    );
    const special = specialPeople.map((person, index) => personOf(staffId(1, index), person));
    const working = userOf({ ...ana, property_roles: [{ id: 'BER', roles: ['PropertyAdmin'] }] });
    return { hotels, users: [working, ...special, ...staff], invited };
  },
};

/** The changes that make the account of a seed. */
export function* changesOf(seed: SeedName, { now, size }: SeedOptions): Generator<Change> {
  const { attributes = [], hotels, users, invited: sent = [] } = accounts[seed](size);
  // Attributes and units share the numbers of their ids.
  let next = attributes.length;
  for (const [index, [name, description]] of attributes.entries()) {
    const id = attributeIdOf(index);
    yield put('unit_attributes', id, { id, name, description, created: daysBefore(now, 730) });
  }
  const attributeIdNamed = (name: string) => attributeIdOf(attributes.findIndex(([each]) => each === name));
  for (const { daysAgo, isArchived = false, rooms = {}, ...fields } of hotels) {
    const id = fields.code;
    const created = daysBefore(now, daysAgo);
    yield put('properties', id, { id, ...fields, is_archived: isArchived, is_template: false, created });
    const names = Object.values(rooms).flatMap((all) => all.map(([name]) => name));
    const unitIdNamed = (name: string) => unitIdOf(id, next + names.indexOf(name));
    for (const [index, [code, units]] of Object.entries(rooms).entries()) {
      const { made: parts = {}, ...group } = groupsByCode[code] ?? {};
      const connected = Object.entries(parts).map(([part, member_count]) => ({
        ...{ unit_group_id: groupIdOf(id, part), member_count },
      }));
      const { type: _, ...inherited } = group;
      const groupId = groupIdOf(id, code);
      yield put('unit_groups', groupId, {
        ...{ id: groupId, property_id: id, code, ...group, rank: index + 1, created },
        ...(connected.length === 0 ? {} : { connected_unit_groups: connected }),
      });
      for (const [name, more = {}] of units) {
        const { attributes: has = [], connected_units: made = [], ...others } = inDates(more, now);
        yield put('units', unitIdNamed(name), {
          ...{ ...inherited, id: unitIdNamed(name), property_id: id, name, unit_group_id: groupId },
          ...{ ...vacant, created, ...others },
          ...{ attributes: has.map(attributeIdNamed), connected_units: made.map(unitIdNamed) },
        });
      }
    }
    next += names.length;
  }
  for (const user of users) yield put('users', user.subject_id, user);
  for (const each of sent) yield invitationChange(each, now);
  yield countedTo(next);
}

function invitationChange([email, properties, role, daysAgo]: Invited, now: number): Change {
  const isAdmin = role === 'AccountAdmin';
  return put('invitations', email.toLowerCase(), {
    ...{ email, is_account_admin: isAdmin, properties },
    ...(isAdmin ? {} : { role }),
    ...{ roles: [role], invited_by: 'ana@aurora.example', created: daysBefore(now, daysAgo) },
  });
}

/** The hotel that the chain opened at this place in the order. */
function hotelAt(index: number): Hotel {
  // The first hotel of a city has its code; the codes of the others begin with it.
  const [cityCode, city, localCity, language, postal_code, country_code, time_zone, currency_code] = pick(
    chain.cities as unknown as readonly City[],
    index,
  );
  const round = Math.floor(index / chain.cities.length);
  const house = pick(chain.houses, index + round);
  return {
    code: round === 0 ? cityCode : `${cityCode}${round + 1}`,
    name: { en: `${house} ${city}`, [language]: `${house} ${localCity}` },
    company_name: `${localCity} Hotels ${round + 1} Ltd`,
    commercial_register_entry: `${country_code} ${String(100_000 + index)}`,
    tax_id: `${country_code}${String(800_000_000 + index)}`,
    location: {
      address_line1: `${pick(chain.streets, index)} ${(index % 90) + 1}`,
      ...{ postal_code, city: localCity, country_code },
    },
    payment_terms: { en: 'Payment on check-in' },
    ...{ time_zone, currency_code, default_check_in_time: '15:00:00', default_check_out_time: '11:00:00' },
    daysAgo: 30 + (index % 900),
    status: index % 4 === 3 ? 'Test' : 'Live',
    // As the file has them.
    rooms: chain.rooms as unknown as NonNullable<Hotel['rooms']>,
  };
}

/** In the order in which the chain opened its hotels. */
type City = readonly [string, string, string, string, string, string, string, string];

/** A person for each of the roles, in the hotel at this place in the order. */
function staffOf(id: string, index: number, roles: readonly string[]): readonly UserRecord[] {
  return roles.map((role, position) => {
    const number = index * roles.length + position + 1;
    const firstName = pick(chain.firstNames, number);
    const lastName = pick(chain.lastNames, number * 7 + index);
    const address = `${firstName}.${lastName}.${id}`.toLowerCase();
    const enabled = number % 23 !== 0;
    return personOf(staffId(0, number), [address, firstName, lastName, { [id]: [role] }, { enabled }]);
  });
}

function staffId(group: number, number: number): string {
  return `7a2d3b5f-000${group}-4b7c-8d2e-${number.toString(16).padStart(12, '0')}`;
}

function personOf(subject_id: string, [address, first_name, last_name, roles, more]: Person): UserRecord {
  return userOf({
    ...{ subject_id, first_name, last_name, ...more },
    email: address.includes('@') ? address : `${address}@aurora.example`,
    property_roles: Object.entries(roles).map(([id, all]) => ({ id, roles: all })),
  });
}

/** The entry at an index modulo the length. */
function pick<T>(list: readonly T[], index: number): T {
  // The remainder is within the list, and no list here is empty.
  return list[index % list.length] as T;
}

function inDates(more: ServiceRecord, now: number): Partial<UnitRecord> {
  const dated = (_: string, value: unknown) => (typeof value === 'number' ? daysBefore(now, value) : value);
  return JSON.parse(JSON.stringify(more), dated);
}

const DAY_MS = 86_400_000;

/** The moment that many days before `now` (milliseconds since the epoch), as ISO 8601 in UTC, in whole seconds. */
function daysBefore(now: number, days: number): string {
  return new Date(Math.floor(now / 1_000) * 1_000 - days * DAY_MS).toISOString();
}
