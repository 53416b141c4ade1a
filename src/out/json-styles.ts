import { CliError } from '../cli/errors.ts';
import type { Page } from '../model/records.ts';
import { jsonDocument, ndjsonDocument, type WholeList, wholeList } from './documents.ts';
import type { Facts, Shape } from './output.ts';
import type { Screen, Style } from './styles.ts';
import { neutraliseJson } from './text.ts';

/** So many records of a document are printed in one piece: all of them may be longer than a text can be. */
const PIECE = 1_000;

/** One document; a list is `{ count, items }`, printed when its last page is there. */
export const jsonStyle: Style = {
  inCells: false,
  showsEmpty: true,
  isJson: true,
  list: listDocument,
  record: async (_shape, record) => document(record),
  document: jsonDocument,
  facts: async (facts) => document(facts),
  line: async (facts) => line(facts),
};

/** One record a line, as the pages arrive. */
export const ndjsonStyle: Style = {
  inCells: false,
  showsEmpty: false,
  isJson: true,
  list: recordLines,
  record: async (_shape, record) => line(record),
  document: ndjsonDocument,
  facts: async (facts) => line(facts),
  line: async (facts) => line(facts),
};

async function* listDocument(
  _shape: Shape,
  pages: AsyncIterable<Page>,
  _screen: Screen,
  beside: Facts,
): AsyncIterable<string> {
  yield* documentInPieces(await wholeList(pages, beside));
}

/** The text that `document` gives for the whole, whose last field is a list. */
function* documentInPieces(whole: WholeList): Generator<string, void> {
  const { items, ...facts } = whole;
  if (items.length <= PIECE) {
    yield document(whole);
    return;
  }
  const end = document({ items: [0] }).split('0')[1] ?? '';
  for (let start = 0; start < items.length; start += PIECE) {
    const piece = items.slice(start, start + PIECE);
    const isFirst = start === 0;
    const text = document(isFirst ? { ...facts, items: piece } : { items: piece });
    const isLast = start + PIECE >= items.length;
    const upTo = isLast ? text.length : text.length - end.length;
    yield isFirst ? text.slice(0, upTo) : `,${text.slice(text.indexOf('[') + 1, upTo)}`;
  }
}

async function* recordLines(_shape: Shape, pages: AsyncIterable<Page>): AsyncIterable<string> {
  for await (const { items } of pages) {
    if (items.length > 0) yield toJsonLines(items);
  }
}

function document(value: unknown): string {
  return `${toJson(value, { pretty: true })}\n`;
}

function line(value: unknown): string {
  return `${toJson(value, { pretty: false })}\n`;
}

/**
 * The value as JSON text that no terminal obeys: what `neutralise` would replace is written as `\uXXXX`.
 *
 * @param options.pretty indents by two spaces; otherwise everything is on one line.
 * @throws {CliError} `unprintable` when the value is nested deeper, or its text longer, than the engine can print.
 */
export function toJson(value: unknown, options: { readonly pretty: boolean }): string {
  return printed(() => JSON.stringify(value, undefined, options.pretty ? 2 : undefined));
}

/** The values as JSON like `toJson`, each on a line of its own. @throws {CliError} like `toJson`. */
export function toJsonLines(values: readonly unknown[]): string {
  // What may have to be replaced is looked for once: most pages of a list have nothing of it.
  return printed(() => values.reduce<string>((lines, value) => `${lines}${JSON.stringify(value)}\n`, ''));
}

function printed(json: () => string): string {
  try {
    return neutraliseJson(json());
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new CliError(
      'unprintable',
      'Could not print the result as JSON: it is nested too deeply or too long.',
      {
        hint: 'With `--output ndjson` each record of a list is printed on its own.',
        cause,
      },
    );
  }
}
