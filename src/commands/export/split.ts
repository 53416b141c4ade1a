import { join, relative } from 'node:path';
import { CliError } from '../../errors.ts';
import { type Entry, kinds } from '../../manifest/entry.ts';
import { filesIn } from '../../manifest/files.ts';
import { nouns } from '../../manifest/kind.ts';
import { entryText, type ManifestFormat, manifestText } from '../../manifest/write.ts';
import type { Output } from '../../render/output.ts';
import { createNames } from './file-name.ts';
import { openFolder, replaceFile } from './folder.ts';
import { lossText } from './report.ts';

/** A manifest that goes into a folder. */
interface Split {
  readonly entries: readonly Entry[];
  /** What is missing, as kind and name. */
  readonly gaps: readonly string[];
  readonly format: ManifestFormat;
  readonly folder: string;
}

interface File {
  /** Below the folder. */
  readonly path: readonly string[];
  text(): Promise<string>;
}

const MOST_NAMED = 10;

/**
 * Writes a manifest into a folder: in YAML and JSON a file for each entry, in NDJSON and CSV one for the properties and
 * one for the people. Files of these names are replaced, each in one step; others stay, and a warning names them.
 *
 * @throws {CliError} `not_written` or `symlink`, naming the path.
 */
export async function writeFolder(split: Split, out: Output, signal: AbortSignal): Promise<void> {
  const { folder, format, entries } = split;
  const losses: string[] = [];
  const files = filesOf(split, (fields) => losses.push(fields));
  openFolder(folder, false);
  for (const name of new Set(files.flatMap(({ path }) => path.slice(0, -1))))
    openFolder(join(folder, name), true);
  for (const { path, text } of files) {
    signal.throwIfAborted();
    replaceFile(join(folder, ...path), await text());
  }
  for (const fields of losses) await out.warn(lossText(fields));
  await warnOfOthers(folder, new Set(files.map(({ path }) => join(folder, ...path))), out);
  const counts = kinds.map((kind) => ({
    kind,
    count: entries.filter((entry) => entry.kind === kind).length,
  }));
  const listed = counts.map(({ kind, count }) => `${count} ${count === 1 ? kind : nouns[kind][1]}`);
  const sentence = `Exported ${listed.slice(0, -1).join(', ')} and ${listed.at(-1)} to ${folder}.`;
  if (format !== 'json' && format !== 'ndjson') return out.note(sentence);
  const facts = Object.fromEntries(counts.map(({ kind, count }) => [nouns[kind][1], count]));
  return out.done(sentence, { folder, files: files.length, ...facts });
}

function filesOf({ entries, gaps, format }: Split, onLoss: (fields: string) => void): readonly File[] {
  if (format === 'csv' || format === 'ndjson') {
    const properties = entries.filter(({ kind }) => kind === 'property');
    const people = entries.filter(({ kind }) => kind !== 'property');
    return Object.entries({ properties, people })
      .filter(([, own]) => own.length > 0)
      .map(([name, own]) => ({
        path: [`${name}.${format}`],
        text: () => manifestText(own, format, { onLoss, leftOut: gaps }),
      }));
  }
  return kinds.flatMap((kind) => {
    const named = createNames();
    return entries
      .filter((entry) => entry.kind === kind)
      .map((entry) => ({
        path: [nouns[kind][1], `${named(entry.name)}.${format}`],
        text: () => entryText(entry, format),
      }));
  });
}

/** Whoever reads the folder as a manifest reads them too. What was written stays written where nobody can look for them. */
async function warnOfOthers(folder: string, written: ReadonlySet<string>, out: Output): Promise<void> {
  const others: string[] = [];
  try {
    for await (const { path } of filesIn(folder)) if (!written.has(path)) others.push(relative(folder, path));
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    await out.warn(cause.message);
  }
  if (others.length === 0) return;
  const named = others.slice(0, MOST_NAMED).join(', ');
  const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
  await out.warn(
    `${folder} holds further files of manifests, which this export did not write: ${named}${more}.`,
  );
}
