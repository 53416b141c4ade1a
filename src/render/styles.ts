import type { Page, ServiceRecord } from '../records.ts';
import { cardsStyle } from './cards-style.ts';
import { csvStyle } from './csv-style.ts';
import { jsonStyle, ndjsonStyle } from './json-styles.ts';
import { type DocumentParts, type Facts, type Format, formats, type Shape } from './output.ts';
import { tableStyle } from './table-style.ts';
import { tsvStyle } from './tsv-style.ts';
import { yamlStyle } from './yaml-style.ts';

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
