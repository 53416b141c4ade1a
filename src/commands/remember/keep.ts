import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalSession } from '../../cli/session.ts';
import { readConfig } from '../../config/file.ts';
import type { Folders } from '../../config/paths.ts';
import { profileNames, type Settings } from '../../config/resolve.ts';
import { settingTable } from '../../config/settings.ts';
import { parseProfileName, SANDBOX } from '../../config/values.ts';
import { preparePrivateFolder, refuseLink } from '../../fs/private-folder.ts';
import { replaceFile, sweepDrafts } from '../../fs/replace.ts';
import { isRecord } from '../../model/records.ts';
import { clip, hasHidden, neutraliseLine } from '../../out/text.ts';
import { type ListKind, MOST_VALUES, type Seen, type SeenValue } from './remember.ts';

const BY_PROFILE = 'by-profile';

/** Stands for the service that variables name; no profile can have this name. */
const ENVIRONMENT = '_environment';

const emails: readonly ListKind[] = ['user-emails', 'invitation-emails'];

/**
 * Keeps what a list showed: all of it replaces what is there, a part adds to it. Addresses are kept where that is asked
 * for; otherwise those that were kept before are removed.
 *
 * @throws what the disk refuses. The profiles are kept all the same.
 */
export function keepList(
  { context, folders, settings }: Pick<LocalSession, 'context' | 'folders' | 'settings'>,
  { kind, values, isWhole }: Seen,
): void {
  try {
    const known = settings();
    const owner = ownerOf(known);
    if (owner === undefined) return;
    if (emails.includes(kind) && !known.completeEmails.value) {
      for (const each of emails) removeFromCache(folders.state, [BY_PROFILE, owner, each]);
      return;
    }
    const lines = linesFor(values, context.redactor.text);
    changeCacheFile(folders.state, [BY_PROFILE, owner, kind], (before) =>
      cacheText(isWhole ? lines : [...lines, ...linesIn(before)]),
    );
  } finally {
    keepProfiles(folders);
  }
}

/**
 * Keeps the names of the profiles and the active one, as the settings file has them now.
 *
 * @throws what the disk refuses; {CliError} when the settings file cannot be read.
 */
export function keepProfiles({ config, state }: Folders): void {
  const document = readConfig(config);
  const names = profileNames(document).filter(isName);
  const active = names.filter((name) => name === document.active_profile);
  const files = { profiles: names, active };
  for (const [file, values] of Object.entries(files))
    changeCacheFile(state, [file], () => cacheText(values.map((value) => ({ value, description: '' }))));
}

/** Removes what is kept of a profile. @throws what the disk refuses. */
export function dropProfile({ state }: Folders, name: string): void {
  if (isName(name)) removeFromCache(state, [BY_PROFILE, name]);
}

/** Whose values they are: what completions look for under the same circumstances. */
function ownerOf({ sandbox, profile, identityUrl, baseUrl }: Settings): string | undefined {
  if (sandbox) return SANDBOX;
  const isExported =
    identityUrl?.source === settingTable.identity_url.env || baseUrl?.source === settingTable.base_url.env;
  if (isExported) return ENVIRONMENT;
  return profile !== undefined && isName(profile.value) ? profile.value : undefined;
}

/** A settings file may hold any name; none but these may become a path. */
function isName(name: string): boolean {
  return 'value' in parseProfileName(name);
}

/** More than our own largest file has; what is larger is not ours. */
const LARGEST = 8 * 1024 * 1024;

/** Writing takes milliseconds: whoever left a draft for so long was killed. */
const DEAD_MS = 60_000;

/** A file or folder below the folder of completions, by the names on the way. */
export type CachePath = readonly [...folders: string[], name: string];

/**
 * Changes a file of the cache, atomically and for its owner alone. Where the text stays the same nothing is written.
 *
 * @param change gets what the file holds; nothing where it is none.
 * @throws the system's error; {CliError} `symlink` when a folder is a symbolic link. What was there stays.
 */
