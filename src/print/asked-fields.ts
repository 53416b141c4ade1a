import { type Detail, detailsFor, invalidInput } from '../cli/errors.ts';
import { nearest, suggestion } from '../model/names.ts';
import {
  fieldAt,
  isIndex,
  isObject,
  isRecord,
  memberOf,
  type Page,
  type ServiceRecord,
} from '../model/records.ts';
import { quote, textProblem } from '../model/text.ts';
import { columnFor, withoutBeside } from './cells.ts';
import { listOf } from './documents.ts';
import type { DocumentParts, Facts, Output, Shape } from './output.ts';
import { factShape, type Style } from './styles.ts';

/**
 * Reduces everything that is printed to the fields in --fields, in their order. A field that no record has is an error
 * before anything is printed (exit 2), and a warning after a write. A list is checked by its first page with records; an
 * empty one is not. In the service's own documents only the fields that are present are known.
 *
 * @param whole the style without --fields. In cells fields become columns and rows; otherwise they keep their nesting.
 * @param fields dotted paths, each once.
 * @param isKnown whether records may have a field, although none of the printed ones has it.
 */
export function askedStyle(
  whole: Style,
  fields: readonly string[],
  isKnown: NonNullable<Among['isKnown']>,
  warn: Output['warn'],
): Style {
  const { inCells } = whole;
  const nested = nestedPick(fields);
  const pick = inCells ? (record: ServiceRecord) => flatPick(record, fields) : nested;
  async function check(among: Among, isWrite: boolean): Promise<void> {
    const details = unknownFields(fields, among);
    if (details.length === 0) return;
    if (!isWrite) throw invalidInput(details, fieldsIn(among));
    for (const { field, reason } of details) await warn(`${field}: ${reason}.`.replace(/\?\.$/, '?'));
  }
  const checkRecords = (shape: Shape, records: readonly ServiceRecord[]) =>
    check({ subject: `no ${shape.noun[0]} has`, shape, records, isKnown }, shape.ofWrites === true);
  async function* checkedPages(shape: Shape, pages: AsyncIterable<Page>): AsyncGenerator<Page> {
    let isChecked = false;
    for await (const page of pages) {
      if (!isChecked && page.items.length > 0) {
        await checkRecords(shape, page.items);
        isChecked = true;
      }
      yield inCells ? page : { ...page, items: page.items.map(nested) };
    }
  }
  return {
    ...whole,
    list(all, pages, beside) {
      const { table: _, ...shape } = all;
      const columns = inCells ? fields.map((field) => columnFor(field, shape.columns)) : shape.columns;
      return whole.list({ ...shape, columns, isAsked: true }, checkedPages(all, pages), beside);
    },
    async record(shape, record) {
      await checkRecords(shape, [record]);
      const columns = inCells ? shape.columns.map(withoutBeside) : shape.columns;
      return whole.record({ ...shape, columns }, pick(record));
    },
    async facts(facts, of) {
      const isWrite = of === 'write';
      const shape = { ...factShape, others: isWrite ? factsOfSomeWrites : [] };
      await check({ subject: 'the result has no', shape, records: [facts] }, isWrite);
      const picked = pick(facts);
      // Formats that print no facts show them like a record.
      return (await whole.facts(picked, of)) ?? whole.record(factShape, picked);
    },
    async *document(value, parts) {
      const { more, write } = parts;
      const list = listOf(value, more);
      const records = list?.items ?? [value];
      if (records.length > 0 && value !== undefined) {
        await check({ subject: 'the answer has no', shape: { columns: [] }, records }, write !== undefined);
      }
      // In a list the fields are those of its entries. A bare value has no fields and stays.
      if (list === undefined) yield* whole.document(isObject(value) ? nested(value) : value, parts);
      else {
        const picked = { ...parts, more: more && pickedEntries(more, nested) };
        yield* whole.document(list.with(list.items.map(nested)), picked);
      }
    },
  };
}

/** Facts that only some writes have. */
const factsOfSomeWrites = [
  ...['email', 'properties', 'sent_properties', 'changed_meanwhile', 'presumed'],
  ...['verification', 'unconfirmed', 'reason', 'request_id'],
];

async function* pickedEntries(pages: NonNullable<DocumentParts['more']>, pick: (entry: unknown) => Facts) {
  for await (const entries of pages) yield entries.map(pick);
}

/** Picks these fields of a record flat, `{ id, 'location.city' }`; a missing one is null. */
function flatPick(record: ServiceRecord, fields: readonly string[]): ServiceRecord {
  return Object.fromEntries(fields.map((field) => [field, fieldAt(record, field) ?? null]));
}

