import { DescribedCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { type LocalSession, withLocalSession } from '../../cli/session.ts';
import { readCredential, secretsStored } from '../../config/credentials.ts';
import { configPath, storedProfile } from '../../config/file.ts';
import { isBuiltIn, type Sourced } from '../../config/resolve.ts';
import { isGuard, isSecret, type Setting, type SettingKey } from '../../config/settings.ts';
import { SANDBOX } from '../../config/values.ts';
import { onePage, withoutHoles } from '../../model/records.ts';
import type { Shape } from '../../print/output.ts';
import { neutraliseLine } from '../../print/text.ts';
import { serviceFlags } from '../lines.ts';
import { findSetting, findShowable, setSetting, unsetSetting } from './set.ts';

/** `config ...`: the settings in effect, and those stored in the current profile. */
export function configCommands(context: Context) {
  return new DescribedCommand('config', {
    examples: ['config list', 'config set output json', 'config explain timeout'],
  })
    .summary('manage settings')
    .description('Show the settings in effect, and change those stored in the current profile.')
    .addCommand(listSettings(context))
    .addCommand(getSetting(context))
    .addCommand(setSetting(context))
    .addCommand(unsetSetting(context))
    .addCommand(explainSetting(context))
    .addCommand(showPath(context));
}

/** `config get <key>`: the value in effect, from any source. Exit 1 if there is none. */
function getSetting(context: Context) {
  return new DescribedCommand('get', {
    effect: 'reads',
    examples: ['config get timeout', 'config get base_url --profile chain'],
  })
    .summary('print the value of a setting')
    .description(
      'Print the value of a setting in effect, from any source. Exits with 1 if the setting has no value.',
    )
    .argument('<key>', 'setting')
    .action(
      withLocalSession(context, async ({ settings, out }, key) => {
        const wanted = findShowable(key);
        const found = settings().effective.find(({ setting }) => setting.key === wanted.key);
        if (found === undefined) {
          const hint = `innctl config explain ${key}`;
          throw new CliError('not_set', `${key} is not set, and it has no default.`, { hint });
        }
        await out.line(String(found.value), { key, value: found.value });
      }),
    );
}

/** `config list`: all settings with a value, and their sources. Secrets are not shown. */
function listSettings(context: Context) {
  return new DescribedCommand('list', {
    effect: 'reads',
    examples: ['config list', 'config list --profile chain --json'],
  })
    .alias('ls')
    .summary('list the settings in effect')
    .description('List every setting that has a value, and its source. Secrets are not shown.')
    .action(
      withLocalSession(context, async ({ settings, out }) => {
        const items = settings().effective.map(({ setting, value, source }) => ({
          key: setting.key,
          value,
          source,
        }));
        await out.records(settingShape, onePage(items));
      }),
    );
}

/** How settings are listed. */
const settingShape: Shape = {
  noun: ['setting', 'settings'],
  columns: [
    { field: 'key', header: 'Setting' },
    { field: 'value', header: 'Value', isCutLast: true },
    { field: 'source', header: 'Source' },
  ],
};

/** `config path`: the path of the settings file, which may not exist. */
function showPath(context: Context) {
  return new DescribedCommand('path', { effect: 'reads', examples: ['config path'] })
    .summary('print the path of the settings file')
    .description('Print the path of the settings file, which may not exist yet.')
    .action(
      withLocalSession(context, async ({ folders, out }) => {
        const path = configPath(folders.config);
        await out.line(path, { path });
      }),
    );
}

/**
 * `config explain <key>`: the value in effect, its source, what it overrides, and how to change it. All sources of a
 * guard apply: `parts` lists them.
 */
function explainSetting(context: Context) {
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
        const settings = session.settings();
        const profile = settings.profile?.value;
        const found = settings.effective.find((each) => each.setting.key === key);
        // In order of precedence; secrets are not part of the settings.
        const sources = [
          ...(found === undefined ? [] : [{ value: found.value, source: found.source }, ...found.overrides]),
          ...storedSecret(setting.key, session, profile),
        ];
        const [winner = { value: null, source: 'not set' }, ...overrides] = sources;
        const parts = found?.parts;
        const text = [
          `${key}: ${sources.length === 0 ? 'not set' : neutraliseLine(String(winner.value))}`,
          ...rowsOf(parts ?? sources, isGuard(setting)),
          ...(isGuard(setting) ? ['Every source applies; none weakens another.'] : []),
          waysToChange(setting, profile, serviceFlags(session.globals)),
        ].join('\n');
        await session.out.line(text, {
          key,
          ...winner,
          overrides,
          ...withoutHoles({ parts, variable: setting.env, flag: setting.flag }),
        });
      }),
    );
}

function storedSecret(
  key: SettingKey,
  { folders, config }: LocalSession,
  profile: string | undefined,
): readonly Sourced<unknown>[] {
  if ((key !== 'token' && key !== 'client_secret') || profile === undefined) return [];
  const credential = readCredential(folders.config, profile);
  if (credential === undefined) return [];
  const place = credential.keyring === undefined ? 'credentials' : 'keyring';
  const isStored = secretsStored(credential, storedProfile(config, profile)?.['auth']).includes(key);
  return isStored ? [{ value: '(hidden)', source: `${place} of profile ${profile}` }] : [];
}

/** A row per source; of a guard all sources apply, otherwise the first one. */
function rowsOf(sources: readonly Sourced<unknown>[], allApply: boolean): readonly string[] {
  const width = Math.max(...sources.map(({ source }) => source.length));
  return sources.map(({ source, value }, index) => {
    const unused = index > 0 && !allApply ? '  (not used)' : '';
    return `  ${source.padEnd(width)}  ${neutraliseLine(String(value))}${unused}`;
  });
}

/** @param flags that select the profile; empty for the active one. */
function waysToChange(setting: Setting, profile: string | undefined, flags: readonly string[]): string {
  const { key, env, flag, target } = setting;
  if (isBuiltIn(setting, profile)) return 'The sandbox is built in; its settings cannot be changed.';
  const store = ['innctl config set', key, '<value>', ...flags].join(' ');
  const ways = [
    flag,
    // Variables for service and credential do not apply to a profile that a flag names.
    target === true && flags.length > 0 && profile !== SANDBOX ? undefined : env,
    key === 'profile' ? 'innctl profiles use <name>' : undefined,
    isSecret(setting) ? `innctl profiles add ${profile ?? '<name>'}` : undefined,
    isSecret(setting) || setting.place === 'none' ? undefined : store,
  ];
  return `To change it: ${ways.filter((way) => way !== undefined).join(', ')}`;
}
