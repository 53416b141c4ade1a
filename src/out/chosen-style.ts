import { listIn, onlyListIn, type Page, type ServiceRecord } from '../model/records.ts';
import { plainDocument } from './documents.ts';
import { alone, columnFor, isNumber, isObject, memberOf, valueAt } from './fields.ts';
import type { DocumentParts, Facts, Shape } from './output.ts';
import type { Style } from './styles.ts';

/**
 * A style that shows these fields of everything and no others, in this order.
 *
 * @param fields dotted paths, each once.
 */
export function chosenStyle(style: Style, fields: readonly string[]): Style {
  const chosen = style.inCells ? cellStyle(style, fields) : documentStyle(style, fields);
  return { ...chosen, document: documentOf(style, fields) };
}

function cellStyle(style: Style, fields: readonly string[]): Style {
  const facts = style.facts ?? ((facts, screen) => style.record(nothingKnown, facts, screen));
  const columnsOf = ({ columns }: Shape) => fields.map((field) => columnFor(field, columns));
  return {
    ...style,
    list: (shape, pages, screen, beside) =>
      style.list({ ...shape, columns: columnsOf(shape) }, pages, screen, beside),
    record: (shape, record, screen) =>
      style.record({ ...shape, columns: shape.columns.map(alone) }, flatPick(record, fields), screen),
    facts: (all, screen) => facts(flatPick(all, fields), screen),
    line: (all, screen) => facts(flatPick(all, fields), screen),
  };
}

const nothingKnown: Shape = { noun: ['result', 'results'], columns: [] };

function documentStyle(style: Style, fields: readonly string[]): Style {
  const { facts, line } = style;
  const pick = nestedPick(fields);
  return {
    ...style,
    list: (shape, pages, screen, beside) => style.list(shape, pickedPages(pages, pick), screen, beside),
    record: (shape, record, screen) => style.record(shape, pick(record), screen),
    facts: facts && ((all, screen) => facts(pick(all), screen)),
    line: line && ((all, screen) => line(pick(all), screen)),
  };
}

async function* pickedPages(
  pages: AsyncIterable<Page>,
  pick: (record: unknown) => ServiceRecord,
): AsyncGenerator<Page> {
  for await (const page of pages) yield { ...page, items: page.items.map(pick) };
}

/** Of a list the fields of its entries are meant; a bare value has none, and stays. */
function documentOf({ document = plainDocument }: Style, fields: readonly string[]): typeof document {
  const pick = nestedPick(fields);
  return (value, parts) => {
    const { more } = parts;
    const list = more === undefined ? listIn(value) : onlyListIn(value);
    if (list !== undefined) {
      return document(list.with(list.items.map(pick)), { ...parts, more: more && pickedEntries(more, pick) });
    }
    return document(typeof value === 'object' && value !== null ? pick(value) : value, parts);
  };
}

async function* pickedEntries(
  pages: NonNullable<DocumentParts['more']>,
  pick: (entry: unknown) => Facts,
): AsyncGenerator<readonly Facts[]> {
  for await (const entries of pages) yield entries.map(pick);
}

/** What is wanted of a value: all of it, or some of its members in this order. */
type Wanted = 'all' | Map<string, Wanted>;

/**
 * A function that keeps these fields of a record in their nesting, `{ id, location: { city } }`, in the order in which they
 * are given. What a record lacks is null; of an array the entries asked for remain.
 *
 * @param fields dotted paths.
 */
function nestedPick(fields: readonly string[]): (record: unknown) => ServiceRecord {
  const wanted = new Map<string, Wanted>();
  for (const field of fields) want(wanted, field.split('.'));
  return (record) => picked(record, wanted);
}

/** These fields of a record side by side, `{ id, 'location.city' }`, in the order given; what it lacks is null. */
function flatPick(record: ServiceRecord, fields: readonly string[]): ServiceRecord {
  return Object.fromEntries(fields.map((field) => [field, valueAt(record, field) ?? null]));
}

function want(among: Map<string, Wanted>, [name = '', ...inside]: readonly string[]): void {
  const before = among.get(name);
  if (before === 'all') return;
  if (inside.length === 0) {
    among.set(name, 'all');
    return;
  }
  const members = before ?? new Map<string, Wanted>();
  among.set(name, members);
  want(members, inside);
}

function picked(value: unknown, wanted: ReadonlyMap<string, Wanted>): ServiceRecord {
  return Object.fromEntries([...wanted].map(([name, inside]) => [name, part(memberOf(value, name), inside)]));
}

function part(value: unknown, wanted: Wanted): unknown {
  if (wanted === 'all') return value ?? null;
  const isList = [...wanted.keys()].every(isNumber) && (Array.isArray(value) || !isObject(value));
  if (!isList) return picked(value, wanted);
  return [...wanted].map(([name, inside]) => part(memberOf(value, name), inside));
}
