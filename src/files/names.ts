import { snakeCaseName } from '../model/fields.ts';
import {
  type Field,
  fieldOf,
  isFurther,
  isInventory,
  isKind,
  type Kind,
  kinds,
  kindTable,
  namesOf,
  severalOf,
} from '../model/kinds.ts';
import { isRecord, type ServiceRecord, valueAt } from '../model/records.ts';
import { choiceProblem, nearest, quote, suggestion } from '../model/text.ts';
import { type Dialect, takes } from '../service/dialect.ts';
import { kindOperations, needsApaleo } from '../service/operations.ts';
import type { PlaceProblem } from './entry.ts';

/** The fields of a property that hold fields, with the names of these. */
const innerFields: ReadonlyMap<string, readonly string[]> = new Map(
  ['location', 'bank_account'].map((outer) => [
    outer,
    kindTable.property.fields.flatMap(({ path: [first, inner] }) => (first === outer ? (inner ?? []) : [])),
  ]),
);

/** What to do about fields that the contract does not name. */
export const EXTRA_HINT = 'Fields of your service that the contract does not name go under "extra".';

const notFields = 'must hold fields and values';

/** What is wrong with the names that an entry uses, on all of its levels; further fields and kinds are wrong where the dialect does not take them. */
export function nameProblems(
  kind: Kind,
  fields: ServiceRecord,
  dialect: Pick<Dialect, 'further'>,
): readonly PlaceProblem[] {
  const known = entryFields(kind);
  const isOpen = known.includes('extra');
  const foreign = foreignFields(kind, dialect);
  const isGiven = (field: Field) => isFurther(field) && valueAt(fields, field.path) !== undefined;
  const given = namesOf(kind, isGiven);
  const isBeyond = isInventory(kind) && dialect.further[kindOperations[kind].create] === undefined;
  return [
    ...(isBeyond ? [{ reason: needsApaleo, beyond: severalOf(kind) }] : []),
    ...unknownIn(kind, fields, known),
    ...(kind === 'property'
      ? [...innerFields].flatMap(([outer, names]) => unknownIn(kind, fields[outer], names, `${outer}.`))
      : []),
    ...(isOpen ? inExtra(kind, fields['extra'], given) : []),
    ...given
      .filter((path) => foreign.includes(path))
      .map((field) => ({ field, reason: needsApaleo, beyond: field })),
  ];
}

/** The fields beyond the contract that a dialect does not take. */
export function foreignFields(kind: Kind, dialect: Pick<Dialect, 'further'>): readonly string[] {
  const { create } = kindOperations[kind];
  return namesOf(kind, (field) => isFurther(field) && !takes(dialect, create, field.name));
}

/** @param above the names before those of the record, with a dot. */
function unknownIn(
  kind: Kind,
  record: unknown,
  known: readonly string[],
  above = '',
): readonly PlaceProblem[] {
  if (!isRecord(record)) return [];
  const unknown = Object.keys(record).filter((name) => !known.includes(name));
  return unknown.map((name) => ({
    ...unknownField(kind, `${above}${name}`),
    field: `${above}${shownName(name)}`,
  }));
}

/** Why a name is refused, and what may be meant. @param path from the entry on, dots between names. */
export function unknownField(kind: Kind, path: string, meant = meantBy(kind, path)): PlaceProblem {
  if (path === '<<') return { reason: 'is a merge key, and merge keys are not taken: write the fields out' };
  const [outer = '', inner] = path.split('.');
  const isInside = kind === 'property' && inner !== undefined && innerFields.has(outer);
  // It may be a field of the service.
  const isForeign = meant === undefined && path !== 'extra' && entryFields(kind).includes('extra');
  const owner = isInside ? `a ${outer.replace('_', ' ')}` : kindTable[kind].one;
  return {
    reason: `is not a field of ${owner}${suggestion(meant)}`,
    hint: isForeign ? EXTRA_HINT : undefined,
  };
}

/** The field that was probably meant, as a table names it. */
export function meantBy(kind: Kind, field: string): string | undefined {
  const nested = kind === 'property' ? nestedLists.keys() : [];
  const direct = nearestName(field, [...entryFields(kind), ...namesOf(kind), 'kind', ...nested]);
  if (direct !== undefined || kind !== 'property') return direct;
  const paths = [...innerFields].flatMap(([outer, names]) => names.map((name) => `${outer}.${name}`));
  const last = (path: string) => path.slice(path.lastIndexOf('.') + 1);
  const inside = nearestName(last(field), paths.map(last));
  return paths.find((path) => last(path) === inside);
}

