import { replaceCredential } from '../../auth/replace.ts';
import { localCommand } from '../../cli/described-command.ts';
import { usageError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalChange } from '../../cli/session.ts';
import { type ConfigDocument, storedProfile, updateConfig } from '../../config/file.ts';
import { unknownProfile } from '../../config/resolve.ts';
import { SANDBOX } from '../../config/urls.ts';
import { forgetProfile } from '../remember.ts';

/** `profiles remove <name>`: remove a profile and its credentials. Nothing changes at the service. */
export function removeProfile(context: Context) {
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
        const owner = { folder: folders.config, profile: name, context };
        await replaceCredential(owner, undefined, () =>
          updateConfig(folders.config, (document) => without(document, name), context.signal),
        );
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
