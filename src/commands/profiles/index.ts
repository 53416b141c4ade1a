import { type Credential, readCredential, secretsStored } from '../../config/credentials.ts';
import {
  type ConfigDocument,
  type StoredProfile,
  storedProfile,
  storedValue,
  updateConfig,
} from '../../config/file.ts';
import { isBuiltIn, profileNames, unknownProfile } from '../../config/resolve.ts';
import { settings, settingTable } from '../../config/settings.ts';
import { SANDBOX } from '../../config/urls.ts';
import { usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Shape } from '../../print/output.ts';
import { localCommand } from '../../session/command-line.ts';
import { withLocalChange, withLocalSession } from '../../session/session.ts';
import { currentProfile } from '../auth/current.ts';
import { groupOf } from '../options.ts';
import { forgetProfile } from '../remember.ts';

/** `profiles ...`: manage services, credentials and settings. */
export const profilesCommands = groupOf({
  names: 'profiles profile',
  summary: 'manage profiles',
  description: 'Manage profiles: named services with their credentials and settings.',
  examples: ['profiles add chain', 'profiles use chain', 'profiles list'],
  verbs: {
    'list ls': async () => listProfiles,
    'add new': async () => (await import('./add.ts')).addProfile,
    use: async () => useProfile,
    'show get': async () => showProfile,
    'remove rm': async () => removeProfile,
  },
});

/** `profiles list`: all profiles, including the sandbox. */
function listProfiles(context: Context) {
  return localCommand('list ls', 'reads', ['profiles list', 'profiles list --json'])
    .summary('list profiles')
    .description('List all profiles, including the built-in sandbox.')
    .action(
      withLocalSession(context, async ({ config, out }) => {
        const items = profileNames(config).map((name) => profileRecord(config, name));
        await out.records(profileShape, onePage(items));
      }),
    );
}

const guards = [
  { field: 'protect', header: 'Protected' },
  { field: 'freeze', header: 'Frozen' },
];

/** How profiles are listed. */
const profileShape: Shape = {
  noun: ['profile', 'profiles'],
  columns: columnsOf('name active identity_url base_url dialect auth safety protect freeze', guards),
  table: columnsOf('name active base_url auth dialect safety protect freeze identity_url', [
    ...guards,
    { field: 'active', header: 'Active', tones: { yes: 'good' } },
    { field: 'base_url', header: 'Base URL', isCutLast: true },
  ]),
};

/** A profile from the settings file; only known settings, so that nothing else is shown. */
function profileRecord(document: ConfigDocument, name: string): ServiceRecord {
  const profile = storedProfile(document, name) ?? {};
  const known = settings
    .filter((setting) => !isBuiltIn(setting, name))
    .map((setting) => [setting.key, storedValue(profile, setting)] as const);
  return {
    name,
    active: document.active_profile === name,
    dialect: 'contract',
    ...Object.fromEntries(known.filter(([, value]) => value !== undefined)),
  };
}

/** `profiles use <name>`: set the active profile. */
function useProfile(context: Context) {
  return localCommand('use', 'writes', ['profiles use chain', 'profiles use sandbox'])
    .exitsWith('unavailable')
    .summary('set the active profile')
    .description('Set the profile for commands that do not name one.')
    .argument('<name>', 'profile')
    .action(
      withLocalChange(context, async ({ folders, out }, name) => {
        await updateConfig(folders.config, (document) => activated(document, name), context.signal);
        const variable = settingTable.profile.env;
        const exported = context.env[variable] ?? '';
        if (exported !== '' && exported !== name) await out.warn(`${variable}=${exported} overrides it.`);
        await out.done(`Profile ${name} is active now.`, { active_profile: name });
      }),
    );
}

function activated(document: ConfigDocument, name: string): ConfigDocument {
  if (!profileNames(document).includes(name)) throw unknownProfile(name, document);
  return document.active_profile === name ? document : { ...document, active_profile: name };
}

/** `profiles show [name]`: show a stored profile. Secrets are not shown. */
function showProfile(context: Context) {
  return localCommand('show get', 'reads', ['profiles show', 'profiles show chain --json'])
    .summary('show a profile')
    .description('Show what is stored for a profile (default: the current one). Secrets are never shown.')
    .argument('[name]', 'profile')
    .action(
      withLocalSession(context, async (session, given) => {
        const { config, folders, out } = session;
        const name = given ?? currentProfile(session);
        if (name === undefined) throw usageError('No profile is active.', 'innctl profiles list');
        if (!profileNames(config).includes(name)) throw unknownProfile(name, config);
        const credential = readCredential(folders.config, name);
        const stored = credentialRecord(credential, storedProfile(config, name));
        await out.record(profileShape, { ...profileRecord(config, name), ...stored });
      }),
    );
}

function credentialRecord(
  credential: Credential | undefined,
  profile: StoredProfile | undefined,
): ServiceRecord {
  if (credential === undefined) return { credential: 'none' };
  const { origins, keyring, login } = credential;
  const stored = secretsStored(credential, profile?.['auth']).map((key) => key.replace('_', ' '));
  return {
    ...(stored.length === 0 ? {} : { credential: stored.join(', ') }),
    credential_in: keyring === undefined ? 'file' : 'keyring',
    credential_for: origins,
    ...(login === undefined ? {} : { login: login.method }),
    ...(Object.keys(login?.who ?? {}).length === 0 ? {} : { account: login?.who }),
  };
}

/** `profiles remove <name>`: remove a profile and its credentials. Nothing changes at the service. */
function removeProfile(context: Context) {
  return localCommand('remove rm', 'destroys', ['profiles remove chain'])
    .exitsWith('unavailable')
    .summary('remove a profile')
    .description('Remove a profile and its stored credentials. Nothing changes at the service.')
    .argument('<name>', 'profile')
    .action(
      withLocalChange(context, async ({ folders, config, out }, name) => {
        if (name === SANDBOX)
          throw usageError(
            'The sandbox is built in and cannot be removed.',
            'To reset it: innctl sandbox reset',
          );
        if (storedProfile(config, name) === undefined) throw unknownProfile(name, config);
        const { openVault } = await import('../../auth/vault.ts');
        const { signal } = context;
        const removed = () => updateConfig(folders.config, (document) => without(document, name), signal);
        await openVault(folders.config, name, context).replace(undefined, removed, signal);
        await out.done(`Removed profile ${name} and its credentials.`, { name, removed: true });
        if (config.active_profile === name)
          await out.note('No profile is active now; choose one: innctl profiles use <name>');
        forgetProfile(folders, name);
      }),
    );
}

function without(document: ConfigDocument, name: string): ConfigDocument {
  const { [name]: _, ...profiles } = document.profiles;
  const { active_profile, ...rest } = document;
  return { ...rest, ...(active_profile === name ? {} : { active_profile }), profiles };
}
