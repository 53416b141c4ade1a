import { localCommand } from '../../cli/described-command.ts';
import { usageError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, withLocalChange } from '../../cli/session.ts';
import { defaultTokenUrl, originsOf } from '../../config/binding.ts';
import { storedProfile } from '../../config/file.ts';
import type { SettingKey } from '../../config/settings.ts';
import { withoutHoles } from '../../model/records.ts';
import { shellLine } from '../../print/text.ts';
import {
  askFor,
  type Entries,
  flagEntries,
  flagFor,
  missingIn,
  secretEntry,
  type Values,
  valuesAt,
} from './entries.ts';
import { presetEntries, presetNamed, presetNames } from './presets.ts';
import { readProfileFile } from './profile-file.ts';
import { confirmChange, hasService, storageFor, storedNotes, storeProfile } from './store.ts';

/**
 * `profiles add <name>`: store the URLs and credentials of a service.
 *
 * A secret comes from a file, stdin or a prompt, never from an argument, and is stored in the keyring. `--ca-file` and
 * `--insecure-http` are stored if given. Sends nothing. A replaced profile keeps its guards; one without a service
 * keeps all settings.
 */
export function addProfile(context: Context) {
  return localCommand('add new', 'writes', [
    'profiles add chain --identity-url https://identity.example.com --base-url https://api.example.com',
    'profiles add chain --preset apaleo --client-id chain-ci --client-secret-file secret.txt',
    'profiles add chain --file profile.json --token-file -',
  ])
    .exitsWith('unavailable', 'blocked')
    .summary('add a profile')
    .description('Store the URLs and credentials of a service. Prompts for missing values on a terminal.')
    .argument('<name>', 'profile name: a-z 0-9 _ -')
    .option('--preset <name>', `use known values of a service: ${presetNames.join(', ')}`)
    .option('--identity-url <url>', 'URL of the identity API')
    .option('--base-url <url>', 'URL of the inventory API')
    .option('--dialect <name>', 'API dialect of the service: contract or apaleo')
    .option('--auth <kind>', 'token or client-credentials (default: client-credentials with a client id)')
    .option('--token-url <url>', 'URL of the token endpoint (default: /connect/token below the identity URL)')
    .option('--client-id <id>', 'OAuth client id')
    .option('--scope <scopes>', 'OAuth scopes, separated by spaces')
    .option('--idempotency-header <name>', 'header for the idempotency key of a create request')
    .option('--token-file <path>', 'read the token from a file; - for stdin')
    .option('--client-secret-file <path>', 'read the client secret from a file; - for stdin')
    .option('--file <path>', 'read the profile from JSON, as printed by "sandbox serve --json"; - for stdin')
    .option('--insecure-storage', 'store the secret unencrypted in credentials.json instead of the keyring')
    .action(
      withLocalChange(context, async (session, name, flags) => {
        await add(session, name, flags);
      }),
    );
}

type AddFlags = ReturnType<ReturnType<typeof addProfile>['opts']>;

/** The way of `login`, without a request: collects, finds a place for the secret, asks for what is missing, stores. */
async function add(session: LocalSession, name: string, flags: AddFlags): Promise<void> {
  const { auth, missing, entries } = await gather(name, flags, session);
  const isReplaced = hasService(storedProfile(session.config, name) ?? {});
  await confirmChange(name, isReplaced ? `Replace profile ${name}?` : undefined, session);
  const keyring = await storageFor(name, flags, session);
  const values = await askFor(missing, entries, session);
  const profile = profileOf(values, auth);
  const origins = originsOf([values.identity_url, values.base_url, profile.token_url]);
  const { token, client_secret } = values;
  const secrets = auth === 'token' ? { token } : { client_secret };
  const credential = { facts: { origins, ...withoutHoles({ keyring }) }, secrets };
  const active = await storeProfile({ name, profile }, credential, session);
  const secret = auth === 'token' ? 'token' : 'client secret';
  const sentences = [
    `Added profile ${name}${active ? ', which is active now' : ''}.`,
    ...(keyring === undefined ? [`The ${secret} is kept unencrypted in credentials.json.`] : []),
    ...storedNotes(name, active, session),
  ];
  const storage = keyring === undefined ? 'file' : 'keyring';
  await session.out.done(sentences.join(' '), { name, active, added: true, storage });
}

type Auth = 'token' | 'client-credentials';

/**
 * Collects the values of a profile; flags override the file, and both override the preset.
 *
 * @returns also the missing values to prompt for.
 * @throws {CliError} exit 2 with all invalid values and, if prompting is not possible, all missing ones.
 */
async function gather(name: string, flags: AddFlags, session: LocalSession) {
  const preset = flags.preset === undefined ? undefined : presetNamed(flags.preset);
  const { globals } = session;
  const given: Entries = new Map([
    ...(preset === undefined ? [] : presetEntries(preset)),
    ...(flags.file === undefined ? [] : await readProfileFile(flags.file, session.context.stdin)),
    ...flagEntries({ ...flags, expectAccount: globals.expectAccount }, globals),
    ...(await secretEntry('token', flags.tokenFile, session)),
    ...(await secretEntry('client_secret', flags.clientSecretFile, session)),
  ]);
  refusePeople(name, given);
  const auth = authOf(given);
  const isClient = auth === 'client-credentials';
  const scopes = preset && isClient ? presetEntries(preset, preset.clientScope) : [];
  const entries: Entries = new Map([...scopes, ...given]);
  const ofAuth: readonly SettingKey[] = isClient ? ['client_id', 'client_secret'] : ['token'];
  const needed: readonly SettingKey[] = ['identity_url', 'base_url', ...ofAuth];
  // A secret in a file may be for other programs.
  const unused = isClient ? 'token' : 'client_secret';
  const isUnused = entries.get(unused)?.field === flagFor(unused);
  const problems = isUnused ? [{ field: flagFor(unused), reason: `is not used with --auth ${auth}` }] : [];
  const missing = missingIn({ name, entries, needed, problems }, session, 'innctl profiles add --help');
  return { entries, auth, missing };
}

/** Refuses profiles of people: their tokens come from a login. */
function refusePeople(name: string, entries: Entries): void {
  if (entries.get('auth')?.given !== 'user') return;
  throw usageError(
    'A profile of a person is made by logging in, not by profiles add.',
    `innctl ${shellLine(['login', '--profile', name])}`,
  );
}

/** The given method; by default client credentials with a client id, otherwise a token. */
function authOf(entries: Entries): Auth {
  const given = entries.get('auth')?.given ?? (entries.has('client_id') ? 'client-credentials' : 'token');
  return given === 'client-credentials' ? given : 'token';
}

function profileOf(values: Values, auth: Auth) {
  const defaults = valuesAt('defaults', values);
  const usualTokenUrl = auth === 'token' ? undefined : defaultTokenUrl(values.identity_url ?? '');
  return {
    ...valuesAt('top', values),
    dialect: values.dialect ?? 'contract',
    auth,
    ...withoutHoles({ token_url: values.token_url ?? usualTokenUrl }),
    ...(Object.keys(defaults).length === 0 ? {} : { defaults }),
  };
}
