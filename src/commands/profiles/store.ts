import { forgetCredential, replaceCredential } from '../../auth/replace.ts';
import type { Facts, Secrets } from '../../config/credentials.ts';
import {
  type ConfigDocument,
  type StoredProfile,
  storedProfile,
  storedValue,
  withProfile,
} from '../../config/document.ts';
import { updateConfig } from '../../config/file.ts';
import { SANDBOX } from '../../config/profile-name.ts';
import { profileNames } from '../../config/select-profile.ts';
import { settingTable } from '../../config/settings.ts';
import type { LocalSession } from '../../session.ts';
import { guardsOf, withGuards } from './kept-guards.ts';

/** A profile that is to be stored. */
export interface Storing {
  readonly name: string;
  readonly profile: StoredProfile;
  /** The profile of that name keeps the settings that this one does not mention; otherwise its guards alone. */
  readonly completes?: boolean;
  /** Where it is missing the profile keeps no credential. */
  readonly credential?: StoredCredential | undefined;
}

/** What a profile keeps of a credential. */
export interface StoredCredential {
  readonly facts: Facts;
  readonly secrets: Secrets;
}

/**
 * Stores a profile with its credential; without one, what it had is forgotten. The credential first: a profile never stands without its own, and one that is left
 * beside the settings of another service by a process that was killed goes to its own origins alone.
 *
 * @returns whether the profile is the active one.
 */
export async function storeProfile(
  storing: Storing,
  { folders, context, out }: LocalSession,
): Promise<boolean> {
  const { name } = storing;
  let active = false;
  const change = (document: ConfigDocument): ConfigDocument => {
    const active_profile = activeAfter(document, name);
    active = active_profile === name;
    return { ...withStored(document, storing), active_profile };
  };
  const owner = { folder: folders.config, profile: name, context };
  const keep = () => updateConfig(folders.config, change, context.signal);
  const left =
    storing.credential === undefined
      ? await forgetCredential(owner, keep)
      : await replaceCredential(owner, storing.credential, keep);
  if (left !== undefined)
    await out.warn(`The secret that profile ${name} had in the keyring is still there: the keyring ${left}.`);
  return active;
}

/** A document in which the profile is stored; it keeps its guards. */
export function withStored(document: ConfigDocument, storing: Storing): ConfigDocument {
  const { name } = storing;
  const profile = completing(storedProfile(document, name), storing);
  return withProfile(document, name, withGuards(profile, guardsOf(document, name)));
}

/** Whether a profile knows where its service is; it may hold nothing but guards and defaults. */
export function hasService(profile: StoredProfile): boolean {
  const { identity_url, base_url } = settingTable;
  return [identity_url, base_url].some((setting) => storedValue(profile, setting) !== undefined);
}

function activeAfter({ active_profile, profiles }: ConfigDocument, name: string): string | undefined {
  const others = profileNames({ version: 1, profiles }).filter((each) => each !== SANDBOX);
  return active_profile === undefined && others.length === 0 ? name : active_profile;
}

/** Settings that were kept before there was a service for them stay; a service is replaced as a whole. */
function completing(
  before: StoredProfile | undefined,
  { profile, completes = false }: Storing,
): StoredProfile {
  if (before === undefined || (hasService(before) && !completes)) return profile;
  const defaults = { ...before.defaults, ...profile.defaults };
  return { ...before, ...profile, ...(Object.keys(defaults).length === 0 ? {} : { defaults }) };
}
