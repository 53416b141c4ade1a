import { type Page, type ServiceRecord, withoutHoles } from '../model/records.ts';
import { cellsOf, csvText, exactVoice, lastingVoice, spokenVoice } from './cells.ts';
import { wholeDocument, wholeList } from './documents.ts';
import { fieldsOf } from './fields.ts';
import { jsonStyle, ndjsonStyle } from './json-styles.ts';
import { type DocumentParts, type Facts, type Format, formats, type Shape } from './output.ts';
import { openPaint } from './paint.ts';
import { lookOf, sheetsOf, shownText } from './sheet.ts';
import { neutralise, neutraliseLine } from './text.ts';

/** For people: a list is a table, a single record a card with every field. */
const tableStyle: Style = {
  inCells: true,
  showsEmpty: false,
  isJson: false,
  list: table,
  record: cardOf,
  facts: undefined,
  line: undefined,
  speaks: true,
};

async function* table(shape: Shape, pages: AsyncIterable<Page>, screen: Screen): AsyncIterable<string> {
  const { drawTable } = await import('./table.ts');
  yield* drawTable(sheetsOf(shape, pages, screen), await lookOf(shape, screen));
}

/** For people: a card for each record of a list with the columns of its table, a single record with every field. */
const cardsStyle: Style = {
  inCells: true,
  showsEmpty: false,
  isJson: false,
  list: cards,
  record: cardOf,
  facts: undefined,
  line: undefined,
  speaks: true,
};

async function* cards(shape: Shape, pages: AsyncIterable<Page>, screen: Screen): AsyncIterable<string> {
  const { openCards } = await import('./cards.ts');
  const draw = openCards(await lookOf(shape, screen));
  for await (const sheet of sheetsOf(shape, pages, screen)) yield draw(sheet);
}

/** One record as a card with every field. */
async function cardOf(
  { columns, told = asItIs }: Shape,
  record: ServiceRecord,
  screen: Screen,
): Promise<string> {
  const voice = screen.isTerminal ? spokenVoice(screen.now(), true) : lastingVoice;
  const fields = fieldsOf(told(record), columns, voice);
  const { drawCard } = await import('./cards.ts');
  return drawCard(
    fields.map(({ label }) => shownText(label, screen)),
    fields.map(({ text }) => shownText(text, screen)),
    await openPaint(screen.colour),
  );
}

function asItIs(record: ServiceRecord): ServiceRecord {
  return record;
}

/**
 * For spreadsheets: a header with the names of the fields, nothing cut, dates as they came; a single record and what a
 * write did are rows of field and value. Newlines and tabs stay in their cell, but on a terminal.
 */
const csvStyle: Style = {
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

/**
 * Tab-separated rows without a header, nothing cut, dates as they came; a single record is `field<TAB>value`.
 * Inside a cell a backslash is `\\`, so the escapes for tab, newline and controls can be read back.
 */
const tsvStyle: Style = {
  inCells: true,
  showsEmpty: false,
  isJson: false,
  list: rows,
  record: async (shape, record) =>
    fieldsOf(record, shape.columns, exactVoice)
      .map(({ path, text }) => row([path, text]))
      .join(''),
  facts: undefined,
  line: undefined,
  speaks: true,
};

async function* rows({ columns }: Shape, pages: AsyncIterable<Page>): AsyncIterable<string> {
  for await (const { items } of pages) {
    if (items.length > 0) yield items.map((item) => row(cellsOf(item, columns, exactVoice))).join('');
  }
}

function row(cells: readonly string[]): string {
  return `${cells.map((cell) => neutraliseLine(cell.replaceAll('\\', '\\\\'))).join('\t')}\n`;
}

/** The document of --json, as YAML. */
const yamlStyle: Style = {
  inCells: false,
  showsEmpty: true,
  isJson: false,
  list: listDocument,
  record: async (_shape, record) => yaml(record),
  document,
  facts: yaml,
  line: yaml,
};

async function* listDocument(
  _shape: Shape,
  pages: AsyncIterable<Page>,
  _screen: Screen,
  beside: Facts,
): AsyncIterable<string> {
  yield await yaml(await wholeList(pages, beside));
}

async function* document(value: unknown, parts: DocumentParts): AsyncIterable<string> {
  yield await yaml(await wholeDocument(value, parts));
}

async function yaml(value: unknown): Promise<string> {
  const { toYaml } = await import('./yaml.ts');
  return toYaml(value);
}

/** What a style may know about where its text goes. */
export interface Screen {
  readonly isTerminal: boolean;
  /** Width in columns. */
  readonly columns: number;
  readonly colour: boolean;
  /** No box drawing. */
  readonly plain: boolean;
  /** Tables and csv begin with the names of their columns. */
  readonly headers: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Masks secrets. A style that cuts a text does this first: what is left of a cut secret is found by nobody. */
  readonly clean: (text: string) => string;
}

type FactsText = (facts: Facts, screen: Screen) => Promise<string>;

/** One format: texts for stdout, neutralised and ended by a newline. */
export interface Style {
  /** Shows records in cells: fields that were asked for are columns and rows, otherwise they keep their nesting. */
  readonly inCells: boolean;
  /** Prints something of a list without records too, so that nobody needs to be told. */
  readonly showsEmpty: boolean;
  /** For programs that read JSON: errors are JSON as well, and nobody is asked. */
  readonly isJson: boolean;
  /**
   * The list in pieces, to be written as they come.
   *
   * @param beside stands beside the records of a document.
   */
  readonly list: (
    shape: Shape,
    pages: AsyncIterable<Page>,
    screen: Screen,
    beside: Facts,
  ) => AsyncIterable<string>;
  readonly record: (shape: Shape, record: ServiceRecord, screen: Screen) => Promise<string>;
  /** What the service said, in pieces; left out in formats without a way of their own, where it is JSON. */
  readonly document?: (value: unknown, parts: DocumentParts) => AsyncIterable<string>;
  /** What a write did; `undefined` in formats that say it to people, in a sentence. */
  readonly facts: FactsText | undefined;
  /** Facts in place of a line of text; `undefined` in formats that have the text. */
  readonly line: FactsText | undefined;
  /** For people, who are told in a sentence what a write did, whatever of it they asked for besides. */
  readonly speaks?: true;
}

/** Every format. */
export const styles = {
  table: tableStyle,
  cards: cardsStyle,
  json: jsonStyle,
  ndjson: ndjsonStyle,
  csv: csvStyle,
  tsv: tsvStyle,
  yaml: yamlStyle,
} as const satisfies Record<Format, Style>;

/** Whether this is the name of a format that is JSON; the name may be none. */
export function isJsonFormat(name: string | undefined): boolean {
  const format = formats.find((each) => each === name);
  return format !== undefined && styles[format].isJson;
}
