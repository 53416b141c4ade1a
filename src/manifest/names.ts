import { snakeCaseName } from '../api/fields.ts';
import { languageProblem } from '../checks/language.ts';
import { nearest } from '../checks/nearest.ts';
import { propertyFields } from '../checks/property-fields.ts';
import { quote } from '../checks/text.ts';
import { isRecord, type ServiceRecord } from '../records.ts';
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
  property: [...new Set(propertyFields.map(({ path }) => path[0])), 'extra'],
  invitation: ['email', 'properties', 'is_account_admin', 'role', 'extra'],
  user: ['email', 'subject_id', 'enabled', 'properties'],
};

/** The names in the location of a property. */
export const locationFields: readonly string[] = propertyFields.flatMap(({ path }) =>
  path.length === 2 ? [path[1]] : [],
);

/** Fields that are true or false. */
export const truthFields: readonly string[] = ['is_account_admin', 'enabled'];

/** The cell of a list that is given and has nothing in it; an empty cell is not given. */
export const EMPTY_LIST = '[]';

/** What to do about fields that the contract does not name. */
export const EXTRA_HINT = 'Fields of your service that the contract does not name go under "extra".';

/** Objects carry these names themselves, and libraries pass over them. */
const inherited = ['constructor', 'prototype'];

/** What is wrong with the names that an entry uses, in all of its levels. */
export function nameProblems(kind: Kind, fields: ServiceRecord): readonly NameProblem[] {
  const { extra, location, name } = fields;
  const unknown = Object.keys(fields)
    .filter((field) => field !== 'kind' && !fieldsOf[kind].includes(field))
    .map((field) => ({ field: shownName(field), ...unknownField(kind, field) }));
  const isProperty = kind === 'property';
  return [
    ...unknown,
    ...(isProperty && isRecord(location) ? inLocation(location) : []),
    ...(isProperty && isRecord(name) ? inName(name) : []),
    ...(fieldsOf[kind].includes('extra') ? inExtra(kind, extra) : []),
  ];
}

/** Why a name is refused, and what may be meant. */
export function unknownField(kind: Kind, field: string): NameProblem {
  if (field === '<<') return { reason: 'is a merge key, and merge keys are not taken: write the fields out' };
  const meant = meantBy(kind, field);
  const reason = `is no field of ${nouns[kind][0]}`;
  if (meant !== undefined) return { reason: `${reason}: did you mean ${meant}?` };
  return { reason, isForeign: field !== 'extra' && fieldsOf[kind].includes('extra') };
}

/** The field that was probably meant, as a table names it. */
export function meantBy(kind: Kind, field: string): string | undefined {
  const direct = nearestName(field, [...fieldsOf[kind], 'kind']);
  if (kind !== 'property') return direct;
  const last = field.split('.').at(-1) ?? '';
  const inside = nearestName(last, locationFields);
  if (inside === undefined) return direct;
  const isCloser = direct === undefined || nearestName(last, [direct, inside]) === inside;
  return isCloser ? `location.${inside}` : direct;
}

/** The name that was probably meant, whatever its capitals, hyphens, underscores and blanks: `E-Mail` is email. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const bare = (each: string) => each.replaceAll(/[-_ ]/g, '');
  const found = nearest(bare(name), candidates.map(bare));
  return candidates.find((candidate) => bare(candidate) === found);
}

/** The field at a path of a document, as messages name it: from its entry on, and without positions in lists. */
export function fieldAt(path: readonly (string | number)[]): string {
  const inEntry = path.slice(path.slice(0, 2).findIndex((part) => typeof part === 'number') + 1);
  return shownName(inEntry.filter((part) => typeof part === 'string').join('.'));
}

/** A name as messages show it: quoted where it is long or has odd characters. */
export function shownName(name: string): string {
  return /^[\p{L}\p{N}_.@$<-]{1,60}$/u.test(name) ? name : quote(name);
}

function inLocation(location: ServiceRecord): readonly NameProblem[] {
  return Object.keys(location)
    .filter((field) => !locationFields.includes(field))
    .map((field) => {
      const meant = nearestName(field, locationFields);
      const reason = 'is no field of a location';
      return {
        field: `location.${shownName(field)}`,
        reason: meant === undefined ? reason : `${reason}: did you mean location.${meant}?`,
        isForeign: meant === undefined,
      };
    });
}

function inName(name: ServiceRecord): readonly NameProblem[] {
  return Object.keys(name)
    .filter((language) => inherited.includes(language))
    .map((language) => ({
      field: `name.${language}`,
      reason: languageProblem(language) ?? 'is not a language code',
    }));
}

function inExtra(kind: Kind, extra: unknown): readonly NameProblem[] {
  if (extra === undefined) return [];
  if (!isRecord(extra)) return [{ field: 'extra', reason: 'must hold fields and values' }];
  const { location, ...rest } = extra;
  const named = Object.keys(rest).filter((field) => isContracts(kind, field));
  if (kind !== 'property') return named.map((field) => misplaced(field));
  const inside = isRecord(location) ? Object.keys(location) : [];
  const isMisshapen = location !== undefined && location !== null && !isRecord(location);
  return [
    ...named.map((field) => misplaced(field)),
    ...inside
      .filter((field) => locationFields.includes(snakeCaseName(field)))
      .map((field) => misplaced(`location.${field}`)),
    ...(isMisshapen ? [{ field: 'extra.location', reason: 'must hold fields and values' }] : []),
  ];
}

/** Whether the contract names a field, in whichever spelling. */
function isContracts(kind: Kind, field: string): boolean {
  const spelt = snakeCaseName(field);
  return spelt !== 'extra' && fieldsOf[kind].includes(spelt);
}

function misplaced(field: string): NameProblem {
  const right = field.split('.').map(snakeCaseName).join('.');
  return { field: `extra.${field}`, reason: `is a field of the contract: write ${right} outside extra` };
}
