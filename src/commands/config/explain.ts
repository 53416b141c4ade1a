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
 * `config explain <key>`: the value in force, where it comes from, what it wins over, and how to give another. A guard
 * wins over nothing: `parts` shows what each place gives.
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

/** A setting and every place that gives it a value, for people. */
interface Explained {
  readonly setting: Setting;
  /** The value in force; `undefined` when nothing gives one. */
  readonly value: unknown;
  /** All of them count for a guard; otherwise the first one wins. */
  readonly places: readonly Sourced<unknown>[];
  /** The profile in effect. */
  readonly profile: string | undefined;
  /** The words of a command line that chose it; none where it is the active one. */
  readonly flags: readonly string[];
}

/** The value, a row for each place that gives one, and what gives another. */
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
    ...(isGuard(setting) ? ['Every place counts, and none weakens another.'] : []),
    waysToGive(explained),
  ].join('\n');
}

function waysToGive(explained: Explained): string {
  const { setting, profile, flags } = explained;
  const { env, flag, target } = setting;
  if (isBuiltIn(setting, profile)) return 'The sandbox is built in; its settings cannot be changed.';
  const ways = [
    ...(flag === undefined ? [] : [flag]),
    // A profile that a flag names takes no service and no credential from a variable.
    ...(target === true && flags.length > 0 && profile !== SANDBOX ? [] : [env]),
    ...keeping(explained),
  ];
  return `To give another value: ${ways.join(', ')}`;
}

/** The command that keeps a value, where there is one. */
function keeping({ setting, profile = '<name>', flags }: Explained): readonly string[] {
  if (setting.key === 'profile') return ['innctl profiles use <name>'];
  if (isSecret(setting)) return [`innctl profiles add ${profile}`];
  if (setting.place === 'none') return [];
  return [['innctl config set', setting.key, '<value>', ...flags].join(' ')];
}
