import type { UnitGroupRecord } from '../store/records.ts';

const kinds = [
  { code: 'SGL', name: 'Single room', type: 'BedRoom', member_count: 24, max_persons: 1 },
  { code: 'DBL', name: 'Double room', type: 'BedRoom', member_count: 48, max_persons: 2 },
  { code: 'MTG', name: 'Meeting room', type: 'MeetingRoom', member_count: 3, max_persons: 20 },
  { code: 'PRK', name: 'Parking lot', type: 'ParkingLot', member_count: 30, max_persons: 5 },
] as const;

/** What a seeded hotel rents out. */
export function unitGroupsOf(propertyId: string): readonly UnitGroupRecord[] {
  return kinds.map((kind) => ({ id: `${propertyId}-${kind.code}`, ...kind, property: { id: propertyId } }));
}
