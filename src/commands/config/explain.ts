import { DescribedCommand } from '../../cli/described-command.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, withLocalSession } from '../../cli/session.ts';
import { readCredential, secretsStored } from '../../config/credentials.ts';
import { storedProfile } from '../../config/file.ts';
import { type Effective, isBuiltIn, type Sourced } from '../../config/resolve.ts';
import { isGuard, isSecret, type Setting, type SettingKey } from '../../config/settings.ts';
import { SANDBOX } from '../../config/values.ts';
import { neutraliseLine } from '../../out/text.ts';
import { serviceFlags } from '../lines.ts';
import { findSetting } from './key.ts';

/**
 * `config explain <key>`: the value in effect, its source, what it overrides, and how to change it. All sources of a
 * guard apply: `parts` lists them.
 */
export function explainSetting(context: Context) {
  return new DescribedCommand('explain', {
    effect: 'reads',
    examples: ['config explain timeout', 'config explain safety --json'],
  })
    .summary('explain the value of a setting')
    .description('Show where the value of a setting comes from, what it overrides, and how to change it.')
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

/** All sources of a value, in order of precedence. */
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

/** Secrets are not part of the settings. */
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

/** A setting with all sources of its value, for people. */
interface Explained {
  readonly setting: Setting;
  /** The value in effect; `undefined` if there is none. */
  readonly value: unknown;
  /** For a guard all apply; otherwise the first one. */
  readonly places: readonly Sourced<unknown>[];
  /** The current profile. */
  readonly profile: string | undefined;
  /** The flags that select the profile; empty for the active one. */
  readonly flags: readonly string[];
}

/** The value, a row per source, and how to change it. */
function explanation(explained: Explained): string {
  const { setting, value, places } = explained;
  const width = Math.max(...places.map(({ source }) => source.length));
  const rows = places.map(({ source, value: given }, index) => {
    const unused = index > 0 && !isGuard(setting) ? '  (not used)' : '';
    return `  ${source.padEnd(width)}  ${neutraliseLine(String(given))}${unused}`;
  });
  return [
    `${setting.key}: ${value === undefined ? 'not set' : neutraliseLine(String(value))}`,
    ...rows,
    ...(isGuard(setting) ? ['Every source applies; none weakens another.'] : []),
    waysToGive(explained),
  ].join('\n');
}

function waysToGive(explained: Explained): string {
  const { setting, profile, flags } = explained;
  const { env, flag, target } = setting;
  if (isBuiltIn(setting, profile)) return 'The sandbox is built in; its settings cannot be changed.';
  const ways = [
    ...(flag === undefined ? [] : [flag]),
    // Variables for service and credential do not apply to a profile that a flag names.
    ...(target === true && flags.length > 0 && profile !== SANDBOX ? [] : [env]),
    ...keeping(explained),
  ];
  return `To change it: ${ways.join(', ')}`;
}

/** The command that stores a value, if there is one. */
function keeping({ setting, profile = '<name>', flags }: Explained): readonly string[] {
  if (setting.key === 'profile') return ['innctl profiles use <name>'];
  if (isSecret(setting)) return [`innctl profiles add ${profile}`];
  if (setting.place === 'none') return [];
  return [['innctl config set', setting.key, '<value>', ...flags].join(' ')];
}
