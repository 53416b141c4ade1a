import { isObject } from '../model/paths.ts';
import type { Page } from '../model/records.ts';
import { prettyJson, wholeDocument, wholeList } from './documents.ts';
import type { DocumentParts, Facts, Shape } from './output.ts';
import { bounded, type Query } from './query.ts';
import type { Destination, Style } from './styles.ts';
import { neutralise, neutraliseLine } from './text.ts';

/**
 * The result of an expression on the document of --json, as JSON.
 *
 * @param raw prints a text as it is, and a list of texts, numbers and booleans one per line.
 */
export function queryStyle(query: Query, raw: boolean): Style {
  const textOf = raw ? rawText : jsonText;
  const print = (document: unknown) => bounded('--query', () => textOf(query(document)));
  return {
    inCells: false,
    showsEmpty: true,
    isJson: true,
    printsSentence: false,
    async *list(_shape: Shape, pages: AsyncIterable<Page>, _destination: Destination, beside: Facts) {
      yield print(await wholeList(pages, beside));
    },
    record: async (_shape, record) => print(record),
    async *document(value: unknown, parts: DocumentParts) {
      yield print(await wholeDocument(value, parts));
    },
    facts: async (facts) => print(facts),
    line: async (facts) => print(facts),
  };
}

function rawText(found: unknown): string {
  if (typeof found === 'string') return `${neutralise(found)}\n`;
  if (!Array.isArray(found) || !found.every(isPlain)) return jsonText(found);
  return found.map((each) => `${neutraliseLine(String(each))}\n`).join('');
}

function isPlain(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** The value of `&name` alone: an expression for functions to use, as the library represents it. */
function isReference(value: unknown): boolean {
  return isObject(value) && value['expref'] === true && typeof value['type'] === 'string';
}

/** A result that is not JSON, such as an inherited member, counts as nothing found. */
function jsonText(found: unknown): string {
  const isJson = found !== undefined && typeof found !== 'function' && !isReference(found);
  return prettyJson(isJson ? found : null);
}
