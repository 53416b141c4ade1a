import { keyringAccount, openVault, type StoredCredential } from '../../auth/vault.ts';
import {
  type ConfigDocument,
  type StoredProfile,
  storedProfile,
  storedValue,
  updateConfig,
  withProfile,
} from '../../config/file.ts';
import { profileGuards, type Settings } from '../../config/resolve.ts';
import type { Setting } from '../../config/settings.ts';
import { SANDBOX } from '../../config/urls.ts';
import { CliError, ExitCode } from '../../model/errors.ts';
import { KeyringFailure, tryOut } from '../../model/ports.ts';
import { sameCommand } from '../../print/text.ts';
import { askForYes, confirm } from '../../session/consent.ts';
import { type LocalSession, settingsWith } from '../../session/session.ts';
import { forgetProfile } from '../remember.ts';

/** A profile to store. */
export interface Storing {
  readonly name: string;
  readonly profile: StoredProfile;
  /** Of the existing profile only the guards are kept; otherwise all settings that are not given here. */
  readonly replaces: boolean;
}

/**
 * Stores a profile with its credential. Writes the credential first: if the process is killed in between, a credential remains
 * bound to its own origins. Renews the caches of completions.
 *
 * @returns whether the profile is active.
 */
export async function storeProfile(
  storing: Storing,
  credential: StoredCredential,
  { folders, context, out }: LocalSession,
): Promise<boolean> {
  const { name } = storing;
  let active = false;
  const change = (document: ConfigDocument): ConfigDocument => {
    const active_profile = activeAfter(document, name);
    active = active_profile === name;
    return { ...withStored(document, storing), active_profile };
  };
  const vault = openVault(folders.config, name, context);
  const write = () => updateConfig(folders.config, change, context.signal);
  const left = await vault.replace(credential, write, context.signal);
  if (left !== undefined)
    await out.warn(`The secret that profile ${name} had in the keyring is still there: the keyring ${left}.`);
  forgetProfile(folders, name);
  return active;
}

/** What to tell about a stored profile: the guards that it keeps, and how to activate it. */
export function storedNotes(name: string, active: boolean, { config }: LocalSession): readonly string[] {
  const guards = [...profileGuards(config, name)].map(([{ key }, value]) => `${key} ${value}`);
  return [
    ...(guards.length === 0 ? [] : [`It keeps its guards: ${guards.join(', ')}.`]),
    ...(active ? [] : [`Not active: innctl profiles use ${name}`]),
  ];
}

/** The settings in effect once the profile is stored. @throws {CliError} exit 2 if one is invalid. */
export function settingsOf(storing: Storing, session: LocalSession): Settings {
  return settingsWith(session, withStored(session.config, storing), storing.name);
}

/** The document with the profile and its guards. */
function withStored(document: ConfigDocument, { name, profile, replaces }: Storing): ConfigDocument {
  const before = replaces ? undefined : storedProfile(document, name);
  const defaults = { ...before?.defaults, ...profile.defaults };
  const kept = Object.keys(defaults).length === 0 ? undefined : defaults;
  const complete = { ...before, ...profile, defaults: kept };
  return withProfile(document, name, withGuards(complete, profileGuards(document, name)));
}

/** Whether a profile has a service; it may have only guards and defaults. */
export function hasService(profile: StoredProfile): boolean {
  return profile['identity_url'] !== undefined || profile['base_url'] !== undefined;
}

/** The first profile becomes active. */
function activeAfter({ active_profile, profiles }: ConfigDocument, name: string): string | undefined {
  const isFirst = Object.keys(profiles).every((each) => each === SANDBOX);
  return active_profile === undefined && isFirst ? name : active_profile;
}

/** Adds guards to a profile with valid guards; the stricter one applies, and the new expected account. */
function withGuards(profile: StoredProfile, guards: ReadonlyMap<Setting, unknown>): StoredProfile {
  const kept = [...guards].map(([setting, value]) => {
    const own = storedValue(profile, setting);
    if (own !== undefined && setting.key === 'expect_account') return [setting.key, own];
    return [setting.key, setting.combine?.(own === undefined ? [value] : [value, own])];
  });
  return { ...profile, ...Object.fromEntries(kept) };
}

/**
 * Reports an invalid guard of a profile, asks before it is replaced, and finds the place for its secrets: the keyring account, or
 * `undefined` for the file. Tests the keyring before a browser opens or a secret is prompted for; the file needs consent.
 *
 * @param question asked if the profile is replaced.
 * @throws {CliError} exit 11 without consent.
 */
export async function prepareStoring(
  { name, replaces }: Pick<Storing, 'name' | 'replaces'>,
  question: string,
  { insecureStorage }: { readonly insecureStorage?: true | undefined },
  session: LocalSession,
): Promise<string | undefined> {
  const { context, folders, config } = session;
  profileGuards(config, name);
  if (replaces) await confirm(question, session);
  if (insecureStorage === true) return undefined;
  const account = keyringAccount(name, folders.config, context);
  try {
    await tryOut(context.keyring, account);
    return account;
  } catch (cause) {
    if (!(cause instanceof KeyringFailure)) throw cause;
    await consentToFile(`The keyring of this system ${cause.message}.`, session);
    return undefined;
  }
}

async function consentToFile(trouble: string, session: LocalSession): Promise<void> {
  if (!session.mayAsk())
    throw new CliError('consent_missing', `${trouble} Storing secrets in a file instead requires consent.`, {
      exitCode: ExitCode.blocked,
      hint: `To store them unencrypted in credentials.json: ${sameCommand(session.context.argv, '--insecure-storage')}`,
    });
  await session.out.note(trouble);
  const question = 'Keep the secret unencrypted in credentials.json, which only you may read?';
  await askForYes(question, session.context);
}
