import { snakeCaseName } from '../model/fields.ts';
import { nearest, suggestion } from '../model/names.ts';
import { allPropertyFields, furtherPropertyFields, propertyFields } from '../model/property-fields.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { languageProblem } from '../model/values.ts';
import { type Dialect, takes } from '../service/dialect.ts';
import { notInContract, type OperationId } from '../service/operations.ts';
import type { Kind } from './entry.ts';
import { nouns } from './kind.ts';
import type { PlaceProblem } from './problems.ts';

/** What is wrong with a name. */
export interface NameProblem extends PlaceProblem {
  /** It resembles nothing: it may be a field of the service. */
  readonly isForeign?: boolean;
}

/** The names that an entry of each kind may have, `kind` left out. */
export const fieldsOf: Readonly<Record<Kind, readonly string[]>> = {
  property: [...new Set(allPropertyFields.map(({ path }) => path[0])), 'extra'],
  invitation: ['email', 'properties', 'is_account_admin', 'role', 'roles', 'extra'],
  user: [
    ...['email', 'subject_id', 'enabled', 'properties', 'property_roles'],
    ...['first_name', 'last_name', 'is_account_admin'],
  ],
};

/** The paths of those that the contract does not name; under `extra` they stand as well. */
const furtherFieldsOf: Readonly<Record<Kind, readonly (readonly [string, string?])[]>> = {
  property: furtherPropertyFields.map(({ path }) => path),
  invitation: [['roles']],
  user: [['first_name'], ['last_name'], ['is_account_admin']],
};

/** The fields of a property that hold fields, with the names of these. */
export const innerFields: ReadonlyMap<string, readonly string[]> = new Map(
  ['location', 'bank_account'].map((outer) => [outer, namesIn(outer)]),
);

/** The fields of a property that hold a text for each language. */
export const languageFields: readonly string[] = allPropertyFields.flatMap(({ kind, path }) =>
  kind === 'languages' ? [path[0]] : [],
);

/** Fields that are true or false. */
export const truthFields: readonly string[] = ['is_account_admin', 'enabled'];

/** The cell of a list that is given and has nothing in it; an empty cell is not given. */
export const EMPTY_LIST = '[]';

/** In one cell, `BER: FrontDesk, Auditor; VIE: none`: a property without roles. No role has this name. */
export const NO_ROLES = 'none';

/** What to do about fields that the contract does not name. */
export const EXTRA_HINT = 'Fields of your service that the contract does not name go under "extra".';

/** Objects carry these names themselves, and libraries pass over them. */
const inherited = ['constructor', 'prototype'];

/** The names that the contract has, and that are refused under `extra`. */
export const contractFieldsOf: Readonly<Record<Kind, readonly string[]>> = {
  property: namesLeft('property', new Set(furtherPropertyFields.map(({ path }) => path[0]))),
  invitation: namesLeft('invitation', new Set(['roles'])),
  user: [],
};

/** The same in a location. */
export const contractLocationFields: readonly string[] = propertyFields.flatMap(({ path }) =>
  path.length === 2 ? [path[1]] : [],
);

/** What is wrong with the names that an entry uses, on all of its levels; a further field is wrong where the dialect does not take it. */
export function nameProblems(
  kind: Kind,
  fields: ServiceRecord,
  dialect: Pick<Dialect, 'further'>,
): readonly NameProblem[] {
  const unknown = Object.keys(fields)
    .filter((field) => field !== 'kind' && !fieldsOf[kind].includes(field))
    .map((field) => ({ field: shownName(field), ...unknownField(kind, field) }));
  return [
    ...unknown,
    ...(kind === 'property' ? inProperty(fields) : []),
    ...(fieldsOf[kind].includes('extra') ? inExtra(kind, fields) : []),
    ...furtherIn(kind, fields)
      .filter((field) => !takes(dialect, writtenBy[kind], field))
      .map((field) => ({ field, reason: notThere(kind) })),
  ];
}

const writtenBy: Readonly<Record<Kind, OperationId>> = {
  property: 'createProperty',
  invitation: 'createInvitation',
  user: 'updateUser',
};

function notThere(kind: Kind): string {
  const isOpen = fieldsOf[kind].includes('extra');
  return isOpen ? `${notInContract}; under extra it is sent unchanged` : notInContract;
}

/** The further fields that an entry has outside `extra`, dots between names. */
function furtherIn(kind: Kind, fields: ServiceRecord): readonly string[] {
  return furtherFieldsOf[kind].flatMap((path) => {
    const [outer, inner] = path;
    if (inner === undefined) return Object.hasOwn(fields, outer) ? [outer] : [];
    const around = fields[outer];
    return isRecord(around) && Object.hasOwn(around, inner) ? [path.join('.')] : [];
  });
}

