import { Command } from '@commander-js/extra-typings';
import { readCredential } from '../../config/credentials.ts';
import type { Sourced } from '../../config/resolve.ts';
import { type Setting, settingTable } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { type LocalSession, withLocalSession } from '../../session.ts';
import { examples } from '../examples.ts';
import { findSetting } from './key.ts';
import { settingShape } from './shape.ts';

/** `config explain <key>`: the value in force, where it comes from, what it wins over, and how to give another. */
export function explainSetting(context: Context) {
  return new Command('explain')
    .summary('say where the value of a setting comes from')
    .description(
      'Say where the value of a setting comes from, what it wins over, and how to give another one.',
    )
    .argument('<key>', 'setting')
    .addHelpText('after', examples('config explain timeout', 'config explain base_url --json'))
    .action(
      withLocalSession(context, async (session, key) => {
        const setting = findSetting(key);
        const found = session.settings().effective.find((each) => each.setting.key === setting.key);
        const { value, source, overrides } = found ?? { ...storedSecret(setting, session), overrides: [] };
        await session.out.record(settingShape, {
          key,
          value,
          source,
          overrides,
          variable: setting.env,
          ...(setting.flag === undefined ? {} : { flag: setting.flag }),
        });
      }),
    );
}

/** The one kind of value that the settings do not know. */
function storedSecret({ key }: Setting, { settings, folders }: LocalSession): Sourced<unknown> {
  const { profile } = settings();
  const credential = profile && readCredential(folders.config, profile.value);
  const isStored =
    (key === settingTable.token.key && credential?.token !== undefined) ||
    (key === settingTable.client_secret.key && credential?.client_secret !== undefined);
  return isStored && profile
    ? { value: '(hidden)', source: `credentials of profile ${profile.value}` }
    : { value: null, source: 'not set' };
}
