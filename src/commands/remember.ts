import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Folders } from '../config/file.ts';
import type { Settings } from '../config/resolve.ts';
import { settingTable } from '../config/settings.ts';
import { parseProfileName, SANDBOX } from '../config/urls.ts';
import { preparePrivateFolder, quietly, refuseLink, replaceFile, sweepDrafts } from '../fs/replace.ts';
import { isRecord, type Page } from '../model/records.ts';
import { translationIn } from '../print/cells.ts';
import { clip, neutraliseLine } from '../print/text.ts';
import { type CachedLine, isCacheable, linesIn, linesText, MOST_LINES } from '../reference/complete.ts';
import type { CacheKind } from '../reference/values.ts';
import type { Query } from '../service/dialect.ts';
import type { Extent } from '../service/paging.ts';
import type { LocalSession } from '../session/session.ts';

/** The lists whose values are cached for completions. */
type ListKind = Exclude<CacheKind, 'profiles'>;

/** A list, and the requested part. */
export interface Listed {
  readonly kind: ListKind;
  readonly filter: Query;
  readonly extent: Extent;
  readonly pages: AsyncIterable<Page> | Iterable<Page>;
}

type Local = Pick<LocalSession, 'context' | 'folders' | 'settings'>;

/** Maximum text collected from a list, code units: a hostile service may send huge names. */
const MOST_WEIGHT = 4 * 1_048_576;

/** The fields of a record that are cached: its value, and its description if it has one. */
const cachedFields: Readonly<Record<ListKind, readonly [value: string, name?: string]>> = {
  properties: ['id', 'name'],
  roles: ['name'],
  countries: ['code', 'name'],
  'user-emails': ['email'],
  'invitation-emails': ['email'],
  'unit-groups': ['id', 'name'],
  units: ['id', 'name'],
  'unit-attributes': ['id', 'name'],
};

/** Passes pages on; caches their values for completions once all are read. */
export async function* rememberedPages({ kind, filter, extent, pages }: Listed, session: Local) {
  const [field, named] = cachedFields[kind];
  const lines: CachedLine[] = [];
  let weight = 0;
  let listed = 0;
  let total: number | undefined;
  let isWhole = Object.values(filter).every((each) => each === undefined);
  for await (const page of pages) {
    const records = page.whole ?? page.items;
    for (const record of records) {
      if (lines.length === MOST_LINES || weight > MOST_WEIGHT) break;
      const [value, description] = [textOf(record[field]), nameText(named && record[named])];
      weight += value.length + description.length;
      lines.push({ value, description });
    }
    listed += records.length;
    total = page.total ?? total;
    isWhole &&= page.whole !== undefined || !(page.truncated || extent.pageNumber !== undefined);
    yield page;
  }
  isWhole &&= total === undefined || total <= listed;
  // Caching is optional: its failure must not fail the command, and the next list retries.
  quietly(() => keepList(kind, lines, isWhole, session));
}

/** Deletes the cached values of a profile that is removed or gets another service. */
export function forgetProfile({ state }: Folders, name: string): void {
  if (isName(name)) quietly(() => removeFromCache(state, name));
}

const emails: readonly ListKind[] = ['user-emails', 'invitation-emails'];

/**
 * Caches values of a list: a complete list replaces the cache, a part adds to it. Addresses are cached only if the
 * settings allow it; otherwise cached ones are removed.
 *
 * @param lines the first values, in order.
 * @throws the system's error.
 */
export function keepList(
  kind: ListKind,
  lines: readonly CachedLine[],
  isWhole: boolean,
  { context, folders: { state }, settings }: Local,
): void {
  const known = settings();
  const owner = ownerOf(known);
  if (owner === undefined) return;
  if (emails.includes(kind) && !known.completeEmails.value) {
    for (const each of emails) removeFromCache(state, owner, each);
    return;
  }
  const fresh = cacheable(lines, context.redactor.text);
  changeCacheFile(state, owner, kind, (before) =>
    linesText(isWhole ? fresh : [...fresh, ...linesIn(before)]),
  );
}

