import { hotelEntry } from './seeding.ts';

/** A hotel with a hundred or fewer double rooms and a suite that is made of the first one, as a manifest. */
export function hotelWithUnits(code: string, rooms = 28): string {
  return `properties:
${hotelEntry(code)}    payment_terms: { en: Now }
    unit_groups:
      - { code: DBL, name: { en: Double }, description: { en: Queen bed }, max_persons: 2, type: BedRoom, rank: 1 }
      - { code: SUI, name: { en: Suite }, description: { en: Two rooms }, max_persons: 4, connected: { DBL: 1 } }
    units:
      - { names: 201..${200 + rooms}, group: DBL }
      - { name: "301", group: SUI, connects: ["201"], attributes: [SEA VIEW] }
unit_attributes: [{ name: SEA VIEW, description: To the sea }]
`;
}

/** The names of its units. */
export function unitNames(rooms = 28): readonly string[] {
  return [...Array.from({ length: rooms }, (_, index) => String(201 + index)), '301'].toSorted();
}
