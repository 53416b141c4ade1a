import type { ServiceRecord } from '../model/records.ts';
import { cellText, joinedIn, type Wording } from './cells.ts';
import type { Column } from './output.ts';

/** Deeper values are shown as JSON. */
const DEEPEST = 8;

/** One field of a record with its value as text. */
export interface Field {
  /** Dotted; entries of an array by index: `property_roles.0.id`. */
  readonly path: string;
  /** For people: a column's header, or the field in words, and names within it in brackets: `Name (en)`. */
  readonly label: string;
  readonly text: string;
}

/**
 * Every field of the record, in its own order, dates as in lists. An array of plain values is one field, and so is a column
 * with its `beside` list.
 */
export function fieldsOf(
  record: ServiceRecord,
  columns: readonly Column[],
  wording: Wording,
): readonly Field[] {
  return leavesOf(joined(record, columns, wording), '', 0).map(([path, value]) => {
    const column = columns.find(({ field }) => path === field || path.startsWith(`${field}.`));
    return {
      path,
      label: labelOf(path, column),
      text: cellText(value, (path === column?.field ? column.format : undefined) ?? 'date', wording),
    };
  });
}

/** The column of this field, without its `beside` list, else a new one with the label that the field has in a card. */
export function columnFor(field: string, columns: readonly Column[]): Column {
  const found = columns.find((column) => column.field === field);
  if (found !== undefined) return alone(found);
  const around = columns.find((column) => field.startsWith(`${column.field}.`));
  return { field, header: labelOf(field, around) };
}

/** The column without its `beside` list. */
export function alone({ beside: _, ...column }: Column): Column {
  return column;
}

function joined(record: ServiceRecord, columns: readonly Column[], wording: Wording): ServiceRecord {
  let fields = record;
  for (const column of columns) {
    const list = joinedIn(fields, column);
    if (list === undefined) continue;
    const { [column.beside ?? '']: _, ...others } = fields;
    fields = { ...others, [column.field]: cellText(list, undefined, wording) };
  }
  return fields;
}

function labelOf(path: string, column: Column | undefined): string {
  const [first = ''] = path.split('.');
  const { field, header } = column ?? { field: first, header: capitalised(inWords(first)) };
  if (path === field) return header;
  const inside = path.slice(field.length + 1).split('.');
  return `${header} (${inside.map(inWords).join(' ')})`;
}

/** A name in snake_case as words; any other as it is. */
function inWords(name: string): string {
  return /^[a-z\d]+(_[a-z\d]+)+$/.test(name) ? name.replaceAll('_', ' ') : name;
}

function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function leavesOf(parent: object, prefix: string, depth: number): readonly (readonly [string, unknown])[] {
  return Object.entries(parent).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    return depth < DEEPEST && hasFields(value) ? leavesOf(value, `${path}.`, depth + 1) : [[path, value]];
  });
}

function hasFields(value: unknown): value is object {
  if (Array.isArray(value)) return value.some((entry) => typeof entry === 'object' && entry !== null);
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
