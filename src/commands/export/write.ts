import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CliError } from '../../cli/errors.ts';
import type { Session } from '../../cli/session.ts';
import { makeFolder, refuseLink } from '../../fs/private-folder.ts';
import { reasonOf } from '../../fs/read.ts';
import { draftsIn, replaceFile } from '../../fs/replace.ts';
import { groupBy } from '../../model/records.ts';
import { andList, counted } from '../../model/text.ts';
import type { Output } from '../../out/output.ts';
import { type Entry, kinds, listed } from '../../seed/entry.ts';
import { filesIn, type Language } from '../../seed/files.ts';
import { entryKinds } from '../../seed/kind.ts';
import { entryText, lostFields, manifestText } from '../../seed/write.ts';
import type { Wanted } from './export.ts';
import type { Gathered } from './gather.ts';

/** Writes a manifest to stdout, or to the folder of --split. */
export async function writeExport(
  gathered: Gathered,
  { format, folder, kinds: wanted }: Wanted,
  session: Session,
): Promise<void> {
  if (folder !== undefined) return writeFolder(gathered, format, folder, session);
  const { entries, report } = gathered;
  const { context, globals, out } = session;
  await warnOfLosses(entries, format, out);
  const text = await manifestText(entries, format, { lists: wanted, leftOut: report.gaps });
  if (globals.query !== undefined) return out.document(JSON.parse(text));
  await context.stdout.write(text);
}

async function warnOfLosses(entries: readonly Entry[], format: Language, out: Output): Promise<void> {
  const lost = lostFields(entries, format);
  if (lost.length === 0) return;
  await out.warn(`Omitted because a table cannot hold these fields, --output yaml can: ${lost.join(', ')}.`);
}

const MOST_NAMED = 10;

/**
 * Writes a manifest to a folder: in YAML and JSON one file per entry, in NDJSON and CSV one for the properties and one
 * for the people. Replaces existing files atomically; warns of other manifests there.
 *
 * @throws {CliError} `not_written` or `symlink`, with the path.
 */
async function writeFolder(
  gathered: Gathered,
  format: Language,
  folder: string,
  { context, out }: Session,
): Promise<void> {
  const { entries } = gathered;
  openFolder(folder);
  const opened = new Set([folder]);
  const written = new Set<string>();
  for await (const { path, text } of filesOf(gathered, format)) {
    context.signal.throwIfAborted();
    const own = join(folder, ...path.slice(0, -1));
    if (!opened.has(own)) openOwnFolder(own);
    opened.add(own);
    const whole = join(folder, ...path);
    writing(whole, () => replaceFile(whole, text, { lasting: false, shared: true }));
    written.add(whole);
  }
  for (const own of tablesOf(entries).values()) await warnOfLosses(own, format, out);
  await warnOfOthers(folder, written, out);
  const counts = kinds.map((kind) => [kind, entries.filter((entry) => entry.kind === kind).length] as const);
  const parts = counts.map(([kind, count]) => counted(count, kind, entryKinds[kind].several));
  const sentence = `Exported ${andList(parts)} to ${folder}.`;
  if (format !== 'json' && format !== 'ndjson') return out.note(sentence);
  const facts = Object.fromEntries(counts.map(([kind, count]) => [entryKinds[kind].several, count]));
  return out.done(sentence, { folder, files: written.size, ...facts });
}

/** The tables of a folder, by their names. */
function tablesOf(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  return groupBy(entries, ({ kind }) => (kind === 'property' ? 'properties' : 'people'));
}

/** The files of a folder; each path is below it. */
async function* filesOf({ entries, report }: Gathered, format: Language) {
  if (format === 'csv' || format === 'ndjson') {
    for (const [name, own] of tablesOf(entries))
      yield { path: [`${name}.${format}`], text: await manifestText(own, format, { leftOut: report.gaps }) };
    return;
  }
  const taken = new Set<string>();
  for (const entry of entries) {
    const list = entryKinds[entry.kind].several;
    const file = freeName(`${list}/`, entry.name, taken);
    yield { path: [list, `${file}.${format}`], text: await entryText(entry, format) };
  }
}

/** Younger drafts may be those of another export. */
const STALE_DRAFT_MS = 60_000;

/** Makes the folder, and removes what a killed export left in it. */
function openFolder(path: string): void {
  writing(path, () => {
    makeFolder(path, 0o777);
    for (const draft of draftsIn(path, STALE_DRAFT_MS)) rmSync(draft, { force: true });
  });
}

/** A link below the given folder must not lead out of it. */
function openOwnFolder(path: string): void {
  writing(path, () => refuseLink(path, 'Remove the link, or use another folder.'));
  openFolder(path);
}

function writing<Made>(path: string, work: () => Made): Made {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError('not_written', `Could not write ${path}: ${reasonOf(cause)}.`, { cause });
  }
}

/** `apply` with the folder would read them. A failed search is ignored: the export is complete. */
async function warnOfOthers(folder: string, written: ReadonlySet<string>, out: Output): Promise<void> {
  const others: string[] = [];
  try {
    for await (const { path } of filesIn(folder)) if (!written.has(path)) others.push(relative(folder, path));
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    await out.warn(cause.message);
  }
  if (others.length === 0) return;
  const named = listed(others, MOST_NAMED);
  await out.warn(`${folder} contains other manifest files, which this export did not write: ${named}.`);
}

/** File systems allow 255 bytes, including the extension. */
const LONGEST = 200;

/** Device names of Windows, with any extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * A file name valid on every file system: characters other than ASCII letters, digits and . _ - @ + are
 * percent-encoded, and so is the first character of a hidden or reserved name.
 */
export function safeName(text: string): string {
  const safe = text.replaceAll(/[^\w.@+-]/gu, percent).replace(/^\./, '%2E');
  const name = reserved.test(safe) ? `${percent(safe.charAt(0))}${safe.slice(1)}` : safe;
  if (name.length <= LONGEST) return name === '' ? '%' : name;
  return `${name.slice(0, LONGEST)}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/**
 * A unique file name, numbered if it differs from another one only in case.
 *
 * @param taken receives the name with its folder.
 */
export function freeName(before: string, text: string, taken: Set<string>): string {
  const name = safeName(text);
  const key = (each: string) => `${before}${each.toLowerCase()}`;
  let free = name;
  for (let number = 2; taken.has(key(free)); number += 1) free = `${name}-${number}`;
  taken.add(key(free));
  return free;
}

function percent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
