import { type Detail, detailsFor } from '../cli/errors.ts';
import { nearest, suggestion } from '../model/names.ts';
import { isObject, valueAt } from '../model/paths.ts';
import { isRecord } from '../model/records.ts';
import { quote, textProblem } from '../model/text.ts';
import type { Shape } from './output.ts';

/** Names between dots; no record is that deep. */
const MOST_NAMES = 50;

/** How much of the records an unknown field is compared with. */
const COMPARED = { records: 20, fields: 1_000, depth: 8 } as const;

/** Fields that the hint about an unknown one lists. */
const MOST_SHOWN = 20;

/** Names that can be read and typed. */
const TYPABLE = /^[^\s,]{1,60}$/;

/** The fields in --fields, each once, and what is wrong with those that are not names. */
export function fieldsFrom(given: readonly string[]): {
  readonly fields: readonly string[];
  readonly problems: readonly Detail[];
} {
  const fields = [...new Set(given)];
  return { fields, problems: fields.flatMap((field) => detailsFor('--fields', nameProblem(field))) };
}

function nameProblem(field: string): string | undefined {
  if (field.trim() === '') return 'a name is missing; write id,location.city';
  const hidden = textProblem(field, Number.POSITIVE_INFINITY);
  if (hidden !== undefined) return `${quote(field)} ${hidden}`;
  const names = field.split('.');
  if (names.some((name) => name.trim() === '')) {
    return `${quote(field)} has a dot without a name beside it; write location.city`;
  }
  if (names.length > MOST_NAMES) return `${quote(field)} has more than ${MOST_NAMES} names`;
  return undefined;
}

/** Where fields are looked for. */
export interface Among {
  /** The beginning of a sentence: `no property has`. */
  readonly subject: string;
  readonly shape: Pick<Shape, 'columns' | 'others'> & Partial<Pick<Shape, 'noun'>>;
  readonly records: readonly unknown[];
  /** Whether a field is known, although none of these records has it. */
  readonly isKnown: (field: string, noun?: string) => boolean;
}

interface Spelling {
  readonly text: string;
  readonly field: string;
}

/** The fields that no record has, each with a suggestion. */
export function unknownFields(fields: readonly string[], among: Among): readonly Detail[] {
  const { subject, records } = among;
  const unknown = fields.filter(
    (field) => !records.some((record) => valueAt(record, field) !== undefined) && !isExcused(field, among),
  );
  if (unknown.length === 0) return [];
  const spellings = spellingsOf(candidatesIn(among), among.shape);
  return unknown.map((field) => ({
    field: '--fields',
    reason: `${subject} ${quote(field)}${suggestion(meantBy(field, spellings))}`,
  }));
}

/** The known fields as a sentence, shortened if there are many; `undefined` if there are none. */
export function fieldsIn(among: Among): string | undefined {
  const names = candidatesIn(among).filter((name) => TYPABLE.test(name));
  const shown = names.slice(0, MOST_SHOWN);
  if (shown.length === 0) return undefined;
  const more = names.length - shown.length;
  return `The fields are ${shown.join(', ')}${more === 0 ? '' : `, and ${more} more`}.`;
}

/** A record may lack a known field, except where all records show that it cannot exist: `name.en` where names are texts. */
function isExcused(field: string, { shape, records, isKnown }: Among): boolean {
  if (!isOfShape(field, shape) && !isKnown(field, shape.noun?.[0])) return false;
  const around = field.split('.').slice(0, -1).join('.');
  if (around === '') return true;
  const found = records
    .map((record) => valueAt(record, around))
    .filter((value) => value !== undefined && value !== null);
  return found.length === 0 || found.some(isObject);
}

function isOfShape(field: string, { columns, others = [] }: Among['shape']): boolean {
  if (others.includes(field)) return true;
  return columns.some((column) => column.field === field || column.field.startsWith(`${field}.`));
}

function candidatesIn({ shape, records }: Among): readonly string[] {
  const paths = records.slice(0, COMPARED.records).flatMap((record) => pathsIn(record, '', 0));
  const columns = shape.columns.map(({ field }) => field);
  return [...new Set([...columns, ...(shape.others ?? []), ...paths])].slice(0, COMPARED.fields);
}

/** What people may call a field: its path, the header of its column, or the last name in its path. */
function spellingsOf(candidates: readonly string[], { columns }: Among['shape']): readonly Spelling[] {
  return [
    ...candidates.map((field) => ({ text: field, field })),
    ...columns.map(({ header, field }) => ({ text: header, field })),
    ...candidates.map((field) => ({ text: field.split('.').at(-1) ?? '', field })),
  ];
}

/** The field with the same letters in another spelling, or nearly the same. */
function meantBy(field: string, spellings: readonly Spelling[]): string | undefined {
  const letters = lettersOf(field);
  const same = spellings.find(({ text }) => lettersOf(text) === letters);
  if (same !== undefined) return same.field;
  const texts = spellings.map(({ text }) => text);
  const near = nearest(field, texts);
  return near === undefined ? undefined : spellings[texts.indexOf(near)]?.field;
}

function lettersOf(name: string): string {
  return name.replaceAll(/[_\- ]/g, '').toLowerCase();
}

/** The paths of a record and of the records within it, the first of each list. */
function pathsIn(value: unknown, prefix: string, depth: number): readonly string[] {
  if (depth > COMPARED.depth) return [];
  if (Array.isArray(value)) return isRecord(value[0]) ? pathsIn(value[0], `${prefix}0.`, depth) : [];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inside]) => [
    `${prefix}${name}`,
    ...pathsIn(inside, `${prefix}${name}.`, depth + 1),
  ]);
}