/** The whole value, or some of its members in this order. */
type Wanted = 'all' | Map<string, Wanted>;

/** Picks these fields of a record nested, `{ id, location: { city } }`; a missing one is null. */
function nestedPick(fields: readonly string[]): (record: unknown) => ServiceRecord {
  const wanted = new Map<string, Wanted>();
  for (const field of fields) want(wanted, field.split('.'));
  return (record) => picked(record, wanted);
}

function want(among: Map<string, Wanted>, [name = '', ...inside]: readonly string[]): void {
  const before = among.get(name);
  if (before === 'all') return;
  if (inside.length === 0) return void among.set(name, 'all');
  const members = before ?? new Map<string, Wanted>();
  among.set(name, members);
  want(members, inside);
}

function picked(value: unknown, wanted: ReadonlyMap<string, Wanted>): ServiceRecord {
  return Object.fromEntries([...wanted].map(([name, inside]) => [name, part(memberOf(value, name), inside)]));
}

/** The picked entries of an array are an array. */
function part(value: unknown, wanted: Wanted): unknown {
  if (wanted === 'all') return value ?? null;
  const isList = [...wanted.keys()].every(isIndex) && (Array.isArray(value) || !isObject(value));
  if (!isList) return picked(value, wanted);
  return [...wanted].map(([name, inside]) => part(memberOf(value, name), inside));
}

/** Names between dots; no record is that deep. */
const MOST_NAMES = 50;

/** How much of the records an unknown field is compared with. */
const COMPARED = { records: 20, fields: 1_000, depth: 8 } as const;

/** Fields that the hint about an unknown one lists. */
const MOST_SHOWN = 20;

/** Names that can be read and typed. */
const TYPABLE = /^[^\s,]{1,60}$/;

/** The fields in --fields, each once. @throws {CliError} exit 2 naming those that are not names. */
export function fieldsFrom(given: readonly string[]): readonly string[] {
  const fields = [...new Set(given)];
  const problems = fields.flatMap((field) => detailsFor('--fields', nameProblem(field)));
  if (problems.length > 0) throw invalidInput(problems, 'innctl help formatting');
  return fields;
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
interface Among {
  /** The beginning of a sentence: `no property has`. */
  readonly subject: string;
  readonly shape: Pick<Shape, 'columns' | 'others' | 'table'> & Partial<Pick<Shape, 'noun'>>;
  readonly records: readonly unknown[];
  /** Whether a field is known, although none of these records has it. */
  readonly isKnown?: (field: string, noun?: string) => boolean;
}

/** The fields that no record has, each with a suggestion. */
function unknownFields(fields: readonly string[], among: Among): readonly Detail[] {
  const { subject, records } = among;
  const unknown = fields.filter(
    (field) => !records.some((record) => fieldAt(record, field) !== undefined) && !isExcused(field, among),
  );
  if (unknown.length === 0) return [];
  const candidates = candidatesIn(among);
  return unknown.map((field) => ({
    field: '--fields',
    reason: `${subject} ${quote(field)}${suggestion(meantBy(field, candidates, among.shape))}`,
  }));
}

/** The known fields as a sentence, shortened if there are many; `undefined` if there are none. */
function fieldsIn(among: Among): string | undefined {
  const names = candidatesIn(among).filter((name) => TYPABLE.test(name));
  const shown = names.slice(0, MOST_SHOWN);
  if (shown.length === 0) return undefined;
  const more = names.length - shown.length;
  return `The fields are ${shown.join(', ')}${more === 0 ? '' : `, and ${more} more`}.`;
}

/** A record may lack a known field, except where all records show that it cannot exist: `name.en` where names are texts. */
function isExcused(field: string, { shape, records, isKnown }: Among): boolean {
  if (!isOfShape(field, shape) && isKnown?.(field, shape.noun?.[0]) !== true) return false;
  const around = field.split('.').slice(0, -1).join('.');
  if (around === '') return true;
  const found = records
    .map((record) => fieldAt(record, around))
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

/** The field with the same letters as this one, or nearly so, in its path, in its header or in the last name of its path. */
function meantBy(field: string, candidates: readonly string[], { columns, table = [] }: Among['shape']) {
  const letters = lettersOf(field);
  const spellings = [
    ...candidates.map((each) => ({ text: each, of: each })),
    ...[...columns, ...table].map(({ header, field: each }) => ({ text: header, of: each })),
    ...candidates.map((each) => ({ text: each.split('.').at(-1) ?? '', of: each })),
  ];
  const texts = spellings.map(({ text }) => text);
  const meant = texts.find((text) => lettersOf(text) === letters) ?? nearest(field, texts);
  return spellings.find(({ text }) => text === meant)?.of;
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
