import { listIn, onlyListIn, type Page, type ServiceRecord } from '../records.ts';
import { plainDocument } from './documents.ts';
import { alone, columnFor } from './fields.ts';
import type { DocumentParts, Facts, Shape } from './output.ts';
import { flatPick, nestedPick } from './pick.ts';
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
