import { readConfig } from '../../config/file.ts';
import type { Folders } from '../../config/paths.ts';
import { parseProfileName, SANDBOX } from '../../config/profile-name.ts';
import type { Settings } from '../../config/resolve.ts';
import { profileNames } from '../../config/select-profile.ts';
import { settingTable } from '../../config/settings.ts';
import type { LocalSession } from '../../session.ts';
import { changeCacheFile, removeFromCache } from './cache-file.ts';
import { cacheText, linesFor, linesIn } from './cache-lines.ts';
import type { ListKind, Seen } from './remember.ts';

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
