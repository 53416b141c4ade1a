import {
  attributeIdOf,
  type Change,
  countedTo,
  groupIdOf,
  put,
  type UnitGroupRecord,
  type UnitRecord,
  unitIdOf,
} from '../records.ts';
import { daysBefore, type Invited, type Seed } from './seed.ts';

type Kind = Pick<UnitGroupRecord, 'code' | 'name' | 'description' | 'max_persons' | 'type'>;

/** A unit, and what is not as in others: `parts` are the names of the units that it is made of. */
type Room = readonly [name: string, more?: Partial<UnitRecord> & { readonly parts?: readonly string[] }];

/** A unit group and its units. */
export interface Stock extends Kind {
  readonly rooms: readonly Room[];
  /** How many of each group one of its units is made of, by code. */
  readonly made?: Readonly<Record<string, number>>;
}

/** The changes that make an account of a seed. */
export function* changesOf(seed: Seed, now: number): Generator<Change> {
  const { attributes = [], hotels, users, invited = [] } = seed;
  // Attributes and units share the numbers of their ids.
  let next = attributes.length;
  for (const [index, [name, description]] of attributes.entries()) {
    const id = attributeIdOf(index);
    yield put('unit_attributes', id, { id, name, description, created: daysBefore(now, 730) });
  }
  for (const { daysAgo, isArchived = false, stock = [], ...fields } of hotels) {
    const id = fields.code;
    const created = daysBefore(now, daysAgo);
    yield put('properties', id, { id, ...fields, is_archived: isArchived, is_template: false, created });
    yield* stockChanges(id, stock, next, created);
    next += stock.flatMap(({ rooms }) => rooms).length;
  }
  for (const user of users) yield put('users', user.subject_id, user);
  for (const each of invited) yield invitationChange(each, now);
  yield countedTo(next);
}

/** @param first the number of its first unit, for ids. */
function* stockChanges(
  propertyId: string,
  stock: readonly Stock[],
  first: number,
  created: string,
): Generator<Change> {
  const names = stock.flatMap(({ rooms }) => rooms.map(([name]) => name));
  const idOf = (name: string) => unitIdOf(propertyId, first + names.indexOf(name));
  for (const [index, { made = {}, rooms, ...kind }] of stock.entries()) {
    const groupId = groupIdOf(propertyId, kind.code);
    const connected = Object.entries(made).map(([code, member_count]) => ({
      unit_group_id: groupIdOf(propertyId, code),
      member_count,
    }));
    yield put('unit_groups', groupId, {
      ...{ id: groupId, property_id: propertyId, ...kind, rank: index + 1, created },
      ...(connected.length === 0 ? {} : { connected_unit_groups: connected }),
    });
    const { description, max_persons } = kind;
    for (const [name, { parts = [], ...more } = {}] of rooms)
      yield put('units', idOf(name), {
        ...{ id: idOf(name), property_id: propertyId, name, description, max_persons },
        unit_group_id: groupId,
        ...{ condition: 'Clean', is_occupied: false, is_referenced: false, attributes: [] },
        ...{ connected_units: parts.map(idOf), created },
        ...more,
      });
  }
}

function invitationChange([email, properties, role, daysAgo]: Invited, now: number): Change {
  const isAdmin = role === 'AccountAdmin';
  return put('invitations', email.toLowerCase(), {
    ...{ email, is_account_admin: isAdmin, properties },
    ...(isAdmin ? {} : { role }),
    ...{ roles: [role], invited_by: 'ana@aurora.example', created: daysBefore(now, daysAgo) },
  });
}

export const single = kind('SGL', ['Single room', 'Einzelzimmer'], ['One bed', 'Ein Bett'], 1);
export const double = kind('DBL', ['Double room', 'Doppelzimmer'], ['Queen bed', 'Großes Bett'], 2);
export const meeting = kind(
  'MTG',
  ['Meeting room', 'Besprechungsraum'],
  ['With a screen', 'Mit Bildschirm'],
  20,
  'MeetingRoom',
);

/** A text in English and in German. */
type Texts = readonly [en: string, de: string];

/** A kind of unit. */
export function kind(code: string, name: Texts, about: Texts, max_persons: number, type = 'BedRoom'): Kind {
  const inBoth = ([en, de]: Texts) => ({ en, de });
  return { code, name: inBoth(name), description: inBoth(about), max_persons, type };
}

/** What a hotel of a chain rents out. */
export const usualStock: readonly Stock[] = [
  { ...single, rooms: [['101'], ['102']] },
  { ...double, rooms: [['201'], ['202']] },
  { ...meeting, rooms: [] },
];
