import { isRecord, type ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { cellText, csvText, exactWording } from '../out/cells.ts';
import { toJson } from '../out/json.ts';
import { byPlace, type Entry, orderedFields } from './entry.ts';
import { EMPTY_LIST } from './names.ts';
import { spelledCell } from './spelled-cell.ts';

type Row = ReadonlyMap<string, string>;

/**
 * One table for all kinds: a column `kind`, then each field that some entry has and a table can hold.
 *
 * @param errors are a last column, `error`, which reading ignores.
 */
export function manifestTable(
  entries: readonly Entry[],
  errors: ReadonlyMap<Entry, string> | undefined,
): string {
  const rows = tableView(entries).entries.map((entry): Row => new Map(cellsIn(orderedFields(entry), '')));
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].sort(byPlace);
  const ends = errors === undefined ? [] : ['error'];
  const body = entries.map((entry, index) => [
    entry.kind,
    ...columns.map((column) => rows[index]?.get(column) ?? ''),
    ...ends.map(() => errors?.get(entry) ?? ''),
  ]);
  const cells = [['kind', ...columns, ...ends], ...body].map((row) => row.map(spelledCell));
  return csvText(cells);
}

/** The cells of a record under dotted names. */
function cellsIn(record: ServiceRecord, prefix: string): readonly (readonly [string, string])[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    return isRecord(value) ? cellsIn(value, `${path}.`) : [[path, cellOf(value)] as const];
  });
}

function cellOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length === 0) return EMPTY_LIST;
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (isList) return value.join(',');
  return Array.isArray(value) ? cellText(value, undefined, exactWording) : toJson(value, { pretty: false });
}

/** A value under `extra` as the columns of a table: those that hold its texts, and the paths above them. */
interface Columns {
  readonly leaves: readonly string[];
  readonly stems: readonly string[];
}

/** Entries as a table holds them. */
export interface TableView {
  readonly entries: readonly Entry[];
  /** The fields that are left out, each with the names of its entries: `extra.stars ("BER", "MUC" and 3 more)`. */
  readonly losses: readonly string[];
}

const MOST_NAMED = 3;

/**
 * Entries as a table can hold them. Its cells are texts: numbers, lists, true and false under `extra` would come back as
 * something else, and no column may hold a text here and fields there. Nor does a text file hold NUL, or half a surrogate
 * pair, for which the others have escapes. Such fields are left out.
 */
export function tableView(entries: readonly Entry[]): TableView {
  const losses = new Map<string, string[]>();
  const [leaves, stems] = [new Set<string>(), new Set<string>()];
  const kept = entries.map((entry) => {
    const { extra, ...fields } = entry.fields;
    if (!isRecord(extra)) return entry;
    const fitting = Object.entries(extra).filter(([name, value]) => {
      const isKept = isHeader(name) && addColumns(columnsOf(name, value), leaves, stems);
      if (isKept) return true;
      const names = losses.get(name);
      if (names === undefined) losses.set(name, [entry.name]);
      else names.push(entry.name);
      return false;
    });
    if (fitting.length === Object.keys(extra).length) return entry;
    return {
      ...entry,
      fields: fitting.length === 0 ? fields : { ...fields, extra: Object.fromEntries(fitting) },
    };
  });
  return { entries: kept, losses: [...losses].map(([name, names]) => `extra.${name} (${listed(names)})`) };
}

function listed(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED;
  const named = names.slice(0, MOST_NAMED).map(quote).join(', ');
  return rest > 0 ? `${named} and ${rest.toLocaleString('en')} more` : named;
}

/** Whether columns fit beside those that a table has; they are added if they do. */
function addColumns(columns: Columns | undefined, leaves: Set<string>, stems: Set<string>): boolean {
  if (columns === undefined) return false;
  if (columns.leaves.some((path) => stems.has(path)) || columns.stems.some((path) => leaves.has(path)))
    return false;
  for (const path of columns.leaves) leaves.add(path);
  for (const path of columns.stems) stems.add(path);
  return true;
}

/** `undefined` where some part is not text that a file can hold, or has a name that no header can have. */
function columnsOf(path: string, value: unknown): Columns | undefined {
  if (typeof value === 'string') return isWritable(value) ? { leaves: [path], stems: [] } : undefined;
  if (!isRecord(value) || Object.keys(value).length === 0) return undefined;
  const inside = Object.entries(value).map(([name, inner]) =>
    isHeader(name) ? columnsOf(`${path}.${name}`, inner) : undefined,
  );
  const known = inside.filter((columns) => columns !== undefined);
  if (known.length < inside.length) return undefined;
  return {
    leaves: known.flatMap((columns) => columns.leaves),
    stems: [path, ...known.flatMap((columns) => columns.stems)],
  };
}

function isHeader(name: string): boolean {
  return (
    name !== '__proto__' && name !== '' && name.trim() === name && !name.includes('.') && isWritable(name)
  );
}

function isWritable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
