import { isBuiltIn } from '../../config/candidates.ts';
import { SANDBOX } from '../../config/profile-name.ts';
import type { Sourced } from '../../config/reader.ts';
import { isGuard, isSecret, type Setting } from '../../config/settings.ts';
import { neutraliseLine } from '../../render/text.ts';

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
export function explanation(explained: Explained): string {
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
  if (isBuiltIn(setting, profile)) return 'The sandbox is built in: it takes no other value.';
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
