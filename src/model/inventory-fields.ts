import type { Check } from '../cli/ports.ts';
import { choiceProblem } from './names.ts';
import { shortCodeProblem } from './segment.ts';
import { nameProblem, quote, textProblem } from './text.ts';
import { wholeProblem } from './values.ts';

/** One field of a unit group, a unit or a unit attribute, as flags, files and prompts name it. */
export interface InventoryField {
  /** Its name in a file: snake_case. */
  readonly name: string;
  /** Name of its flag, without dashes. */
  readonly flag: string;
  /** Its description in help and prompts. */
  readonly summary: string;
  /** A value as it is typed, if its form is not obvious. */
  readonly example?: string;
  /**
   * `languages`: a text for each language code; `whole`: a whole number from 1; `choice`: one of `choices`; `list`:
   * references to other records; `counts`: a number for each reference.
   */
  readonly kind: 'text' | 'languages' | 'whole' | 'choice' | 'list' | 'counts';
  readonly choices?: readonly string[];
  /** A record can be created without it. */
  readonly isOptional?: true;
  /** It cannot be changed after the record is created. */
  readonly isFixed?: true;
  /** What is wrong with one typed value. */
  readonly check: Check;
}

/** The types that a unit group can be created with; `Other` is only shown. */
export const unitGroupTypes: readonly string[] = ['BedRoom', 'MeetingRoom', 'EventSpace', 'ParkingLot'];

/** The types that lists of unit groups can be filtered by. */
export const listedGroupTypes: readonly string[] = [...unitGroupTypes, 'Other'];

/** What unit groups, and units, can be shown with. */
export const groupExpansions: readonly string[] = ['property', 'connectedUnitGroups'];
export const unitExpansions: readonly string[] = ['property', 'unitGroup', 'connectedUnits', 'actions'];

/** How clean a unit is. */
export const unitConditions: readonly string[] = ['Clean', 'CleanToBeInspected', 'Dirty'];

/** Why a unit cannot be let. */
export const maintenanceTypes: readonly string[] = ['OutOfService', 'OutOfOrder', 'OutOfInventory'];

/** Which units a list shows. */
export const unitStatuses: readonly string[] = ['Active', 'Archived', 'All'];

const property = field('property', '', { isFixed: true, example: 'BER' });
const maxPersons = { kind: 'whole', check: wholeProblem } as const;

/** The fields of a unit group, required ones first. */
export const unitGroupFields: readonly InventoryField[] = [
  { ...property, summary: 'property of the group' },
  field('code', 'short code, as in reports', { isFixed: true, check: shortCodeProblem, example: 'DBL' }),
  field('name', 'name in one language', { kind: 'languages', example: 'en=Double' }),
  field('description', 'description in one language', { kind: 'languages', example: 'en="Queen bed"' }),
  field('max_persons', 'most persons in one unit', { ...maxPersons, example: '2' }),
  field('type', 'what it is', {
    kind: 'choice',
    choices: unitGroupTypes,
    check: oneOf(unitGroupTypes),
    isOptional: true,
    isFixed: true,
  }),
  field('rank', 'place in lists, from 1', { kind: 'whole', check: wholeProblem, isOptional: true }),
  field('connected', 'group that a unit is made of, and how many', {
    kind: 'counts',
    flag: 'connected',
    example: 'DBL=1',
    isOptional: true,
    isFixed: true,
  }),
];

/** The fields of a unit, required ones first. */
export const unitFields: readonly InventoryField[] = [
  { ...property, summary: 'property of the unit' },
  field('name', 'name or number', { example: '201', check: unitNameProblem }),
  field('description', 'description in one language', { kind: 'languages', example: 'en="With a view"' }),
  field('max_persons', 'most persons', { ...maxPersons, example: '2' }),
  field('group', 'unit group, by code or id', { isOptional: true, example: 'DBL' }),
  field('condition', 'how clean it is', {
    kind: 'choice',
    choices: unitConditions,
    check: oneOf(unitConditions),
    isOptional: true,
  }),
  field('attributes', 'unit attribute, by name or id', {
    flag: 'attribute',
    kind: 'list',
    isOptional: true,
    example: 'BALCONY',
  }),
  field('connects', 'unit that it is made of, by name or id', {
    flag: 'connects',
    kind: 'list',
    isOptional: true,
    isFixed: true,
    example: '201',
  }),
];

/** The fields of a unit attribute. */
export const unitAttributeFields: readonly InventoryField[] = [
  field('name', 'name, up to 50 characters', {
    isFixed: true,
    example: 'BALCONY',
    check: (text) => nameProblem(text, 50),
  }),
  field('description', 'description', { isOptional: true, example: 'Balcony' }),
];

/** What is wrong with the name of a unit, or `undefined`. */
export function unitNameProblem(text: string): string | undefined {
  // A range would be taken for the name of a single unit.
  return /\d\s*\.\.\s*\S*\d/.test(text)
    ? `${quote(text)} is a range: names takes it`
    : nameProblem(text, 100);
}

function oneOf(choices: readonly string[]): Check {
  return (text) => choiceProblem(text, choices);
}

function field(
  name: string,
  summary: string,
  more: Partial<Omit<InventoryField, 'name' | 'summary'>> = {},
): InventoryField {
  return { name, flag: name.replaceAll('_', '-'), summary, kind: 'text', check: textProblem, ...more };
}
