import { isRecord, type ServiceRecord } from '../records.ts';
import { cellText, exactVoice } from '../render/cells.ts';
import { csvText } from '../render/csv.ts';
import { toJson } from '../render/json.ts';
import type { Entry } from './entry.ts';
import { EMPTY_LIST } from './names.ts';
import { byPlace, orderedFields } from './order.ts';
import { spelledCell } from './spelled-cell.ts';
import { tableView } from './table-view.ts';

type Row = ReadonlyMap<string, string>;

/**
 * One table for all kinds: a column `kind`, then each field that some entry has and a table can hold; `losses` are the
 * others.
 *
 * @param errors are a last column, `error`, which reading passes over.
 */
export function manifestTable(
  entries: readonly Entry[],
  errors: ReadonlyMap<Entry, string> | undefined,
): { readonly text: string; readonly losses: readonly string[] } {
  const { entries: held, losses } = tableView(entries);
  const rows = held.map((entry): Row => new Map(cellsIn(orderedFields(entry), '')));
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].sort(byPlace);
  const ends = errors === undefined ? [] : ['error'];
  const body = entries.map((entry, index) => [
    entry.kind,
    ...columns.map((column) => rows[index]?.get(column) ?? ''),
    ...ends.map(() => errors?.get(entry) ?? ''),
  ]);
  const cells = [['kind', ...columns, ...ends], ...body].map((row) => row.map(spelledCell));
  return { text: csvText(cells), losses };
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
  return Array.isArray(value) ? cellText(value, undefined, exactVoice) : toJson(value, { pretty: false });
}
