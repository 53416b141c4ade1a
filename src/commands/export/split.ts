import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { CliError } from '../../cli/errors.ts';
import type { Output } from '../../out/output.ts';
import { type Entry, kinds } from '../../seed/entry.ts';
import { filesIn } from '../../seed/files.ts';
import { nouns } from '../../seed/kind.ts';
import { entryText, type ManifestFormat, manifestText } from '../../seed/write.ts';
import { openFolder, replaceFile } from './export.ts';
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

/** File systems take 255 bytes, and an ending comes behind. */
const LONGEST = 200;

/** Names that Windows keeps for devices, whatever ending they have. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * A name that every file system takes, made of any text: what is no ASCII letter, digit or one of . _ - @ + is written
 * in percent encoding, and so is the first character of a name that would be hidden or reserved.
 */
export function safeName(text: string): string {
  const safe = text.replaceAll(/[^\w.@+-]/gu, percent).replace(/^\./, '%2E');
  const name = reserved.test(safe) ? `${percent(safe.charAt(0))}${safe.slice(1)}` : safe;
  if (name.length <= LONGEST) return name === '' ? '%' : name;
  return `${name.slice(0, LONGEST)}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/** Gives names one after the other; what falls together on a disk that does not tell capitals gets a number. */
export function createNames(): (text: string) => string {
  const taken = new Set<string>();
  return (text) => {
    const name = safeName(text);
    let free = name;
    for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name}-${number}`;
    taken.add(free.toLowerCase());
    return free;
  };
}

function percent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
