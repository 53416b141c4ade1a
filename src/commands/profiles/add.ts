import { originsOf } from '../../config/binding.ts';
import { removeCredential, saveCredential, withCredentialPutBack } from '../../config/credentials.ts';
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
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { type LocalSession, withLocalChange } from '../../session.ts';
import { forgetProfile, rememberProfiles } from '../remember/remember.ts';
import { complete, type Draft } from './draft.ts';
import { type AddFlags, gather } from './gather.ts';
import { guardsInWords, guardsOf, withGuards } from './kept-guards.ts';

/**
 * `profiles add <name>`: store where a service is and who asks there.
 *
 * A secret comes from a file, from stdin or from a prompt, never as an argument. `--ca-file` and `--insecure-http`
 * are stored when they are given. The service is not asked. A profile that is replaced hands on its guards; one that
 * knew no service yet keeps everything.
 */
export function addProfile(context: Context) {
  return new DescribedCommand('add', {
    effect: 'writes',
    exits: ['unavailable', 'blocked'],
    examples: [
      'profiles add chain --identity-url https://identity.example.com --base-url https://api.example.com',
      'profiles add chain --file profile.json --token-file -',
    ],
  })
    .alias('new')
    .summary('add a profile')
    .description('Store where a service is and who asks there; on a terminal it asks for what is missing.')
    .argument('<name>', 'name of the profile: a-z 0-9 _ -')
    .option('--identity-url <url>', 'URL of the identity area')
    .option('--base-url <url>', 'URL of the inventory area')
    .option('--dialect <name>', 'how the service spells its operations: contract')
    .option(
      '--auth <kind>',
      'token or client-credentials (default: client-credentials when there is a client id)',
    )
    .option('--token-url <url>', 'URL that issues tokens (default: /connect/token below the identity URL)')
    .option('--client-id <id>', 'OAuth client id')
    .option('--scope <scopes>', 'OAuth scopes, one blank between them')
    .option('--credential-command <line>', 'command line that prints a token; then no secret is stored')
    .option('--idempotency-header <name>', 'header that carries the idempotency key of a create')
    .option('--token-file <path>', 'file with the token; - is stdin')
    .option('--client-secret-file <path>', 'file with the client secret; - is stdin')
    .option('--file <path>', 'JSON file with the profile, as "sandbox serve --json" prints it; - is stdin')
    .action(withLocalChange(context, add));
}

async function add(session: LocalSession, name: string, flags: AddFlags): Promise<void> {
  const given = await gather(name, flags, session);
  const kept = guardsInWords(guardsOf(session.config, name));
  const before = storedProfile(session.config, name);
  if (before !== undefined && hasService(before)) await session.confirm(`Replace profile ${name}?`);
  const active = await store(name, await complete(given, session), session);
  const sentences = [
    `Added profile ${name}${active ? ', which is active now' : ''}.`,
    ...(kept === '' ? [] : [`It keeps its guards: ${kept}.`]),
    ...(active ? [] : [`Not active: innctl profiles use ${name}`]),
  ];
  await session.out.done(sentences.join(' '), { name, active, added: true });
  await forgetProfile(session.folders, name);
  await rememberProfiles(session.folders);
}

/**
 * The credential first: a profile never stands without its own, and one that is left beside the settings of another service
 * by a process that was killed goes to its own origins alone. Tells whether the profile is the active one.
 */
async function store(
  name: string,
  { profile, credential, urls }: Draft,
  session: LocalSession,
): Promise<boolean> {
  const { folders, context } = session;
  let active = false;
  const change = (document: ConfigDocument): ConfigDocument => {
    const others = profileNames(document).filter((each) => each !== SANDBOX);
    const isFirst = document.active_profile === undefined && others.length === 0;
    const active_profile = isFirst ? name : document.active_profile;
    active = active_profile === name;
    const guarded = withGuards(completing(storedProfile(document, name), profile), guardsOf(document, name));
    return withProfile({ ...document, active_profile }, name, guarded);
  };
  const keep = () =>
    credential === undefined
      ? removeCredential(folders.config, name, context.signal)
      : saveCredential(folders.config, name, { origins: originsOf(urls), ...credential }, context.signal);
  await withCredentialPutBack({ folder: folders.config, profile: name }, keep, () =>
    updateConfig(folders.config, change, context.signal),
  );
  return active;
}

/** Settings that were kept before there was a service for them stay; a service is replaced as a whole. */
function completing(before: StoredProfile | undefined, profile: StoredProfile): StoredProfile {
  if (before === undefined || hasService(before)) return profile;
  const defaults = { ...before.defaults, ...profile.defaults };
  return { ...before, ...profile, ...(Object.keys(defaults).length === 0 ? {} : { defaults }) };
}

function hasService(profile: StoredProfile): boolean {
  const { identity_url, base_url } = settingTable;
  return [identity_url, base_url].some((setting) => storedValue(profile, setting) !== undefined);
}
