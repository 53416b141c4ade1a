import { type Kind, kinds, kindTable } from '../model/kinds.ts';
import { groupBy } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { csvText } from '../print/cells.ts';
import { prettyJson, toJsonLines } from '../print/text.ts';
import { type Cell, cellsOf, spelledCell } from './cells.ts';
import { byPlace, type Entry, listed, orderedFields } from './entry.ts';
import type { Language } from './files.ts';
import { LEFT_OUT, nestedLists } from './names.ts';

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
        .map(({ fields: { property: _, ...fields } }) => orderedFields(fields));
      return some.length === 0 ? [] : [[list, some] as const];
    });
    return { ...orderedFields(entry.fields), ...Object.fromEntries(nested) };
  };
  const named = inOrder.flatMap((kind) => {
    const own = entries.filter((entry) => entry.kind === kind && !isInside(entry));
    const isShown = own.length > 0 || lists.includes(kind);
    return isShown ? [[kindTable[kind].several, own.map(withInside)] as const] : [];
  });
  return Object.fromEntries(named);
}

function isNested({ kind }: Entry): boolean {
  return kind === 'unit_group' || kind === 'unit';
}

/** One table for all kinds: a column `kind`, and each field that some entry has and a table can hold. */
function manifestTable(entries: readonly Entry[]): string {
  const { rows } = tableView(entries);
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))].sort(byPlace);
  const body = entries.map((entry, index) => [
    entry.kind,
    ...columns.map((column) => rows[index]?.get(column) ?? ''),
  ]);
  return csvText([['kind', ...columns], ...body].map((row) => row.map(spelledCell)));
}

const MOST_NAMED = 3;

/**
 * The cells of entries by their columns. Cells are texts: numbers, lists, true and false under `extra` would come back as
 * something else, and no column may hold a text here and fields there. Nor does a text file hold NUL, or half a surrogate
 * pair, for which the others have escapes. Such fields are left out.
 *
 * @returns `losses` has the omitted fields, each with the names of its entries: `extra.stars ("BER", "MUC" and 3 more)`.
 */
function tableView(entries: readonly Entry[]) {
  const all = entries.map(({ name, fields }) => ({ name, cells: cellsOf(orderedFields(fields)) }));
  const outer = new Set(
    all.flatMap(({ cells }) =>
      cells.flatMap(({ path }) => path.map((_, index) => path.slice(0, index).join('.'))),
    ),
  );
  const isText = ({ path, value }: Cell) =>
    typeof value === 'string' && [value, ...path].every(isWritable) && path.every(isName);
  const isLost = (each: Cell) =>
    each.path[0] === 'extra' && (!isText(each) || outer.has(each.path.join('.')));
  const lost = all.flatMap(({ name, cells }) =>
    cells.filter(isLost).map(({ path }) => [path.join('.'), quote(name)] as const),
  );
  const losses = [...groupBy(lost, ([path]) => path)].map(([path, some]) => {
    const names = some.map(([, name]) => name);
    return `${path} (${listed(names, MOST_NAMED)})`;
  });
  const rows = all.map(({ cells }) => {
    const kept = cells.filter((each) => !isLost(each));
    return new Map(kept.map(({ path, cell }) => [path.join('.'), cell]));
  });
  return { rows, losses };
}

/** Whether a name can be a part of a header. */
function isName(name: string): boolean {
  return name !== '__proto__' && name.trim() === name && /^[^.]+$/s.test(name);
}

function isWritable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
