import { listIn, onlyListIn, type Page, type ServiceRecord } from '../records.ts';
import { cellText, exactVoice } from './cells.ts';
import { isObject, valueAt } from './members.ts';
import type { DocumentParts, Facts, Shape } from './output.ts';
import type { Style } from './styles.ts';
import { neutraliseLine } from './text.ts';

/** What names a record, where nothing says so: the first of them that it has. */
const idFields = ['id', 'subject_id', 'subjectId', 'email', 'code', 'name'] as const;

/** Bare ids, one a line; nothing for what has none. */
export const quietStyle: Style = {
  list: ids,
  record: async (shape, record) => idLine(record, idFieldOf(shape)),
  document,
  facts: async (facts) => idLine(facts, undefined),
  line: undefined,
};

async function* ids(shape: Shape, pages: AsyncIterable<Page>): AsyncIterable<string> {
  for await (const { items } of pages) yield items.map((item) => idLine(item, idFieldOf(shape))).join('');
}

async function* document(value: unknown, { more }: DocumentParts): AsyncIterable<string> {
  const list = more === undefined ? listIn(value) : onlyListIn(value);
  yield (list?.items ?? [value]).map(entryLine).join('');
  for await (const items of more ?? []) yield items.map(entryLine).join('');
}

function idFieldOf({ id, columns }: Shape): string | undefined {
  return id ?? columns[0]?.field;
}

/** An entry that is a plain value names itself. */
function entryLine(entry: unknown): string {
  if (isObject(entry)) return Array.isArray(entry) ? '' : idLine(entry, undefined);
  return entry === undefined || entry === null ? '' : lineOf(entry);
}

function idLine(record: ServiceRecord | Facts, first: string | undefined): string {
  const fields = first === undefined ? idFields : [first, ...idFields];
  const id = fields.map((field) => valueAt(record, field)).find(isId);
  return id === undefined ? '' : lineOf(id);
}

function isId(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function lineOf(value: unknown): string {
  return `${neutraliseLine(cellText(value, undefined, exactVoice))}\n`;
}
