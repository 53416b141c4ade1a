import { type Detail, detailsFor, invalidInput } from '../model/errors.ts';
import {
  fieldAt,
  groupBy,
  isIndex,
  isObject,
  isRecord,
  memberOf,
  type Page,
  type ServiceRecord,
} from '../model/records.ts';
import { quote, textProblem } from '../model/text.ts';
import { cellText, columnFor, exactWording, pathsIn } from './cells.ts';
import type { DocumentParts, Facts, Output, Shape } from './output.ts';
import { answeredList, factShape, type Style } from './styles.ts';
import { neutraliseLine } from './text.ts';

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
  const paths = fields.map((field) => field.split('.'));
  /** These fields of a record, `{ id, location: { city } }`; a missing one is null. */
  const nested = (record: unknown): ServiceRecord => Object.fromEntries(membersOf(record, paths));
  const flat = (record: ServiceRecord) =>
    Object.fromEntries(fields.map((field) => [field, fieldAt(record, field) ?? null]));
  const pick = inCells ? flat : nested;
  async function check(among: Among, isWrite: boolean): Promise<void> {
    const details = unknownFields(fields, among);
    if (details.length === 0) return;
    if (!isWrite) throw invalidInput(details, knownFields(among));
    for (const { field, reason } of details) await warn(`${field}: ${reason}.`);
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
  /** Where records have no `id`, it is what identifies them: `subject_id`, `email`. */
  const byOwnId = ({ columns, id = columns[0]?.field, noun, ofWrites }: Shape): Style | undefined => {
    const isElsewhere = ofWrites || isKnown('id', noun[0]) || columns.some(({ field }) => field === 'id');
    if (id === undefined || isElsewhere || !fields.includes('id')) return undefined;
    const named = fields.map((field) => (field === 'id' ? id : field));
    return askedStyle(whole, named, isKnown, warn);
  };
  return {
    ...whole,
    list(all, pages, beside) {
      const own = byOwnId(all);
      if (own !== undefined) return own.list(all, pages, beside);
      const { table: _, inCells: __, ...shape } = all;
      const columns = inCells ? fields.map((field) => columnFor(field, shape.columns)) : shape.columns;
      return whole.list({ ...shape, columns, isAsked: true }, checkedPages(all, pages), beside);
    },
    async record(all, record) {
      const own = byOwnId(all);
      if (own !== undefined) return own.record(all, record);
      await checkRecords(all, [record]);
      const { inCells: _, ...shape } = all;
      return whole.record(shape, pick(record));
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
      const list = answeredList(value, more);
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

/** The members that these paths begin with, in this order, with what the rest of the paths picks of them. */
function membersOf(
  value: unknown,
  paths: readonly (readonly string[])[],
): readonly (readonly [string, unknown])[] {
  return [...groupBy(paths, ([name = '']) => name)].map(([name, inside]) => [
    name,
    part(
      memberOf(value, name),
      inside.map(([, ...rest]) => rest),
    ),
  ]);
}

/** The picked entries of an array are an array. */
function part(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some(({ length }) => length === 0)) return value ?? null;
  const members = membersOf(value, paths);
  const isList = members.every(([name]) => isIndex(name)) && (Array.isArray(value) || !isObject(value));
  return isList ? members.map(([, member]) => member) : Object.fromEntries(members);
}

/** Fields that the hint about an unknown one lists, and the records that they are from. */
const MOST_SHOWN = 20;

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
  return undefined;
}

/** Where fields are looked for. */
interface Among {
  /** The beginning of a sentence: `no property has`. */
  readonly subject: string;
  readonly shape: Pick<Shape, 'columns' | 'others'> & Partial<Pick<Shape, 'noun'>>;
  readonly records: readonly unknown[];
  /** Whether a field is known, although none of these records has it. */
  readonly isKnown?: (field: string, noun?: string) => boolean;
}

/** The fields that no record has, and that are not known either. */
function unknownFields(
  fields: readonly string[],
  { subject, shape, records, isKnown }: Among,
): readonly Detail[] {
  const { columns, others = [], noun } = shape;
  const isOfShape = (field: string) =>
    others.includes(field) ||
    columns.some((column) => column.field === field || column.field.startsWith(`${field}.`));
  const unknown = fields.filter(
    (field) =>
      !isOfShape(field) &&
      isKnown?.(field, noun?.[0]) !== true &&
      !records.some((record) => fieldAt(record, field) !== undefined),
  );
  return unknown.map((field) => ({ field: '--fields', reason: `${subject} ${quote(field)}` }));
}

/** The known fields as a sentence, shortened if there are many; `undefined` if there are none. */
function knownFields({ shape, records }: Among): string | undefined {
  const found = records.slice(0, MOST_SHOWN).filter(isRecord).flatMap(pathsIn);
  const names = [...new Set([...shape.columns.map(({ field }) => field), ...(shape.others ?? []), ...found])];
  const more = names.length - MOST_SHOWN;
  if (names.length === 0) return undefined;
  return `The fields are ${names.slice(0, MOST_SHOWN).join(', ')}${more > 0 ? `, and ${more} more` : ''}.`;
}

/** The fields that may identify a record: the first that it has. */
const idFields = ['id', 'subject_id', 'subjectId', 'email', 'code', 'name'] as const;

/**
 * Prints ids only, one per line. A record without one is printed as without --quiet; but a list, whose lines other programs
 * read as ids, leaves it out with a warning. For a write it prints the id, or nothing.
 *
 * @param whole the style without --quiet.
 */
export function quietStyle(whole: Style, warn: Output['warn']): Style {
  return {
    ...whole,
    showsEmpty: false,
    printsSentence: false,
    list: (shape, pages) => idLines(pages, (item) => idLine(item, idFieldOf(shape)), shape.noun[1], warn),
    record: async (shape, record) => idLine(record, idFieldOf(shape)) || whole.record(shape, record),
    async *document(value, parts) {
      const list = answeredList(value, parts.more);
      const line = entryLine(value);
      if (list !== undefined) yield* idLines(entriesOf(list.items, parts), entryLine, 'entries', warn);
      else if (line !== '') yield line;
      else yield* whole.document(value, parts);
    },
    facts: async (facts, of) => (of === 'write' ? idLine(facts, undefined) : undefined),
  };
}

async function* idLines<Entry>(
  pages: AsyncIterable<{ readonly items: readonly Entry[] }>,
  line: (entry: Entry) => string,
  plural: string,
  warn: Output['warn'],
): AsyncGenerator<string, void> {
  let all = 0;
  let leftOut = 0;
  for await (const { items } of pages) {
    const lines = items.map(line);
    all += lines.length;
    leftOut += lines.filter((text) => text === '').length;
    yield lines.join('');
  }
  if (leftOut > 0) await warn(`--quiet leaves out ${leftOut} of ${all} ${plural} without an id.`);
}

async function* entriesOf(items: readonly unknown[], { more }: DocumentParts) {
  yield { items };
  for await (const further of more ?? []) yield { items: further };
}

function idFieldOf({ id, columns }: Shape): string | undefined {
  return id ?? columns[0]?.field;
}

/** An entry that is a plain value is its own id. */
function entryLine(entry: unknown): string {
  if (isObject(entry)) return Array.isArray(entry) ? '' : idLine(entry, undefined);
  return entry === undefined || entry === null ? '' : lineOf(entry);
}

function idLine(record: ServiceRecord | Facts, first: string | undefined): string {
  const fields = first === undefined ? idFields : [first, ...idFields];
  const values = fields.map((field) => fieldAt(record, field));
  const id = values.find((value) => (typeof value === 'string' && value !== '') || typeof value === 'number');
  return id === undefined ? '' : lineOf(id);
}

function lineOf(value: unknown): string {
  return `${neutraliseLine(cellText(value, undefined, exactWording))}\n`;
}
