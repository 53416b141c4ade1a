import { Command } from '@commander-js/extra-typings';
import { originsOf } from '../../config/binding.ts';
import { saveCredential } from '../../config/credentials.ts';
import { type ConfigDocument, storedProfile, withProfile } from '../../config/document.ts';
import { updateConfig } from '../../config/file.ts';
import type { Context } from '../../context.ts';
import { type LocalSession, withLocalChange } from '../../session.ts';
import { examples } from '../examples.ts';
import { complete, type Draft } from './draft.ts';
import { type AddFlags, gather } from './gather.ts';
import { guardsInWords, guardsOf, withGuards } from './kept-guards.ts';

/**
 * `profiles add <name>`: store where a service is and who asks there.
 *
 * A secret comes from a file, from stdin or from a prompt, never as an argument. `--ca-file` and `--insecure-http`
 * are stored when they are given. The service is not asked. A profile that is replaced hands on its guards.
 */
export function addProfile(context: Context) {
  return new Command('add')
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
    .option('--idempotency-header <name>', 'header that carries the idempotency key of a create')
    .option('--token-file <path>', 'file with the token; - is stdin')
    .option('--client-secret-file <path>', 'file with the client secret; - is stdin')
    .option('--file <path>', 'JSON file with the profile, as "sandbox serve --json" prints it; - is stdin')
    .addHelpText(
      'after',
      examples(
        'profiles add chain --identity-url https://identity.example.com --base-url https://api.example.com',
        'profiles add chain --file profile.json --token-file -',
      ),
    )
    .action(withLocalChange(context, add));
}

async function add(session: LocalSession, name: string, flags: AddFlags): Promise<void> {
  const given = await gather(name, flags, session);
  const kept = guardsInWords(guardsOf(session.config, name));
  if (storedProfile(session.config, name) !== undefined) await session.confirm(`Replace profile ${name}?`);
  const active = await store(name, await complete(given, session), session);
  const sentence = `Added profile ${name}${active ? ', which is active now' : ''}.`;
  await session.out.done(kept === '' ? sentence : `${sentence} It keeps its guards: ${kept}.`, {
    name,
    active,
    added: true,
  });
}

/** The credential first: a profile never stands without its own. Tells whether the profile is the active one. */
async function store(
  name: string,
  { profile, credential, urls }: Draft,
  session: LocalSession,
): Promise<boolean> {
  const { folders, context } = session;
  await saveCredential(folders.config, name, { origins: originsOf(urls), ...credential }, context.signal);
  let active = false;
  const change = (document: ConfigDocument): ConfigDocument => {
    const isFirst = document.active_profile === undefined && Object.keys(document.profiles).length === 0;
    const active_profile = isFirst ? name : document.active_profile;
    active = active_profile === name;
    const guarded = withGuards(profile, guardsOf(document, name));
    return withProfile({ ...document, active_profile }, name, guarded);
  };
  await updateConfig(folders.config, change, context.signal);
  return active;
}
