import { nearest } from '../checks/nearest.ts';
import { quote } from '../checks/text.ts';
import { type Detail, detailsFor } from '../errors.ts';
import { isObject, valueAt } from './members.ts';
import type { Shape } from './output.ts';

/** Names between dots. Nothing that a service says is deeper. */
const MOST_NAMES = 50;

/** Records and fields that a misspelt name is compared with. */
const COMPARED = { records: 20, fields: 1_000 } as const;

/** The fields that --fields names, each once; and what is wrong with those that are no names. */
export function fieldsFrom(given: readonly string[]): {
  readonly fields: readonly string[];
  readonly problems: readonly Detail[];
} {
  const fields = [...new Set(given)];
  return { fields, problems: fields.flatMap((field) => detailsFor('--fields', nameProblem(field))) };
}

function nameProblem(field: string): string | undefined {
  if (field.trim() === '') return 'a name is missing; write id,location.city';
  const names = field.split('.');
  if (names.some((name) => name.trim() === '')) {
    return `${quote(field)} has a dot without a name beside it; write location.city`;
  }
  if (names.length > MOST_NAMES) return `${quote(field)} has more than ${MOST_NAMES} names`;
  return undefined;
}

/** Where fields are looked for. */
export interface Among {
  /** As a sentence has it: `no property has`. */
  readonly subject: string;
  readonly shape: Pick<Shape, 'columns' | 'others'>;
  readonly records: readonly unknown[];
  /** Whether a field is known, although none of these records has it. */
  readonly isKnown: (field: string) => boolean;
}

/** The fields that nothing has, each with the one that was probably meant. */
export function unknownFields(fields: readonly string[], among: Among): readonly Detail[] {
  const { subject, shape, records, isKnown } = among;
  const unknown = fields.filter(
    (field) =>
      !isOfShape(field, shape) &&
      !isKnown(field) &&
      !records.some((record) => valueAt(record, field) !== undefined),
  );
  if (unknown.length === 0) return [];
  const names = [
    ...shape.columns.map(({ field }) => field),
    ...(shape.others ?? []),
    ...records.slice(0, COMPARED.records).flatMap((record) => [...pathsIn(record, '', COMPARED.fields)]),
  ];
  const candidates = [...new Set(names)];
  return unknown.map((field) => {
    const meant = meantBy(field, candidates);
    const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
    return { field: '--fields', reason: `${subject} ${quote(field)}${suggestion}` };
  });
}

function isOfShape(field: string, { columns, others = [] }: Among['shape']): boolean {
  if (others.includes(field)) return true;
  return columns.some(
    (column) =>
      column.field === field ||
      column.field.startsWith(`${field}.`) ||
      (column.format === 'language' && field.startsWith(`${column.field}.`)),
  );
}

/** The same letters in another spelling, the last of its names, or nearly the same. */
function meantBy(field: string, candidates: readonly string[]): string | undefined {
  const letters = lettersOf(field);
  return (
    candidates.find((candidate) => lettersOf(candidate) === letters) ??
    candidates.find((candidate) => lettersOf(candidate.split('.').at(-1) ?? '') === letters) ??
    nearest(field, candidates)
  );
}

function lettersOf(name: string): string {
  return name.replaceAll(/[_\- ]/g, '').toLowerCase();
}

/** The paths of a record and of the records within it, at most so many. */
function* pathsIn(value: unknown, prefix: string, most: number): Generator<string, number> {
  let left = most;
  if (!isObject(value) || Array.isArray(value)) return left;
  for (const [name, inside] of Object.entries(value)) {
    if (left <= 0) return left;
    left -= 1;
    yield `${prefix}${name}`;
    left = yield* pathsIn(inside, `${prefix}${name}.`, left);
  }
  return left;
}
