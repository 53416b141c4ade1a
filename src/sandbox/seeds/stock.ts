import { type Change, type LanguageMap, put, type UnitGroupRecord, type UnitRecord } from '../records.ts';
import { groupIdOf } from '../unit-groups.ts';
import { unitIdOf } from '../units.ts';

type Kind = Pick<UnitGroupRecord, 'code' | 'name' | 'description' | 'max_persons' | 'type'>;

/** A unit, and what is not as in others: `parts` are the names of the units that it is made of. */
type Room = readonly [name: string, more?: Partial<UnitRecord> & { readonly parts?: readonly string[] }];

/** A unit group and its units. */
export interface Stock extends Kind {
  readonly rooms: readonly Room[];
  /** How many of each group one of its units is made of, by code. */
  readonly made?: Readonly<Record<string, number>>;
}

/**
 * The changes that add what a hotel rents out.
 *
 * @param first the number of its first unit, for ids.
 * @param created ISO 8601, UTC.
 * @returns the number for the next unit.
 */
export function* stockChanges(
  propertyId: string,
  stock: readonly Stock[],
  first: number,
  created: string,
): Generator<Change, number> {
  for (const [index, kind] of stock.entries()) yield groupChange(propertyId, kind, index + 1, created);
  const names = stock.flatMap(({ rooms }) => rooms.map(([name]) => name));
  const idOf = (name: string) => unitIdOf(propertyId, first + names.indexOf(name));
  for (const { code, description, max_persons, rooms } of stock) {
    for (const [name, { parts = [], ...more } = {}] of rooms) {
      const unit: UnitRecord = {
        ...{ id: idOf(name), property_id: propertyId, name, description, max_persons },
        unit_group_id: groupIdOf(propertyId, code),
        ...{ condition: 'Clean', is_occupied: false, is_referenced: false, attributes: [] },
        connected_units: parts.map(idOf),
        created,
        ...more,
      };
      yield put('units', unit.id, unit);
    }
  }
  return first + names.length;
}

function groupChange(propertyId: string, stock: Stock, rank: number, created: string): Change {
  const { made = {}, rooms: _, ...kind } = stock;
  const id = groupIdOf(propertyId, kind.code);
  const connected = Object.entries(made).map(([code, member_count]) => ({
    unit_group_id: groupIdOf(propertyId, code),
    member_count,
  }));
  const group: UnitGroupRecord = {
    ...{ id, property_id: propertyId, ...kind, rank, created },
    ...(connected.length === 0 ? {} : { connected_unit_groups: connected }),
  };
  return put('unit_groups', id, group);
}

export const single = kind('SGL', texts('Single room', 'Einzelzimmer'), texts('One bed', 'Ein Bett'), 1);
export const double = kind('DBL', texts('Double room', 'Doppelzimmer'), texts('Queen bed', 'Großes Bett'), 2);
export const meeting = kind(
  'MTG',
  texts('Meeting room', 'Besprechungsraum'),
  texts('With a screen', 'Mit Bildschirm'),
  20,
  'MeetingRoom',
);

/** A kind of unit. */
export function kind(
  code: string,
  name: LanguageMap,
  description: LanguageMap,
  max_persons: number,
  type = 'BedRoom',
): Kind {
  return { code, name, description, max_persons, type };
}

/** A text in English and German. */
export function texts(en: string, de: string): LanguageMap {
  return { en, de };
}

/** What a hotel of a chain rents out. */
export const usualStock: readonly Stock[] = [
  { ...single, rooms: [['101'], ['102']] },
  { ...double, rooms: [['201'], ['202']] },
  { ...meeting, rooms: [] },
];
