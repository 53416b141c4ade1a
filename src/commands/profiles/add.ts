import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, withLocalChange } from '../../cli/session.ts';
import { originsOf } from '../../config/binding.ts';
import { storedProfile } from '../../config/file.ts';
import { storageFor } from '../login/storage.ts';
import { forgetProfile, rememberProfiles } from '../remember.ts';
import { complete, guardsInWords, guardsOf } from './draft.ts';
import { type AddFlags, gather } from './gather.ts';
import { presetNames } from './presets.ts';
import { hasService, storeProfile } from './store.ts';

/**
 * `profiles add <name>`: store the URLs and credentials of a service.
 *
 * A secret comes from a file, stdin or a prompt, never from an argument, and is stored in the keyring. `--ca-file` and
 * `--insecure-http` are stored if given. Sends nothing. A replaced profile keeps its guards; one without a service
 * keeps all settings.
 */
export function addProfile(context: Context) {
  return new DescribedCommand('add', {
    effect: 'writes',
    exits: ['unavailable', 'blocked'],
    examples: [
      'profiles add chain --identity-url https://identity.example.com --base-url https://api.example.com',
      'profiles add chain --preset apaleo --client-id chain-ci --client-secret-file secret.txt',
      'profiles add chain --file profile.json --token-file -',
    ],
  })
    .alias('new')
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
    .option('--credential-command <line>', 'command that prints a token; no secret is stored')
    .option('--idempotency-header <name>', 'header for the idempotency key of a create request')
    .option('--token-file <path>', 'read the token from a file; - for stdin')
    .option('--client-secret-file <path>', 'read the client secret from a file; - for stdin')
    .option('--file <path>', 'read the profile from JSON, as printed by "sandbox serve --json"; - for stdin')
    .option('--insecure-storage', 'store the secret unencrypted in credentials.json instead of the keyring')
    .action(withLocalChange(context, add));
}

async function add(session: LocalSession, name: string, flags: AddFlags): Promise<void> {
  const given = await gather(name, flags, session);
  const kept = guardsInWords(guardsOf(session.config, name));
  const before = storedProfile(session.config, name);
  if (before !== undefined && hasService(before)) await session.confirm(`Replace profile ${name}?`);
  const keyring = given.has('credential_command') ? undefined : await storageFor(name, flags, session);
  const { profile, credential, urls } = await complete(given, session);
  const kind = credential && ('token' in credential ? 'token' : 'client secret');
  const facts = { origins: originsOf(urls), ...(keyring === undefined ? {} : { keyring }) };
  const stored = credential && { facts, secrets: credential };
  const active = await storeProfile({ name, profile, credential: stored }, session);
  const sentences = [
    `Added profile ${name}${active ? ', which is active now' : ''}.`,
    ...(kind === undefined || keyring !== undefined
      ? []
      : [`The ${kind} is kept unencrypted in credentials.json.`]),
    ...(kept === '' ? [] : [`It keeps its guards: ${kept}.`]),
    ...(active ? [] : [`Not active: innctl profiles use ${name}`]),
  ];
  await session.out.done(sentences.join(' '), {
    name,
    active,
    added: true,
    ...(kind === undefined ? {} : { storage: keyring === undefined ? 'file' : 'keyring' }),
  });
  forgetProfile(session.folders, name);
  rememberProfiles(session.folders);
}
