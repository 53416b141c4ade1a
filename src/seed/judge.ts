import * as v from 'valibot';
import { isRecord, type ServiceRecord } from '../model/records.ts';
import { type Dialect, takes } from '../service/dialect.ts';
import { notInContract } from '../service/dialect-names.ts';
import type { OperationId } from '../service/operations.ts';
import { listedIdProblem, nameProblem } from '../service/property-names.ts';
import { type Entry, isMissing, type Kind, type Place, withoutMissing } from './entry.ts';
import type { Raw } from './grammar.ts';
import { kindOf } from './kind.ts';
import { EXTRA_HINT, fieldsOf, furtherIn, innerFields, languageFields, nameProblems } from './names.ts';
import type { PlaceProblem, Problems } from './problems.ts';
import { type EntrySchema, openSchemas } from './schemas.ts';

const MISSING = 'is missing';

/** What was found out about one entry: its kind and name as far as they are clear, and the entry if all is well. */
export interface Judgement {
  readonly kind?: Kind;
  readonly name?: string | undefined;
  readonly entry?: Entry | undefined;
}

/** The ids of the properties with a name. */
export type IdsNamed = (name: string) => readonly string[];

/** Judges entries one by one, without waiting. */
export type Judge = (raw: Raw) => Judgement;

/**
 * Opens a judge.
 *
 * @param problems hears what is wrong.
 * @param only the one kind that is wanted.
 * @param dialect of the service that the entries are for.
 * @param named tells what may be meant by a text in the place of a property's id.
 */
export async function openJudge(
  problems: Pick<Problems, 'addAt'>,
  only: Kind | undefined,
  dialect: EntryDialect,
  named: IdsNamed = () => [],
): Promise<Judge> {
  const schemas = await openSchemas();
  const foreignTo = await openDialectCheck(dialect);
  return (raw) => {
    const report = (problem: PlaceProblem, hint?: string) => {
      if (problem.field !== undefined || raw.known === undefined) problems.addAt(raw.place, problem, hint);
    };
    if (!isRecord(raw.value)) {
      report({ reason: `${shapeOf(raw.value)}; an entry holds fields and values` });
      return {};
    }
    const { kind, problem } = kindOf(raw.value, { told: raw.kind, only });
    if (problem !== undefined) {
      report(problem);
      return {};
    }
    const fields = givenFields(raw.value, kind);
    const misnamed = nameProblems(kind, fields);
    for (const detail of misnamed) report(detail, detail.isForeign === true ? EXTRA_HINT : undefined);
    const name = nameOf(kind, fields);
    const known = misnamed.length === 0 ? fields : knownFields(fields, kind);
    const { success, output, issues = [] } = v.safeParse<EntrySchema>(schemas[kind], known);
    const wrong = issues.map((issue) => detailOf(issue, raw.place, named));
    for (const problem of wrong) {
      if (problem.reason !== MISSING || raw.known?.has(problem.field ?? '') !== false) report(problem);
    }
    // Whoever reads that a code is no text, or has blanks around it, need not read the letters it may have.
    const isCodeTold = wrong.some(({ field }) => field === 'code');
    const foreign = foreignTo(kind, known).filter(({ field }) => field !== 'code' || !isCodeTold);
    for (const problem of foreign) report(problem);
    if (!success || misnamed.length + foreign.length > 0 || name === undefined) return { kind, name };
    return { kind, name, entry: { kind, name, place: raw.place, fields: output } };
  };
}

function shapeOf(value: unknown): string {
  if (value === null || value === undefined) return 'is empty';
  return Array.isArray(value) ? 'is a list' : `is ${JSON.stringify(value).slice(0, 60)}`;
}

/** The fields of an entry that say something; every property has a location to look into. `error` is what another run said. */
function givenFields({ kind: _kind, error: _error, ...fields }: ServiceRecord, kind: Kind): ServiceRecord {
  const given = withoutMissing(fields);
  if (kind !== 'property') return given;
  const { bank_account: account, ...others } = given;
  const isEmpty = isRecord(account) && Object.keys(account).length === 0;
  const maps = languageFields.flatMap((field) => {
    const map = fields[field];
    return isRecord(map) ? [[field, textsOf(map)]] : [];
  });
  return { location: {}, ...(isEmpty ? others : given), ...Object.fromEntries(maps) };
}

/** A language without a text stays, so that it is reported as missing. */
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

/** One of a list is told by its number, from 1. */
function detailOf(issue: v.BaseIssue<unknown>, { unit }: Place, named: IdsNamed): PlaceProblem {
  const keys = issue.path?.map(({ key }) => key) ?? [];
  const index = keys.findIndex((key) => typeof key === 'number');
  const field = (index < 0 ? keys : keys.slice(0, index)).join('.');
  const message = issue.received === 'undefined' ? MISSING : reasonOf(field, issue, unit, named);
  if (index < 0 && message === MISSING) return { field, reason: MISSING };
  const inside = keys.slice(index + 1).filter((key) => typeof key === 'string');
  const reason = index < 0 ? message : `item ${Number(keys[index]) + 1}: ${[...inside, message].join(' ')}`;
  return field === '' ? { reason } : { field, reason };
}

/** Of a list of ids, what stands in the place of one may be told. */
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

/** What entries are judged by besides the grammar of manifests, which is one for all services. */
export type EntryDialect = Pick<Dialect, 'further' | 'propertyFields'>;

/** Says what a service of some dialect would not take of an entry that the grammar takes. */
export type DialectCheck = (kind: Kind, fields: ServiceRecord) => readonly PlaceProblem[];

const writtenBy: Readonly<Record<Kind, OperationId>> = {
  property: 'createProperty',
  invitation: 'createInvitation',
  user: 'updateUser',
};

/** Opens the check for a dialect. */
async function openDialectCheck(dialect: EntryDialect): Promise<DialectCheck> {
  const checkCode = await dialect.propertyFields.find(({ path }) => path[0] === 'code')?.check();
  return (kind, fields) => {
    const { code } = fields;
    const ofCode = kind === 'property' && typeof code === 'string' ? checkCode?.(code) : undefined;
    const strange = furtherIn(kind, fields).filter((field) => !takes(dialect, writtenBy[kind], field));
    return [
      ...strange.map((field) => ({ field, reason: notThere(kind) })),
      ...(ofCode === undefined ? [] : [{ field: 'code', reason: ofCode }]),
    ];
  };
}

function notThere(kind: Kind): string {
  const isLeftOpen = fieldsOf[kind].includes('extra');
  return isLeftOpen ? `${notInContract}; under extra it is sent as it is` : notInContract;
}
