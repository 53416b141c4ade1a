import * as v from 'valibot';
import { placedRoles } from '../model/access.ts';
import { readValue } from '../model/field-values.ts';
import { type Field, fieldOf, isInventory, type Kind } from '../model/kinds.ts';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import type { Dialect } from '../service/dialect.ts';
import { listedIdProblem, propertyNameProblem } from '../service/property-names.ts';
import { type Entry, inventoryName, type Place, type PlaceProblem, tidy } from './entry.ts';
import type { Raw } from './grammar.ts';
import { entryFields, kindOf, nameProblems } from './names.ts';
import { type EntrySchema, openSchemas } from './schemas.ts';

/** The result for one entry. */
export interface Judgement {
  /** The entry, if it is valid. */
  readonly entry?: Entry;
  /** An invalid entry, if it is clear what it is known by: its fields that are valid. */
  readonly part?: Entry | undefined;
  readonly problems: readonly PlaceProblem[];
}

/** What the checks of entries need to know of the service. */
export type EntryDialect = Pick<Dialect, 'further' | 'propertyFields'>;

/** The ids of the properties with a name. */
export type IdsNamed = (name: string) => readonly string[];

/**
 * Opens a judge of entries, one by one.
 *
 * @param dialect of the service that the entries are for.
 * @param named finds the property that a text in place of an id may mean.
 */
export function openJudge(dialect: EntryDialect, named: IdsNamed = () => []) {
  const schemas = openSchemas(dialect.propertyFields);
  return ({ place, value, kind: listed }: Raw): Judgement => {
    if (!isRecord(value)) return { problems: [{ reason: 'is no entry: an entry holds fields and values' }] };
    const kind = kindOf(value, listed);
    if (typeof kind === 'object') return { problems: [kind] };
    const fields = givenFields(value);
    const misnamed = nameProblems(kind, fields, dialect);
    // Unknown names would hide what is wrong with the whole.
    const known = misnamed.length === 0 ? fields : pick(fields, entryFields(kind));
    const { output, problems } = judgeValues(schemas[kind], known, place.unit, named);
    const isHomeless = fieldOf(kind, 'property') !== undefined && fields['property'] === undefined;
    const wrong = isHomeless ? [{ field: 'property', reason: 'is missing' }, ...problems] : problems;
    const name = nameOf(kind, fields);
    if (name !== undefined && output !== undefined && misnamed.length + wrong.length === 0)
      return { entry: { kind, name, place, fields: output }, problems: [] };
    const all = [...misnamed, ...wrong];
    const part =
      name === undefined ? undefined : { kind, name, place, fields: validFields(kind, known, all) };
    return { part, problems: all };
  };
}

function validFields(kind: Kind, fields: ServiceRecord, problems: readonly PlaceProblem[]): ServiceRecord {
  if (kind === 'property') return fields;
  const wrong = problems.map(({ field = '' }) => field.split('.')[0]);
  const valid = Object.entries(fields).filter(([name]) => !wrong.includes(name));
  const read = (field: Field | undefined, value: unknown) => (field ? readValue(field, value) : value);
  return Object.fromEntries(valid.map(([name, value]) => [name, read(fieldOf(kind, name), value)]));
}

function pick(fields: ServiceRecord, names: readonly string[]): ServiceRecord {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

/** Judges the values of an entry that is put together from more than a file; its names are judged already. */
export function judgeFields(kind: Kind, fields: ServiceRecord, named: IdsNamed): readonly PlaceProblem[] {
  return judgeValues(openSchemas()[kind], fields, 'line', named).problems;
}

function judgeValues(schema: EntrySchema, fields: ServiceRecord, unit: Place['unit'], named: IdsNamed) {
  const { success, output, issues = [] } = v.safeParse(schema, fields);
  const problems = issues.flatMap((issue) => problemIn(issue, unit, named));
  return { output: success ? output : undefined, problems };
}

/** The fields of an entry that have a value. */
export function givenFields({ kind: _, ...fields }: ServiceRecord): ServiceRecord {
  return tidy(fields);
}

function nameOf(kind: Kind, fields: ServiceRecord): string | undefined {
  const { code, email, subject_id: id, names } = fields;
  if (kind === 'unit' && names !== undefined) return inventoryName(kind, { ...fields, name: String(names) });
  if (isInventory(kind)) return inventoryName(kind, fields);
  const name = kind === 'property' ? code : kind === 'user' ? (email ?? id) : email;
  return typeof name === 'string' ? name.trim() : undefined;
}

/** An item of a list is named by its number, from 1. `nameProblems` judges the unknown names of records. */
function problemIn(
  issue: v.BaseIssue<unknown>,
  unit: Place['unit'],
  named: IdsNamed,
): readonly PlaceProblem[] {
  const keys = issue.path?.map(({ key }) => key) ?? [];
  const index = keys.findIndex((key) => typeof key === 'number');
  if (index < 0 && issue.expected === 'never' && isRecord(issue.path?.at(-1)?.input)) return [];
  const field = (index < 0 ? keys : keys.slice(0, index)).join('.');
  const message = issue.received === 'undefined' ? 'is missing' : reasonOf(field, issue, unit, named);
  const inside = keys.slice(index + 1).filter((key) => typeof key === 'string');
  const reason = index < 0 ? message : `item ${Number(keys[index]) + 1}: ${[...inside, message].join(' ')}`;
  return [{ field: field === '' ? undefined : field, reason }];
}

/** In a list of ids, the reason may name the property that is meant. */
function reasonOf(
  field: string,
  { input, message, path }: v.BaseIssue<unknown>,
  unit: Place['unit'],
  named: IdsNamed,
): string {
  if (typeof input !== 'string') return message;
  if (field === placedRoles && path?.at(-1)?.key === 'id')
    return propertyNameProblem(input, named(input)) ?? message;
  if (field !== 'properties') return message;
  const marks = unit === 'row' ? 'commas or semicolons' : 'commas';
  return listedIdProblem(input, named(input), marks) ?? message;
}
