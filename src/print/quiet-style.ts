import { fieldAt, isObject, type ServiceRecord } from '../model/records.ts';
import { cellText, exactWording } from './cells.ts';
import type { DocumentParts, Facts, Output, Shape } from './output.ts';
import { answeredList, type Style } from './styles.ts';
import { neutraliseLine } from './text.ts';

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
  const id = fields.map((field) => fieldAt(record, field)).find(isId);
  return id === undefined ? '' : lineOf(id);
}

function isId(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function lineOf(value: unknown): string {
  return `${neutraliseLine(cellText(value, undefined, exactWording))}\n`;
}
