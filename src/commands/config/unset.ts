import { type ConfigDocument, storedProfile, storedValue, withValue } from '../../config/document.ts';
import { updateConfig } from '../../config/file.ts';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { usageError } from '../../errors.ts';
import { withLocalChange } from '../../session.ts';
import { currentProfile } from '../current-profile.ts';
import { findStorable } from './key.ts';

/** `config unset <key>`: take a setting away from the profile in effect; one that is not there is no mistake. */
export function unsetSetting(context: Context) {
  return new DescribedCommand('unset', {
    effect: 'writes',
    exits: ['unavailable'],
    examples: ['config unset timeout'],
  })
    .summary('take a setting away from the profile')
    .description('Take a setting away from the profile in effect.')
    .argument('<key>', 'setting')
    .action(
      withLocalChange(context, async (session, key) => {
        const profile = currentProfile(session);
        const setting = findStorable(key, profile);
        if (profile === undefined)
          throw usageError('No profile is in effect that could store it.', 'innctl profiles list');
        const isStored = (document: ConfigDocument) =>
          storedValue(storedProfile(document, profile) ?? {}, setting) !== undefined;
        const change = (document: ConfigDocument) =>
          isStored(document) ? withValue(document, profile, setting, undefined) : document;
        await updateConfig(session.folders.config, change, context.signal);
        await session.out.done(`${key} is not set in profile ${profile} any more.`, {
          profile,
          key,
          unset: true,
        });
      }),
    );
}
