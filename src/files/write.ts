import { groupBy, isRecord, type ServiceRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { csvText } from '../print/cells.ts';
import { prettyJson, toJsonLines } from '../print/json.ts';
import { cellsOf, spelledCell } from './cells.ts';
import { byPlace, type Entry, type Kind, kinds, listed, orderedFields } from './entry.ts';
import type { Language } from './files.ts';
import { entryKinds, LEFT_OUT, nestedLists } from './kind.ts';

/** How a manifest is written. */
interface WriteOptions {
  /** Kinds that have a list in YAML and JSON although nothing is in it. Default: none. */
  readonly lists?: readonly Kind[];
  /** What is missing, by kind and name: YAML, JSON and NDJSON state it, and `--prune` refuses them. Default: nothing is. */
  readonly leftOut?: readonly string[];
}

/**
 * The text of a manifest with these entries: fields in the contract's order, entries in the order given. `readManifest`
 * reads the same entries from it, but what a table cannot hold.
 */
export async function manifestText(
  entries: readonly Entry[],
  format: Language,
  { lists = [], leftOut = [] }: WriteOptions = {},
): Promise<string> {
  if (format === 'csv') return manifestTable(entries);
  // Something that is read as no entries: nothing at all, or an object without fields, is refused.
  if (entries.length === 0 && (lists.length === 0 || format === 'ndjson')) return '[]\n';
  const gap = leftOut.length === 0 ? {} : { [LEFT_OUT]: leftOut };
  if (format === 'ndjson') {
    const lines = [
      ...entries.map(({ kind, fields }) => ({ kind, ...orderedFields(fields) })),
      ...(leftOut.length === 0 ? [] : [gap]),
    ];
    return toJsonLines(lines);
  }
  return documentText({ ...byKind(entries, lists), ...gap }, format);
}

/** The fields under `extra` that a manifest in this format leaves out, each with the names of its entries. */
export function lostFields(entries: readonly Entry[], format: Language): readonly string[] {
  return format === 'csv' ? tableView(entries).losses : [];
}

async function documentText(value: unknown, format: 'yaml' | 'json'): Promise<string> {
  if (format === 'json') return prettyJson(value);
  const { toYaml } = await import('../print/yaml.ts');
  return toYaml(value);
}

/** The kinds in the order of their lists: what others name comes first. */
const inOrder: readonly Kind[] = ['unit_attribute', ...kinds.filter((kind) => kind !== 'unit_attribute')];

/** The lists of a manifest. What a property rents out is inside it, if the property is there. */
function byKind(entries: readonly Entry[], lists: readonly Kind[]) {
  const codes = new Set(entries.filter(({ kind }) => kind === 'property').map(({ name }) => name));
  const inside = groupBy(entries.filter(isNested), ({ fields }) => fields['property']);
  const isInside = (entry: Entry) => isNested(entry) && codes.has(String(entry.fields['property']));
  const withInside = (entry: Entry) => {
    const own = entry.kind === 'property' ? (inside.get(entry.name) ?? []) : [];
    const nested = [...nestedLists].flatMap(([list, kind]) => {
      const some = own
        .filter((each) => each.kind === kind)
        .map((each) => homeless(orderedFields(each.fields)));
      return some.length === 0 ? [] : [[list, some] as const];
    });
    return { ...orderedFields(entry.fields), ...Object.fromEntries(nested) };
  };
  const named = inOrder.flatMap((kind) => {
    const own = entries.filter((entry) => entry.kind === kind && !isInside(entry));
    const isShown = own.length > 0 || lists.includes(kind);
    return isShown ? [[entryKinds[kind].several, own.map(withInside)] as const] : [];
  });
  return Object.fromEntries(named);
}

function isNested({ kind }: Entry): boolean {
  return kind === 'unit_group' || kind === 'unit';
}

/** Fields without the property around them. */
function homeless({ property: _, ...fields }: ServiceRecord): ServiceRecord {
  return fields;
}

/** One table for all kinds: a column `kind`, and each field that some entry has and a table can hold. */
function manifestTable(entries: readonly Entry[]): string {
  const rows = tableView(entries).entries.map((entry) => new Map(cellsOf(orderedFields(entry.fields))));
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].sort(byPlace);
  const body = entries.map((entry, index) => [
    entry.kind,
    ...columns.map((column) => rows[index]?.get(column) ?? ''),
  ]);
  return csvText([['kind', ...columns], ...body].map((row) => row.map(spelledCell)));
}

const MOST_NAMED = 3;

/**
 * Entries as a table can hold them. Its cells are texts: numbers, lists, true and false under `extra` would come back as
 * something else, and no column may hold a text here and fields there. Nor does a text file hold NUL, or half a surrogate
 * pair, for which the others have escapes. Such fields are left out.
 *
 * @returns `losses` has the omitted fields, each with the names of its entries: `extra.stars ("BER", "MUC" and 3 more)`.
 */
export function tableView(entries: readonly Entry[]) {
  const lost: { readonly field: string; readonly name: string }[] = [];
  const columns: Columns = new Map();
  const kept = entries.map((entry) => {
    const { extra, ...fields } = entry.fields;
    if (!isRecord(extra)) return entry;
    const fitting = Object.entries(extra).filter(([field, value]) => {
      const isKept = fits(columnsOf(field, value), columns);
      if (!isKept) lost.push({ field, name: entry.name });
      return isKept;
    });
    if (fitting.length === Object.keys(extra).length) return entry;
    const left = fitting.length === 0 ? {} : { extra: Object.fromEntries(fitting) };
    return { ...entry, fields: { ...fields, ...left } };
  });
  const losses = [...groupBy(lost, ({ field }) => field)].map(([field, entriesWithIt]) => {
    const names = entriesWithIt.map(({ name }) => quote(name));
    return `extra.${field} (${listed(names, MOST_NAMED)})`;
  });
  return { entries: kept, losses };
}

/** What is in the place of each path below `extra`: a column of texts, or the columns below it. */
type Columns = Map<string, 'text' | 'fields'>;

/** Whether columns fit beside those that a table has; they are added if they do. */
function fits(own: Columns | undefined, all: Columns): boolean {
  if (own === undefined || [...own].some(([path, holds]) => (all.get(path) ?? holds) !== holds)) return false;
  for (const [path, holds] of own) all.set(path, holds);
  return true;
}

/** `undefined` where some part is not text that a file can hold, or has a name that no header can have. */
function columnsOf(name: string, value: unknown, above = ''): Columns | undefined {
  const path = `${above}${name}`;
  if (name === '__proto__' || name.trim() !== name || !/^[^.]+$/s.test(name) || !isWritable(name))
    return undefined;
  if (typeof value === 'string') return isWritable(value) ? new Map([[path, 'text']]) : undefined;
  if (!isRecord(value) || Object.keys(value).length === 0) return undefined;
  const columns: Columns = new Map([[path, 'fields']]);
  const inside = Object.entries(value).map(([inner, each]) => columnsOf(inner, each, `${path}.`));
  return inside.every((each) => each !== undefined && fits(each, columns)) ? columns : undefined;
}

function isWritable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
