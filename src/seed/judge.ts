import * as v from 'valibot';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import type { Dialect } from '../service/dialect.ts';
import { listedIdProblem, nameProblem } from '../service/property-names.ts';
import { type Entry, isMissing, type Kind, type Place, withoutMissing } from './entry.ts';
import type { Raw } from './grammar.ts';
import { kindOf } from './kind.ts';
import { EXTRA_HINT, fieldsOf, innerFields, languageFields, nameProblems } from './names.ts';
import type { Named, PlaceProblem, Problems } from './problems.ts';
import { type EntrySchema, openSchemas } from './schemas.ts';

const MISSING = 'is missing';

/** The result for one entry: what it is known by, as far as that is clear, and the entry if it is valid. */
export interface Judgement {
  readonly identity?: Named;
  readonly entry?: Entry;
}

/** The service that entries are judged for, besides the grammar of manifests, which is the same for all. */
export type EntryDialect = Pick<Dialect, 'further' | 'propertyFields'>;

/** The ids of the properties with a name. */
export type IdsNamed = (name: string) => readonly string[];

/** Judges entries one by one, without waiting. */
export type Judge = (raw: Raw) => Judgement;

/**
 * Opens a judge.
 *
 * @param problems gets what is wrong.
 * @param only the one kind that is wanted.
 * @param dialect of the service that the entries are for.
 * @param named finds the property that a text in place of an id may mean.
 */
export function openJudge(
  problems: Pick<Problems, 'addAt'>,
  only: Kind | undefined,
  dialect: EntryDialect,
  named: IdsNamed = () => [],
): Judge {
  const schemas = openSchemas();
  const checkCode = dialect.propertyFields.find(({ path }) => path[0] === 'code')?.check;
  return (raw) => {
    const report = (problem: PlaceProblem, hint?: string) => {
      if (problem.field !== undefined || raw.known === undefined) problems.addAt(raw.place, problem, hint);
    };
    if (!isRecord(raw.value)) {
      report({ reason: `${shapeOf(raw.value)}; an entry holds fields and values` });
      return {};
    }
    const { kind, problem } = kindOf(raw.value, { listed: raw.kind, only });
    if (problem !== undefined) {
      report(problem);
      return {};
    }
    const stated = givenFields(raw.value, kind);
    // Without a location its missing fields would not be found.
    const given: ServiceRecord = kind === 'property' ? { location: {}, ...stated } : stated;
    const misnamed = nameProblems(kind, given, dialect);
    for (const detail of misnamed) report(detail, detail.isForeign === true ? EXTRA_HINT : undefined);
    const name = nameOf(kind, given);
    const fields = misnamed.length === 0 ? given : knownFields(given, kind);
    const { output, problems: wrong } = judgeValues(schemas[kind], fields, raw.place.unit, named);
    for (const problem of wrong) {
      if (problem.reason !== MISSING || raw.known?.has(problem.field ?? '') !== false) report(problem);
    }
    // A code that is not text, or has blanks around it, needs no word about the letters it may have.
    const isCodeReported = wrong.some(({ field }) => field === 'code');
    const { code } = fields;
    const codeProblem =
      kind === 'property' && typeof code === 'string' && !isCodeReported ? checkCode?.(code) : undefined;
    if (codeProblem !== undefined) report({ field: 'code', reason: codeProblem });
    if (name === undefined) return {};
    const identity = { kind, name, place: raw.place };
    const isValid = output !== undefined && misnamed.length === 0 && codeProblem === undefined;
    return isValid ? { identity, entry: { ...identity, fields: output } } : { identity };
  };
}

/** The values of the fields of one entry, and what is wrong with them. */
interface JudgedValues {
  /** `undefined` where something is wrong. */
  readonly output: ServiceRecord | undefined;
  readonly problems: readonly PlaceProblem[];
}

