import { replaceCredential } from '../../auth/replace.ts';
import { keyringAccount } from '../../auth/vault.ts';
import { confirm } from '../../cli/consent.ts';
import { CliError } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import { KeyringFailure, tryOut } from '../../cli/ports.ts';
import { type LocalSession, settingsWith } from '../../cli/session.ts';
import type { Facts, Secrets } from '../../config/credentials.ts';
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
import { sameCommand } from '../../print/text.ts';
import { forgetProfile } from '../remember.ts';

/** Reports an invalid guard of a profile, and asks before it is changed for another service. */
export async function confirmChange(
  name: string,
  question: string | undefined,
  session: LocalSession,
): Promise<void> {
  profileGuards(session.config, name);
  if (question !== undefined) await confirm(question, session);
}

/** A profile to store. */
export interface Storing {
  readonly name: string;
  readonly profile: StoredProfile;
  /** Keep settings of the existing profile that are not given here; otherwise only its guards. */
  readonly completes?: boolean;
}

/** A credential to store. */
export interface StoredCredential {
  readonly facts: Facts;
  readonly secrets: Secrets;
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
  const owner = { folder: folders.config, profile: name, context };
  const left = await replaceCredential(owner, credential, () =>
    updateConfig(folders.config, change, context.signal),
  );
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
function withStored(document: ConfigDocument, storing: Storing): ConfigDocument {
  const { name } = storing;
  const profile = completing(storedProfile(document, name), storing);
  return withProfile(document, name, withGuards(profile, profileGuards(document, name)));
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

/** A profile without a service keeps its settings; a service is replaced as a whole. */
function completing(
  before: StoredProfile | undefined,
  { profile, completes = false }: Storing,
): StoredProfile {
  if (before === undefined || (hasService(before) && !completes)) return profile;
  const defaults = { ...before.defaults, ...profile.defaults };
  return { ...before, ...profile, ...(Object.keys(defaults).length === 0 ? {} : { defaults }) };
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
 * Where to store the secrets of a profile: the keyring account, or `undefined` for the file. Tests the keyring before a
 * browser opens or a secret is prompted for; the file needs consent.
 *
 * @throws {CliError} exit 11 without consent.
 */
export async function storageFor(
  name: string,
  { insecureStorage }: { readonly insecureStorage?: true },
  session: LocalSession,
): Promise<string | undefined> {
  if (insecureStorage === true) return undefined;
  const { context, folders } = session;
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
  const { argv, prompter, stdin } = session.context;
  if (!session.mayAsk()) {
    const input = stdin.spent ? ' (with the same input)' : '';
    throw new CliError('consent_missing', `${trouble} Storing secrets in a file instead requires consent.`, {
      exitCode: ExitCode.blocked,
      hint: `To store them unencrypted in credentials.json: ${sameCommand(argv, '--insecure-storage')}${input}`,
    });
  }
  await session.out.note(trouble);
  if (await prompter.confirm('Keep the secret unencrypted in credentials.json, which only you may read?'))
    return;
  throw new CliError('declined', 'Nothing was done.', { exitCode: ExitCode.blocked });
}
