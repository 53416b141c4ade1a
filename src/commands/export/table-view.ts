import type { Entry } from '../../manifest/entry.ts';
import { isRecord } from '../../records.ts';
import { type Report, titleOf } from './report.ts';

/** A value under `extra` as the columns of a table: those that hold its texts, and the paths above them. */
interface Columns {
  readonly leaves: readonly string[];
  readonly stems: readonly string[];
}

/**
 * Gives entries as a table can hold them, one after the other. Its cells are texts: lists, true and false under `extra`
 * would come back as something else, and no column may hold a text here and fields there. Such fields are left out, with
 * a warning.
 */
export function createTableView(report: Report): (entry: Entry) => Entry {
  const leaves = new Set<string>();
  const stems = new Set<string>();
  const fits = (columns: Columns | undefined): boolean => {
    if (columns === undefined) return false;
    if (columns.leaves.some((path) => stems.has(path)) || columns.stems.some((path) => leaves.has(path)))
      return false;
    for (const path of columns.leaves) leaves.add(path);
    for (const path of columns.stems) stems.add(path);
    return true;
  };
  return (entry) => {
    const { extra, ...fields } = entry.fields;
    if (!isRecord(extra)) return entry;
    const kept = Object.entries(extra).filter(([name, value]) => {
      const isKept = fits(columnsOf(name, value));
      if (!isKept) report.warn(`${titleOf(entry)}: a table cannot hold extra.${name}; --output yaml can.`);
      return isKept;
    });
    return { ...entry, fields: kept.length === 0 ? fields : { ...fields, extra: Object.fromEntries(kept) } };
  };
}

/** `undefined` where some part is no text, or has a name that no header can have. */
function columnsOf(path: string, value: unknown): Columns | undefined {
  if (typeof value === 'string' || typeof value === 'number') return { leaves: [path], stems: [] };
  if (!isRecord(value)) return undefined;
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
  return name !== '__proto__' && name !== '' && name.trim() === name && !name.includes('.');
}
