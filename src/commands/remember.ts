import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalSession } from '../cli/session.ts';
import { readConfig } from '../config/file.ts';
import type { Folders } from '../config/paths.ts';
import { profileNames, type Settings } from '../config/resolve.ts';
import { settingTable } from '../config/settings.ts';
import { parseProfileName, SANDBOX } from '../config/values.ts';
import { preparePrivateFolder, refuseLink } from '../fs/private-folder.ts';
import { replaceFile, sweepDrafts } from '../fs/replace.ts';
import { isRecord, type Page, type ServiceRecord, weightOf } from '../model/records.ts';
import { clip, hasHidden, neutraliseLine } from '../out/text.ts';
import type { CacheKind } from '../reference/values.ts';
import type { Query } from '../service/dialect.ts';
import type { Extent } from '../service/paging.ts';

/** The lists whose values are kept for completions. */
type ListKind = Exclude<CacheKind, 'profiles'>;

/** One value of a list, as the service gave it, and what it is called. */
interface SeenValue {
  readonly value: unknown;
  readonly name?: unknown;
}

/** What the service sent of a list. */
interface Seen {
  readonly kind: ListKind;
  /** The first ones, in their order. */
  readonly values: readonly SeenValue[];
  /** Whether there are no others. */
  readonly isWhole: boolean;
}

/** A list, and which part of it was requested. */
export interface Listed {
  readonly kind: ListKind;
  readonly filter: Query;
  readonly extent: Extent;
  readonly pages: AsyncIterable<Page>;
}

/** Most values of a list that are kept. */
const MOST_VALUES = 5_000;

/** Most text that is collected of a list, code units: a hostile service may send huge names. */
const MOST_WEIGHT = 4 * 1_048_576;

const valueIn = {
  properties: ({ id, name }) => ({ value: id, name }),
  roles: ({ name }) => ({ value: name }),
  countries: ({ code, name }) => ({ value: code, name }),
  'user-emails': ({ email }) => ({ value: email }),
  'invitation-emails': ({ email }) => ({ value: email }),
} as const satisfies Record<ListKind, (record: ServiceRecord) => SeenValue>;

/** Keeps what a printed list showed for completions, see docs/adr/0012; an unfinished list keeps nothing. */
export function rememberList(
  session: Pick<LocalSession, 'context' | 'folders' | 'settings'>,
  seen: Seen,
): void {
  quietly(() => keepList(session, seen));
}

/** Keeps the names of the profiles, and which is active. */
export function rememberProfiles(folders: Folders): void {
  quietly(() => keepProfiles(folders));
}

/** Forgets what the lists of a profile showed, when it is removed or becomes another service. */
export function forgetProfile(folders: Folders, name: string): void {
  quietly(() => dropProfile(folders, name));
}

/** Completions are a courtesy: a failure to keep them is not one of the command that succeeded. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The next list tries again.
  }
}

/** Passes the pages of a list on, and collects what completions need of them. */
export function watchList({ kind, filter, extent, pages }: Listed) {
  const values: SeenValue[] = [];
  let weight = 0;
  const keep = (record: ServiceRecord) => {
    if (values.length === MOST_VALUES || weight > MOST_WEIGHT) return;
    const value = valueIn[kind](record);
    weight += weightOf(value);
    values.push(value);
  };
  let listed = 0;
  let isCut = Object.values(filter).some((each) => each !== undefined);
  let isRead = false;
  const passing = async function* () {
    let total: number | undefined;
    for await (const page of pages) {
      const records = page.whole ?? page.items;
      for (const record of records) keep(record);
      listed += records.length;
      total = page.total ?? total;
      isCut ||= page.whole === undefined && (page.truncated || extent.pageNumber !== undefined);
      yield page;
    }
    isCut ||= total !== undefined && total > listed;
    isRead = true;
  };
  return { pages: passing(), seen: (): Seen => ({ kind, values, isWhole: isRead && !isCut }) };
}

const BY_PROFILE = 'by-profile';

/** The owner if environment variables name the service; no profile can have this name. */
const ENVIRONMENT = '_environment';

const emails: readonly ListKind[] = ['user-emails', 'invitation-emails'];

/**
 * Keeps what a list showed: a whole list replaces what was kept, a part adds to it. Addresses are kept only if the settings
 * say so; otherwise those that were kept before are removed.
 *
 * @throws the system's error. The profiles are kept in any case.
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
function keepProfiles({ config, state }: Folders): void {
  const document = readConfig(config);
  const names = profileNames(document).filter(isName);
  const active = names.filter((name) => name === document.active_profile);
  const files = { profiles: names, active };
  for (const [file, values] of Object.entries(files))
    changeCacheFile(state, [file], () => cacheText(values.map((value) => ({ value, description: '' }))));
}

/** Removes what is kept of a profile. @throws what the disk refuses. */
function dropProfile({ state }: Folders, name: string): void {
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

/** A settings file may hold any name; only these may become a path. */
function isName(name: string): boolean {
  return 'value' in parseProfileName(name);
}

/** More than our own largest file has; what is larger is not ours. */
const LARGEST = 8 * 1024 * 1024;

/** Age of a draft that a killed process left: writing takes milliseconds. */
const DEAD_MS = 60_000;

/** A file or folder below the folder of completions, by the names on the way. */
export type CachePath = readonly [...folders: string[], name: string];

/**
 * Changes a file of the cache, atomically and for its owner alone. An unchanged text is not written.
 *
 * @param change gets the text of the file; empty if there is none.
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
 * Removes a file or a folder of the cache, if it exists.
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

/** `undefined` for anything that cannot be our file: a pipe would block, and a link leads elsewhere. */
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
  // Masking all texts at once is cheaper than one by one.
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

/** Cut before and after: a name may be huge, and hidden characters make it longer. */
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
