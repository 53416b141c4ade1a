import { snakeCaseName } from '../model/fields.ts';
import { nearest, suggestion } from '../model/names.ts';
import { allPropertyFields, languageMaps } from '../model/property-fields.ts';
import { isRecord, type ServiceRecord, valueAt } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { languageProblem } from '../model/values.ts';
import { type Dialect, takes } from '../service/dialect.ts';
import { notInContract } from '../service/operations.ts';
import type { Kind, PlaceProblem } from './entry.ts';
import { entryKinds, nestedLists } from './kind.ts';

/** The fields of a property that hold fields, with the names of these. */
const innerFields: ReadonlyMap<string, readonly string[]> = new Map(
  ['location', 'bank_account'].map((outer) => [
    outer,
    allPropertyFields.flatMap(({ path }) => (path.length === 2 && path[0] === outer ? [path[1]] : [])),
  ]),
);

/** Fields that are true or false. */
export const truthFields: readonly string[] = ['is_account_admin', 'enabled'];

/** Fields that are whole numbers. */
export const wholeFields: readonly string[] = ['max_persons', 'rank'];

/** What to do about fields that the contract does not name. */
export const EXTRA_HINT = 'Fields of your service that the contract does not name go under "extra".';

/** Every object has these names, and valibot ignores them. */
const inherited = ['constructor', 'prototype'];

const notFields = 'must hold fields and values';

/** What is wrong with the names that an entry uses, on all of its levels; a further field is wrong where the dialect does not take it. */
export function nameProblems(
  kind: Kind,
  fields: ServiceRecord,
  dialect: Pick<Dialect, 'further'>,
): readonly PlaceProblem[] {
  const { fields: known, further } = entryKinds[kind];
  const isOpen = known.includes('extra');
  const foreign = foreignFields(kind, dialect);
  const given = further.filter((path) => valueAt(fields, path.split('.')) !== undefined);
  const notTaken = isOpen ? `${notInContract}; under extra it is sent unchanged` : notInContract;
  return [
    ...unknownIn(kind, fields, known),
    ...(kind === 'property' ? inProperty(fields) : []),
    ...(isOpen ? inExtra(kind, fields['extra'], given) : []),
    ...given.filter((path) => foreign.includes(path)).map((field) => ({ field, reason: notTaken })),
  ];
}

/** The fields beyond the contract that a dialect does not take. */
export function foreignFields(kind: Kind, dialect: Pick<Dialect, 'further'>): readonly string[] {
  const { further, operation } = entryKinds[kind];
  return further.filter((path) => !takes(dialect, operation, path));
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
  const isForeign = meant === undefined && path !== 'extra' && entryKinds[kind].fields.includes('extra');
  const owner = isInside ? `a ${outer.replace('_', ' ')}` : entryKinds[kind].one;
  return {
    reason: `is not a field of ${owner}${suggestion(meant)}`,
    hint: isForeign ? EXTRA_HINT : undefined,
  };
}

/** The field that was probably meant, as a table names it. */
export function meantBy(kind: Kind, field: string): string | undefined {
  const lists = kind === 'property' ? nestedLists.keys() : [];
  const direct = nearestName(field, [...entryKinds[kind].fields, 'kind', ...lists]);
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

function inProperty(fields: ServiceRecord): readonly PlaceProblem[] {
  const languages = [...languageMaps].flatMap((field) => {
    const map = fields[field];
    const names = isRecord(map) ? inherited.filter((name) => Object.hasOwn(map, name)) : [];
    return names.map((name) => ({
      field: `${field}.${name}`,
      reason: languageProblem(name) ?? 'is not a language code',
    }));
  });
  return [
    ...[...innerFields].flatMap(([outer, names]) => unknownIn('property', fields[outer], names, `${outer}.`)),
    ...languages,
  ];
}

/**
 * What is wrong with the fields under `extra`, in any spelling: those of the contract, and those that are given outside too.
 *
 * @param outside paths of the further fields outside.
 */
function inExtra(kind: Kind, extra: unknown, outside: readonly string[]): readonly PlaceProblem[] {
  if (extra === undefined) return [];
  if (!isRecord(extra)) return [{ field: 'extra', reason: notFields }];
  const { location, ...others } = extra;
  const isProperty = kind === 'property' && location !== undefined && location !== null;
  const inside = isProperty && isRecord(location) ? Object.keys(location) : [];
  return [
    ...Object.keys(others).flatMap((name) => extraProblem(kind, '', name, outside)),
    ...inside.flatMap((name) => extraProblem(kind, 'location.', name, outside)),
    ...(isProperty && !isRecord(location) ? [{ field: 'extra.location', reason: notFields }] : []),
  ];
}

/** @param above the names before it, with a dot. */
function extraProblem(
  kind: Kind,
  above: string,
  name: string,
  outside: readonly string[],
): readonly PlaceProblem[] {
  const [field, right] = [`extra.${above}${name}`, `${above}${snakeCaseName(name)}`];
  if (entryKinds[kind].contract.includes(right))
    return [{ field, reason: `is a field of the contract: write ${right} outside extra` }];
  const isTwice = outside.some((path) => path === right || path.startsWith(`${right}.`));
  return isTwice ? [{ field, reason: `is given twice: ${right} is also given outside extra` }] : [];
}