export function changeCacheFile(state: string, names: CachePath, change: (before: string) => string): void {
  const folders = foldersOf(state, names);
  const path = pathIn(folders, names);
  const before = readOwn(path);
  const after = change(before ?? '');
  // Mostly: a list shows what the same list showed before.
  if (after === before) return;
  folders.forEach(preparePrivateFolder);
  sweepDrafts(path, DEAD_MS);
  // What a power cut takes, the next list brings back.
  replaceFile(path, after, { lasting: false });
}

/**
 * Removes a file or a folder of the cache, if it is there.
 *
 * @throws like `changeCacheFile`.
 */
function removeFromCache(state: string, names: CachePath): void {
  const folders = foldersOf(state, names);
  const path = pathIn(folders, names);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  folders.forEach(refuseLink);
  rmSync(path, { recursive: true, force: true });
}

/** The folders on the way to it, the outermost first. */
function foldersOf(state: string, names: CachePath): readonly string[] {
  const root = join(state, 'completion');
  return [root, ...names.slice(0, -1).map((_, index) => join(root, ...names.slice(0, index + 1)))];
}

function pathIn(folders: readonly string[], names: CachePath): string {
  return join(folders.at(-1) ?? '', names.at(-1) ?? '');
}

/** `undefined` for everything but a file that may be ours: a pipe must hold nobody up, and a link leads elsewhere. */
function readOwn(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size > LARGEST) return undefined;
  return readFileSync(path, 'utf8');
}

/** A line of a file that completions read: `BER<TAB>Grand Hotel Berlin`. */
export interface CacheLine {
  readonly value: string;
  /** What it is, for people; may be empty. */
  readonly description: string;
}

const LONGEST_VALUE = 200;
const LONGEST_DESCRIPTION = 80;

/**
 * What was seen, as lines. A value that a shell's screen could not show as it is, and one that holds a secret, is
 * left out.
 *
 * @param clean masks secrets.
 */
function linesFor(values: readonly SeenValue[], clean: (text: string) => string): readonly CacheLine[] {
  const lines = values.map(({ value, name }) => ({ value: textOf(value), name: nameIn(name) }));
  // One look at all is cheaper than one at each.
  const all = lines.map(({ value, name }) => `${value}\n${name}`).join('\n');
  const cleanText = clean(all) === all ? (text: string) => text : clean;
  return lines.flatMap(({ value, name }) => {
    if (!isShowable(value) || cleanText(value) !== value) return [];
    return [{ value, description: descriptionOf(cleanText(name)) }];
  });
}

/** The lines as the text of a file: each value once, as its first line has it, and 5,000 of them at most. */
function cacheText(lines: readonly CacheLine[]): string {
  const byValue = new Map<string, string>();
  for (const { value, description } of lines) {
    if (byValue.size === MOST_VALUES) break;
    if (!byValue.has(value)) byValue.set(value, description);
  }
  return [...byValue].map(([value, description]) => `${value}\t${description}\n`).join('');
}

/** The lines that a file holds; what is none of ours is left out. */
function linesIn(text: string): readonly CacheLine[] {
  return text.split('\n').flatMap((line) => {
    const [, value = '', name = ''] = /^([^\t]*)\t(.*)$/.exec(line) ?? [];
    return isShowable(value) ? [{ value, description: descriptionOf(name) }] : [];
  });
}

function isShowable(value: string): boolean {
  return value.trim() !== '' && value.length <= LONGEST_VALUE && !/[\n\t]/.test(value) && !hasHidden(value);
}

/** Cut before and after: a name may be huge, and grows where it has hidden characters. */
function descriptionOf(name: string): string {
  return clipped(neutraliseLine(clipped(name)));
}

function clipped(line: string): string {
  return line.length <= LONGEST_DESCRIPTION ? line : clip(line, LONGEST_DESCRIPTION - 1);
}

/** A language map gives its English text, else its first. */
function nameIn(name: unknown): string {
  if (!isRecord(name)) return textOf(name);
  const texts = Object.hasOwn(name, 'en') ? [name['en'], ...Object.values(name)] : Object.values(name);
  return textOf(texts.find((text) => typeof text === 'string'));
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : '';
}