/** The name that was probably meant; capitals, hyphens, underscores and blanks do not count: `E-Mail` is email. */
function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const bare = (each: string) => each.replaceAll(/[-_ ]/g, '');
  const found = nearest(bare(name), candidates.map(bare));
  return candidates.find((candidate) => bare(candidate) === found);
}

/** A name as messages show it: quoted where it is long or has odd characters. */
export function shownName(name: string): string {
  return /^[\p{L}\p{N}_.@$<-]{1,60}$/u.test(name) ? name : quote(name);
}

/**
 * What is wrong with the fields under `extra`, in any spelling: those of the contract, and those that are given outside too.
 *
 * @param outside paths of the further fields outside.
 */
function inExtra(kind: Kind, extra: unknown, outside: readonly string[]): readonly PlaceProblem[] {
  if (extra === undefined) return [];
  const { location, ...others } = isRecord(extra) ? extra : {};
  const inside = kind === 'property' ? (location ?? {}) : {};
  if (!isRecord(extra)) return [{ field: 'extra', reason: notFields }];
  if (!isRecord(inside)) return [{ field: 'extra.location', reason: notFields }];
  const paths = [...Object.keys(others), ...Object.keys(inside).map((name) => `location.${name}`)];
  return paths.flatMap((path) => {
    const right = path.replace(/[^.]+$/, snakeCaseName);
    const known = fieldOf(kind, right);
    const isTwice = outside.some((other) => other === right || other.startsWith(`${right}.`));
    if (known !== undefined && !isFurther(known))
      return [{ field: `extra.${path}`, reason: `is a field of the contract: write ${right} outside extra` }];
    if (!isTwice) return [];
    return [{ field: `extra.${path}`, reason: `is given twice: ${right} is also given outside extra` }];
  });
}

/** The names of the fields of an entry, without `kind`. */
export function entryFields(kind: Kind): readonly string[] {
  const isOpen = kind === 'property' || kind === 'invitation';
  return [...new Set(kindTable[kind].fields.map(({ path }) => path[0])), ...(isOpen ? ['extra'] : [])];
}

/** The lists that an entry of a property may have inside. */
export const nestedLists: ReadonlyMap<string, 'unit_group' | 'unit'> = new Map([
  ['unit_groups', 'unit_group'],
  ['units', 'unit'],
]);

/** The lists of a manifest. */
export const lists: ReadonlyMap<string, Kind> = new Map(kinds.map((kind) => [kindTable[kind].several, kind]));

/** The part of a manifest in which an export names what it lacks. */
export const LEFT_OUT = 'left_out';

/** Fields that identify the kind of an entry. */
const identifying: readonly string[] = [
  'kind',
  ...Object.values(kindTable).flatMap(({ identifiedBy }) => identifiedBy),
];

/**
 * What an entry is: by its field `kind`, else by where it is, else by its fields.
 *
 * @param listed the kind of the list that it is in, or of all rows of its table.
 * @returns its kind, or what is wrong with it.
 */
export function kindOf(fields: ServiceRecord, listed: Kind | undefined): Kind | PlaceProblem {
  const stated = fields['kind'] === '' ? undefined : (fields['kind'] ?? undefined);
  if (stated !== undefined && !isKind(stated)) {
    const reason = typeof stated === 'string' ? choiceProblem(stated, kinds) : undefined;
    return { field: 'kind', reason: reason ?? `must be ${kinds.join(', ')}` };
  }
  if (stated !== undefined && listed !== undefined && stated !== listed) {
    const list = kindTable[listed].several;
    return { field: 'kind', reason: `says ${stated}, but the entry is in the list of ${list}` };
  }
  return stated ?? listed ?? kindByFields(Object.keys(fields)) ?? { reason: unknownKind(fields) };
}

/** The kind that field names identify, or `undefined`. A code of something in a property is that of a unit group. */
export function kindByFields(names: readonly string[]): Kind | undefined {
  if (names.includes('property') && names.includes('code')) return 'unit_group';
  return (['property', 'user', 'invitation', 'unit_group', 'unit'] as const).find((kind) =>
    kindTable[kind].identifiedBy.some((field) => names.includes(field)),
  );
}

/** Whether an object is a manifest, and not an entry whose properties are a list of ids. */
export function isManifest(value: ServiceRecord): boolean {
  const names = Object.keys(value);
  return (
    names.some((name) => lists.has(name) || name === LEFT_OUT) &&
    !names.some((name) => identifying.includes(name))
  );
}

function unknownKind(fields: ServiceRecord): string {
  const keys = ['kind', 'code', 'subject_id', 'email', ...lists.keys()];
  const meant = Object.keys(fields).flatMap((name) => nearest(name, keys) ?? []);
  return `does not say what it is: it has no kind, code, subject_id or email${suggestion(meant[0])}`;
}
