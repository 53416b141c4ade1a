import { localCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalChange } from '../../cli/session.ts';
import { type ConfigDocument, updateConfig } from '../../config/file.ts';
import { profileNames, unknownProfile } from '../../config/resolve.ts';
import { settingTable } from '../../config/settings.ts';

/** `profiles use <name>`: set the active profile. */
export function useProfile(context: Context) {
  return localCommand('use', 'writes', ['profiles use chain', 'profiles use sandbox'])
    .exitsWith('unavailable')
    .summary('set the active profile')
    .description('Set the profile for commands that do not name one.')
    .argument('<name>', 'profile')
    .action(
      withLocalChange(context, async (session, name) => {
        await updateConfig(session.folders.config, (document) => activated(document, name), context.signal);
        const variable = settingTable.profile.env;
        const exported = context.env[variable] ?? '';
        if (exported !== '' && exported !== name)
          await session.out.warn(`${variable}=${exported} overrides it.`);
        await session.out.done(`Profile ${name} is active now.`, { active_profile: name });
      }),
    );
}

function activated(document: ConfigDocument, name: string): ConfigDocument {
  if (!profileNames(document).includes(name)) throw unknownProfile(name, document);
  return document.active_profile === name ? document : { ...document, active_profile: name };
}