/** The owner if variables define the service; not a valid profile name. */
const ENVIRONMENT = '_environment';

/** The owner of the values, as completions determine it. */
function ownerOf({ sandbox, profile, identityUrl, baseUrl }: Settings): string | undefined {
  if (sandbox) return SANDBOX;
  const isExported =
    identityUrl?.source === settingTable.identity_url.env || baseUrl?.source === settingTable.base_url.env;
  if (isExported) return ENVIRONMENT;
  return profile !== undefined && isName(profile.value) ? profile.value : undefined;
}

/** Only these names may become a path; a settings file may contain others. */
function isName(name: string): boolean {
  return 'value' in parseProfileName(name);
}

/** Maximum size of a cache file; larger ones are not ours. */
const LARGEST = 8 * 1024 * 1024;

/** Age of a draft left by a killed process: writing takes milliseconds. */
const DEAD_MS = 60_000;

/**
 * Changes a cache file atomically, readable only by its owner. Does not write unchanged text.
 *
 * @param change receives the current text; empty if there is none.
 * @throws the system's error; {CliError} `symlink` if a folder is a symbolic link. The file is unchanged then.
 */
export function changeCacheFile(
  state: string,
  owner: string,
  kind: ListKind,
  change: (before: string) => string,
): void {
  const folders = cacheFolders(state, owner);
  const path = join(folders[2], kind);
  const found = lstatSync(path, { throwIfNoEntry: false });
  // Anything but a regular file is not read: a pipe would block, and a link leads elsewhere.
  const isOurs = found?.isFile() === true && found.size <= LARGEST;
  const before = isOurs ? readFileSync(path, 'utf8') : undefined;
  const after = change(before ?? '');
  // The usual case: the list has not changed.
  if (after === before) return;
  folders.forEach(preparePrivateFolder);
  sweepDrafts(path, DEAD_MS);
  // No fsync: after a power failure the next list restores it.
  replaceFile(path, after, { lasting: false });
}

/** Removes the cached values of an owner, or of one list. @throws like `changeCacheFile`. */
function removeFromCache(state: string, owner: string, kind: ListKind | '' = ''): void {
  const folders = cacheFolders(state, owner);
  const path = join(folders[2], kind);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  for (const folder of kind === '' ? folders.slice(0, 2) : folders) refuseLink(folder);
  rmSync(path, { recursive: true, force: true });
}

/** The folders around the cache files of an owner, outermost first. */
function cacheFolders(state: string, owner: string): readonly [string, string, string] {
  const all = join(state, 'completion');
  const byProfile = join(all, 'by-profile');
  return [all, byProfile, join(byProfile, owner)];
}

/**
 * The lines without values that a shell cannot display as they are or that contain a secret.
 *
 * @param clean masks secrets.
 */
function cacheable(lines: readonly CachedLine[], clean: (text: string) => string): readonly CachedLine[] {
  // Masking all texts together is faster.
  const all = lines.map(({ value, description }) => `${value}\n${description}`).join('\n');
  const cleanText = clean(all) === all ? (text: string) => text : clean;
  return lines
    .filter(({ value }) => isCacheable(value) && cleanText(value) === value)
    .map(({ value, description }) => ({ value, description: shortened(cleanText(description)) }));
}

const LONGEST_DESCRIPTION = 79;

/** Cuts before and after neutralising: names may be huge, and escapes make them longer. */
function shortened(name: string): string {
  return clip(neutraliseLine(clip(name, LONGEST_DESCRIPTION)), LONGEST_DESCRIPTION);
}

/** A name may be a text for each language. */
function nameText(name: unknown): string {
  return textOf(isRecord(name) ? translationIn(name) : name);
}

function textOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : '';
}
