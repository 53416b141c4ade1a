import { defaultTokenUrl, originsOf } from '../../config/binding.ts';
import { storedProfile } from '../../config/file.ts';
import type { Context } from '../../model/ports.ts';
import { withoutHoles } from '../../model/records.ts';
import { localCommand } from '../../session/command-line.ts';
import { type LocalSession, withLocalChange } from '../../session/session.ts';
import { askFor, valuesAt } from '../login/entries.ts';
import { gatherProfile, type LoginFlags, presetNames } from '../login/given.ts';
import { hasService, prepareStoring, storedNotes, storeProfile } from '../login/store.ts';

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
    .action(withLocalChange(context, add));
}

/** The way of `login`, without a request: collects, finds a place for the secret, asks for what is missing, stores. */
async function add(session: LocalSession, name: string, flags: LoginFlags): Promise<void> {
  const { method, missing, entries } = await gatherProfile(name, flags, session);
  const replaces = hasService(storedProfile(session.config, name) ?? {});
  const keyring = await prepareStoring({ name, replaces }, `Replace profile ${name}?`, flags, session);
  const values = await askFor(missing, entries, session);
  const { identity_url = '', base_url, token, client_secret } = values;
  const token_url = values.token_url ?? (method === 'token' ? undefined : defaultTokenUrl(identity_url));
  const profile = {
    ...valuesAt('top', values),
    dialect: values.dialect ?? 'contract',
    auth: method,
    ...withoutHoles({ token_url }),
    defaults: valuesAt('defaults', values),
  };
  const origins = originsOf([identity_url, base_url, token_url]);
  const secrets = method === 'token' ? { token } : { client_secret };
  const credential = { facts: { origins, ...withoutHoles({ keyring }) }, secrets };
  const active = await storeProfile({ name, profile, replaces }, credential, session);
  const secret = method === 'token' ? 'token' : 'client secret';
  const sentences = [
    `Added profile ${name}${active ? ', which is active now' : ''}.`,
    ...(keyring === undefined ? [`The ${secret} is kept unencrypted in credentials.json.`] : []),
    ...storedNotes(name, active, session),
  ];
  const storage = keyring === undefined ? 'file' : 'keyring';
  await session.out.done(sentences.join(' '), { name, active, added: true, storage });
}
