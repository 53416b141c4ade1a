import { readCredential, secretsStored } from '../../config/credentials.ts';
import { storedProfile } from '../../config/document.ts';
import type { Effective, Sourced } from '../../config/reader.ts';
import type { Setting, SettingKey } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { type LocalSession, withLocalSession } from '../../session.ts';
import { serviceFlags } from '../settle.ts';
import { explanation } from './explanation.ts';
import { findSetting } from './key.ts';

/**
 * `config explain <key>`: the value in force, where it comes from, what it wins over, and how to give another. A guard
 * wins over nothing: `parts` shows what each place gives.
 */
export function explainSetting(context: Context) {
  return new DescribedCommand('explain', {
    effect: 'reads',
    examples: ['config explain timeout', 'config explain safety --json'],
  })
    .summary('say where the value of a setting comes from')
    .description(
      'Say where the value of a setting comes from, what it wins over, and how to give another one.',
    )
    .argument('<key>', 'setting')
    .action(
      withLocalSession(context, async (session, key) => {
        const setting = findSetting(key);
        const [winner, ...overrides] = sourcesOf(setting, session);
        const { parts } = effectiveOf(setting, session) ?? {};
        const text = explanation({
          setting,
          value: winner?.value,
          places: parts ?? (winner === undefined ? [] : [winner, ...overrides]),
          profile: session.settings().profile?.value,
          flags: serviceFlags(session.globals),
        });
        await session.out.line(text, {
          key,
          ...(winner ?? { value: null, source: 'not set' }),
          overrides,
          ...(parts === undefined ? {} : { parts }),
          variable: setting.env,
          ...(setting.flag === undefined ? {} : { flag: setting.flag }),
        });
      }),
    );
}

/** All that gives the setting a value, the strongest first. */
function sourcesOf(setting: Setting, session: LocalSession): readonly Sourced<unknown>[] {
  const { profile } = session.settings();
  const found = effectiveOf(setting, session);
  return [
    ...(found === undefined ? [] : [{ value: found.value, source: found.source }, ...found.overrides]),
    ...(profile === undefined ? [] : storedSecret(setting.key, session, profile.value)),
  ];
}

function effectiveOf({ key }: Setting, { settings }: LocalSession): Effective | undefined {
  return settings().effective.find(({ setting }) => setting.key === key);
}

/** The one kind of value that the settings do not know. */
function storedSecret(
  key: SettingKey,
  { folders, config }: LocalSession,
  profile: string,
): readonly Sourced<unknown>[] {
  if (key !== 'token' && key !== 'client_secret') return [];
  const credential = readCredential(folders.config, profile);
  if (credential === undefined) return [];
  const place = credential.keyring === undefined ? 'credentials' : 'keyring';
  const isStored = secretsStored(credential, storedProfile(config, profile)?.['auth']).includes(key);
  return isStored ? [{ value: '(hidden)', source: `${place} of profile ${profile}` }] : [];
}
