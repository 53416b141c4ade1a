import { type Page, type ServiceRecord, withoutHoles } from '../records.ts';
import { cellsOf, exactVoice } from './cells.ts';
import { csvText } from './csv.ts';
import { fieldsOf } from './fields.ts';
import type { Facts, Shape } from './output.ts';
import type { Screen, Style } from './styles.ts';
import { neutralise, neutraliseLine } from './text.ts';

/**
 * For spreadsheets: a header with the names of the fields, nothing cut, dates as they came; a single record and what a
 * write did are rows of field and value. Newlines and tabs stay in their cell, but on a terminal.
 */
export const csvStyle: Style = {
  inCells: true,
  showsEmpty: false,
  isJson: false,
  list: csvTable,
  record: async (shape, record, screen) => fieldRows(record, shape, screen),
  facts: factRows,
  line: factRows,
};

async function* csvTable(
  { columns }: Shape,
  pages: AsyncIterable<Page>,
  { headers, isTerminal }: Screen,
): AsyncIterable<string> {
  let head = headers ? [columns.map(({ field }) => field)] : [];
  for await (const { items } of pages) {
    const rows = [...head, ...items.map((item) => cellsOf(item, columns, exactVoice))];
    head = [];
    if (rows.length > 0) yield csv(rows, isTerminal);
  }
}

function fieldRows(
  record: ServiceRecord,
  { columns }: Pick<Shape, 'columns'>,
  { headers, isTerminal }: Screen,
): string {
  const rows = fieldsOf(record, columns, exactVoice).map(({ path, text }) => [path, text]);
  return csv(headers ? [['field', 'value'], ...rows] : rows, isTerminal);
}

async function factRows(facts: Facts, screen: Screen): Promise<string> {
  return fieldRows(withoutHoles(facts), { columns: [] }, screen);
}

/** On a terminal a line within a cell would pass for one of its own. */
function csv(rows: readonly (readonly string[])[], isTerminal: boolean): string {
  return csvText(rows.map((cells) => cells.map(isTerminal ? neutraliseLine : neutralise)));
}
