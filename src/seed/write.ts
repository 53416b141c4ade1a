import { toJson } from '../out/json.ts';
import { type Entry, type Kind, kinds, orderedFields } from './entry.ts';
import { LEFT_OUT, nouns } from './kind.ts';

/** How a manifest may be written. */
export type ManifestFormat = 'yaml' | 'json' | 'ndjson' | 'csv';

/** What a manifest is written with besides its entries. */
export interface WriteOptions {
  /** Why each entry failed: its last field, or the last column of the table. Reading ignores it. */
  readonly errors?: ReadonlyMap<Entry, string>;
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
  format: ManifestFormat,
  { errors, lists = [], leftOut = [] }: WriteOptions = {},
): Promise<string> {
  if (format === 'csv') {
    const { manifestTable } = await import('./write-table.ts');
    return manifestTable(entries, errors);
  }
  // Something that is read as no entries: nothing at all, or an object without fields, is refused.
  if (entries.length === 0 && (lists.length === 0 || format === 'ndjson')) return '[]\n';
  const gap = leftOut.length === 0 ? {} : { [LEFT_OUT]: leftOut };
  if (format === 'ndjson') {
    const lines = [...entries.map((entry) => alone(entry, errors)), ...(leftOut.length === 0 ? [] : [gap])];
    return lines.map((line) => `${toJson(line, { pretty: false })}\n`).join('');
  }
  const whole = { ...together(entries, lists, errors), ...gap };
  if (format === 'json') return `${toJson(whole, { pretty: true })}\n`;
  const { toYaml } = await import('../out/yaml.ts');
  return toYaml(whole);
}

/** The fields under `extra` that a manifest in this format leaves out, each with the names of its entries. */
export async function lostFields(
  entries: readonly Entry[],
  format: ManifestFormat,
): Promise<readonly string[]> {
  return format === 'csv' ? (await import('./write-table.ts')).tableView(entries).losses : [];
}

/** The text of a file that holds one entry. */
export async function entryText(entry: Entry, format: 'yaml' | 'json'): Promise<string> {
  if (format === 'json') return `${toJson(alone(entry), { pretty: true })}\n`;
  const { toYaml } = await import('../out/yaml.ts');
  return toYaml(alone(entry));
}

type Errors = WriteOptions['errors'];

function alone(entry: Entry, errors?: Errors) {
  return { kind: entry.kind, ...fieldsOf(entry, errors) };
}

function fieldsOf(entry: Entry, errors: Errors) {
  const error = errors?.get(entry);
  return error === undefined ? orderedFields(entry) : { ...orderedFields(entry), error };
}

function together(entries: readonly Entry[], lists: readonly Kind[], errors: Errors) {
  const named = kinds.map((kind) => {
    const own = entries.filter((entry) => entry.kind === kind);
    return [kind, own.map((entry) => fieldsOf(entry, errors))] as const;
  });
  return Object.fromEntries(
    named
      .filter(([kind, own]) => own.length > 0 || lists.includes(kind))
      .map(([kind, own]) => [nouns[kind][1], own]),
  );
}
