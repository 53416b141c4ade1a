import * as v from 'valibot';
import type { Detail } from '../errors.ts';
import { isRecord, type ServiceRecord } from '../records.ts';
import { type Entry, type Kind, placeText } from './entry.ts';
import type { Raw } from './grammar.ts';
import { kindOf } from './kind.ts';
import { EXTRA_HINT, fieldsOf, locationFields, nameProblems } from './names.ts';
import type { Problems } from './problems.ts';
import type { EntrySchema } from './schema-parts.ts';
import { openSchemas } from './schemas.ts';

/** What was found out about one entry: its kind and name as far as they are clear, and the entry if all is well. */
export interface Judgement {
  readonly kind?: Kind;
  readonly name?: string | undefined;
  readonly entry?: Entry | undefined;
}

/** Judges entries one by one, without waiting. */
export type Judge = (raw: Raw) => Judgement;

/**
 * Opens a judge.
 *
 * @param problems hears what is wrong.
 * @param only the one kind that is wanted.
 */
export async function openJudge(problems: Problems, only: Kind | undefined): Promise<Judge> {
  const schemas = await openSchemas();
  return (raw) => {
    const report = ({ field, reason }: Partial<Detail>, hint?: string) => {
      const place = placeText(raw.place);
      problems.add(field === undefined ? place : `${place}: ${field}`, reason ?? '', hint);
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
    for (const detail of misnamed) report(detail, kind === 'user' ? undefined : EXTRA_HINT);
    const name = nameOf(kind, fields);
    const known = misnamed.length === 0 ? fields : knownFields(fields, kind);
    const { success, output, issues = [] } = v.safeParse<EntrySchema>(schemas[kind], known);
    for (const issue of issues) report(detailOf(issue));
    if (!success || misnamed.length > 0 || name === undefined) return { kind, name };
    return { kind, name, entry: { kind, name, place: raw.place, fields: output } };
  };
}

function shapeOf(value: unknown): string {
  if (value === null || value === undefined) return 'is empty';
  return Array.isArray(value) ? 'is a list' : `is ${JSON.stringify(value).slice(0, 60)}`;
}

/** The fields of an entry without those that are null, empty or blank; every property has a location to look into. */
function givenFields({ kind: _kind, ...fields }: ServiceRecord, kind: Kind): ServiceRecord {
  const given = withoutBlanks(fields);
  if (kind !== 'property') return given;
  const { location = {}, name } = given;
  return {
    ...given,
    location: isRecord(location) ? withoutBlanks(location) : location,
    ...(isRecord(name) ? { name: blanksMissing(name) } : {}),
  };
}

function withoutBlanks(record: ServiceRecord): ServiceRecord {
  if (!Object.values(record).some(isBlank)) return record;
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isBlank(value)));
}

/** A language stays, so that its text is reported as missing. */
function blanksMissing(record: ServiceRecord): ServiceRecord {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, isBlank(value) ? undefined : value]),
  );
}

function isBlank(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}

/** Without the names that are reported already. */
function knownFields(fields: ServiceRecord, kind: Kind): ServiceRecord {
  const { location } = fields;
  const known = only(fields, fieldsOf[kind]);
  return isRecord(location) && kind === 'property'
    ? { ...known, location: only(location, locationFields) }
    : known;
}

function only(record: ServiceRecord, names: readonly string[]): ServiceRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));
}

function nameOf(kind: Kind, { code, email, subject_id: id }: ServiceRecord): string | undefined {
  const name = kind === 'property' ? code : kind === 'user' ? (email ?? id) : email;
  return typeof name === 'string' ? name : undefined;
}

/** An entry of a list is named by its list: the message quotes it. */
function detailOf(issue: v.BaseIssue<unknown>): Partial<Detail> {
  const keys = issue.path?.map(({ key }) => key) ?? [];
  const index = keys.findIndex((key) => typeof key === 'number');
  const field = (index < 0 ? keys : keys.slice(0, index)).join('.');
  const reason = issue.received === 'undefined' ? 'is missing' : issue.message;
  return field === '' ? { reason } : { field, reason };
}
