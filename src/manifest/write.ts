import { toJson } from '../render/json.ts';
import { neutraliseLine } from '../render/text.ts';
import { type Entry, type Kind, kinds } from './entry.ts';
import { nouns } from './kind.ts';
import { orderedFields } from './order.ts';

/** How a manifest may be written. */
export type ManifestFormat = 'yaml' | 'json' | 'ndjson' | 'csv';

/** What a manifest is written with besides its entries. */
export interface WriteOptions {
  /** Why each entry failed: a last column in CSV, comments in YAML; JSON has no place for it. */
  readonly errors?: ReadonlyMap<Entry, string>;
  /** Kinds that have a list in YAML and JSON although nothing is in it. Default: none. */
  readonly lists?: readonly Kind[];
}

/**
 * The text of a manifest with these entries: fields in the contract's order, entries in the order given. `readManifest`
 * reads the same entries from it, but what a table cannot hold: an empty list.
 */
export async function manifestText(
  entries: readonly Entry[],
  format: ManifestFormat,
  { errors, lists = [] }: WriteOptions = {},
): Promise<string> {
  if (format === 'csv') {
    const { manifestTable } = await import('./write-table.ts');
    return manifestTable(entries, errors);
  }
  if (format === 'ndjson')
    return entries.map((entry) => `${toJson(alone(entry), { pretty: false })}\n`).join('');
  if (format === 'json') return `${toJson(together(entries, lists), { pretty: true })}\n`;
  const { toYaml } = await import('../render/yaml.ts');
  if (errors === undefined) return toYaml(together(entries, lists));
  return entries.map((entry) => `---\n${comment(errors.get(entry))}${toYaml(alone(entry))}`).join('');
}

/** The text of a file that holds one entry. */
export async function entryText(entry: Entry, format: 'yaml' | 'json'): Promise<string> {
  if (format === 'json') return `${toJson(alone(entry), { pretty: true })}\n`;
  const { toYaml } = await import('../render/yaml.ts');
  return toYaml(alone(entry));
}

function alone(entry: Entry) {
  return { kind: entry.kind, ...orderedFields(entry) };
}

function together(entries: readonly Entry[], lists: readonly Kind[]) {
  const named = kinds.map((kind) => {
    const own = entries.filter((entry) => entry.kind === kind);
    return [kind, own.map(orderedFields)] as const;
  });
  return Object.fromEntries(
    named
      .filter(([kind, own]) => own.length > 0 || lists.includes(kind))
      .map(([kind, own]) => [nouns[kind][1], own]),
  );
}

function comment(error: string | undefined): string {
  return error === undefined ? '' : `# error: ${neutraliseLine(error)}\n`;
}