/** Judges the values of an entry that is put together from more than a file; its names are judged already. */
export function judgeFields(kind: Kind, fields: ServiceRecord, named: IdsNamed): readonly PlaceProblem[] {
  return judgeValues(openSchemas()[kind], knownFields(fields, kind), 'line', named).problems;
}

function judgeValues(
  schema: EntrySchema,
  fields: ServiceRecord,
  unit: Place['unit'],
  named: IdsNamed,
): JudgedValues {
  const { success, output, issues = [] } = v.safeParse(schema, fields);
  return {
    output: success ? output : undefined,
    problems: issues.map((issue) => detailOf(issue, unit, named)),
  };
}

function shapeOf(value: unknown): string {
  if (value === null || value === undefined) return 'is empty';
  return Array.isArray(value) ? 'is a list' : `is ${JSON.stringify(value).slice(0, 60)}`;
}

/** The fields of an entry that have a value; `error` is from an earlier run. */
export function givenFields(
  { kind: _kind, error: _error, ...fields }: ServiceRecord,
  kind: Kind,
): ServiceRecord {
  const given = withoutMissing(fields);
  if (kind !== 'property') return given;
  const { bank_account: account, ...others } = given;
  const isEmpty = isRecord(account) && Object.keys(account).length === 0;
  const maps = languageFields.flatMap((field) => {
    const map = fields[field];
    return isRecord(map) ? [[field, textsOf(map)]] : [];
  });
  return { ...(isEmpty ? others : given), ...Object.fromEntries(maps) };
}

/** A language without a text is kept, to be reported as missing. */
function textsOf(map: ServiceRecord): ServiceRecord {
  if (!Object.values(map).some(isMissing)) return map;
  return Object.fromEntries(
    Object.entries(map).map(([language, text]) => [language, isMissing(text) ? undefined : text]),
  );
}

/** Without the names that are reported already. */
function knownFields(fields: ServiceRecord, kind: Kind): ServiceRecord {
  const known = only(fields, fieldsOf[kind]);
  if (kind !== 'property') return known;
  const inner = [...innerFields].flatMap(([outer, names]) => {
    const record = known[outer];
    return isRecord(record) ? [[outer, only(record, names)]] : [];
  });
  return { ...known, ...Object.fromEntries(inner) };
}

function only(record: ServiceRecord, names: readonly string[]): ServiceRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));
}

function nameOf(kind: Kind, { code, email, subject_id: id }: ServiceRecord): string | undefined {
  const name = kind === 'property' ? code : kind === 'user' ? (email ?? id) : email;
  return typeof name === 'string' ? name : undefined;
}

/** An item of a list is named by its number, from 1. */
function detailOf(issue: v.BaseIssue<unknown>, unit: Place['unit'], named: IdsNamed): PlaceProblem {
  const keys = issue.path?.map(({ key }) => key) ?? [];
  const index = keys.findIndex((key) => typeof key === 'number');
  const field = (index < 0 ? keys : keys.slice(0, index)).join('.');
  const message = issue.received === 'undefined' ? MISSING : reasonOf(field, issue, unit, named);
  if (index < 0 && message === MISSING) return { field, reason: MISSING };
  const inside = keys.slice(index + 1).filter((key) => typeof key === 'string');
  const reason = index < 0 ? message : `item ${Number(keys[index]) + 1}: ${[...inside, message].join(' ')}`;
  return field === '' ? { reason } : { field, reason };
}

/** In a list of ids, the reason may name the property that is meant. */
function reasonOf(
  field: string,
  { input, message, path }: v.BaseIssue<unknown>,
  unit: Place['unit'],
  named: IdsNamed,
): string {
  if (typeof input !== 'string') return message;
  if (field === 'property_roles' && path?.at(-1)?.key === 'id')
    return nameProblem(input, named(input)) ?? message;
  if (field !== 'properties') return message;
  const marks = unit === 'row' ? 'commas or semicolons' : 'commas';
  return listedIdProblem(input, named(input), marks) ?? message;
}