/** Why a name is refused, and what may be meant. @param path from the entry on, dots between names. */
export function unknownField(kind: Kind, path: string): NameProblem {
  if (path === '<<') return { reason: 'is a merge key, and merge keys are not taken: write the fields out' };
  const [outer = '', inner] = path.split('.');
  const isInside = kind === 'property' && inner !== undefined && innerFields.has(outer);
  const meant = meantBy(kind, path);
  return {
    reason: `is not a field of ${isInside ? `a ${outer.replace('_', ' ')}` : nouns[kind][0]}${suggestion(meant)}`,
    isForeign: meant === undefined && path !== 'extra' && fieldsOf[kind].includes('extra'),
  };
}

/** The field that was probably meant, as a table names it. */
export function meantBy(kind: Kind, field: string): string | undefined {
  const direct = nearestName(field, [...fieldsOf[kind], 'kind']);
  if (kind !== 'property') return direct;
  const last = field.split('.').at(-1) ?? '';
  const inside = nearestName(last, [...innerFields.values()].flat());
  if (inside === undefined) return direct;
  const isCloser = direct === undefined || nearestName(last, [direct, inside]) === inside;
  const [outer] = [...innerFields].find(([, names]) => names.includes(inside)) ?? [];
  return isCloser ? `${outer}.${inside}` : direct;
}

/** The name that was probably meant; capitals, hyphens, underscores and blanks do not count: `E-Mail` is email. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const bare = (each: string) => each.replaceAll(/[-_ ]/g, '');
  const found = nearest(bare(name), candidates.map(bare));
  return candidates.find((candidate) => bare(candidate) === found);
}

/** A name as messages show it: quoted where it is long or has odd characters. */
export function shownName(name: string): string {
  return /^[\p{L}\p{N}_.@$<-]{1,60}$/u.test(name) ? name : quote(name);
}

function namesIn(outer: string): readonly string[] {
  return allPropertyFields.flatMap(({ path }) => (path.length === 2 && path[0] === outer ? [path[1]] : []));
}

function namesLeft(kind: Kind, without: ReadonlySet<string>): readonly string[] {
  return fieldsOf[kind].filter((name) => name !== 'extra' && !without.has(name));
}

function inProperty(fields: ServiceRecord): readonly NameProblem[] {
  return [
    ...[...innerFields].flatMap(([outer, names]) => inside(outer, fields[outer], names)),
    ...languageFields.flatMap((field) => inLanguages(field, fields[field])),
  ];
}

function inside(outer: string, record: unknown, names: readonly string[]): readonly NameProblem[] {
  if (!isRecord(record)) return [];
  return Object.keys(record)
    .filter((field) => !names.includes(field))
    .map((field) => ({
      field: `${outer}.${shownName(field)}`,
      ...unknownField('property', `${outer}.${field}`),
    }));
}

function inLanguages(field: string, map: unknown): readonly NameProblem[] {
  if (!isRecord(map)) return [];
  return Object.keys(map)
    .filter((language) => inherited.includes(language))
    .map((language) => ({
      field: `${field}.${language}`,
      reason: languageProblem(language) ?? 'is not a language code',
    }));
}

function inExtra(kind: Kind, { extra, ...outside }: ServiceRecord): readonly NameProblem[] {
  if (extra === undefined) return [];
  if (!isRecord(extra)) return [{ field: 'extra', reason: 'must hold fields and values' }];
  const { location, ...rest } = extra;
  const further = furtherIn(kind, outside);
  const problems = Object.keys(rest).flatMap((field) =>
    inExtraProblem(field, '', contractFieldsOf[kind], further),
  );
  if (kind !== 'property') return problems;
  const inner = isRecord(location) ? Object.keys(location) : [];
  const isMisshapen = location !== undefined && location !== null && !isRecord(location);
  return [
    ...problems,
    ...inner.flatMap((field) => inExtraProblem(field, 'location.', contractLocationFields, further)),
    ...(isMisshapen ? [{ field: 'extra.location', reason: 'must hold fields and values' }] : []),
  ];
}

/**
 * What is wrong with a field under `extra`, in any spelling: it belongs outside, or is given there too.
 *
 * @param refused names of the contract.
 * @param outside paths of the further fields that stand outside.
 */
function inExtraProblem(
  field: string,
  place: string,
  refused: readonly string[],
  outside: readonly string[],
): readonly NameProblem[] {
  const name = snakeCaseName(field);
  const right = `${place}${name}`;
  const problem = (reason: string) => [{ field: `extra.${place}${field}`, reason }];
  if (refused.includes(name)) return problem(`is a field of the contract: write ${right} outside extra`);
  const isTwice = outside.some((path) => path === right || path.startsWith(`${right}.`));
  return isTwice ? problem(`is given twice: ${right} is also given outside extra`) : [];
}
