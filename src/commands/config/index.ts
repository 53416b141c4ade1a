import {
  type ConfigDocument,
  configPath,
  storedProfile,
  storedValue,
  updateConfig,
  withValue,
} from '../../config/file.ts';
import { parseGiven } from '../../config/resolve.ts';
import { isGuard, isSecret, type Setting, settings, settingTable } from '../../config/settings.ts';
import { SANDBOX } from '../../config/urls.ts';
import { CliError, invalidInput, usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { onePage } from '../../model/records.ts';
import { quote } from '../../model/text.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Shape } from '../../print/output.ts';
import { DescribedCommand, localCommand } from '../../session/command-line.ts';
import { type LocalSession, withLocalChange, withLocalSession } from '../../session/session.ts';
import { currentProfile } from '../auth/current.ts';

/** The profile that is created if there is none. */
const FIRST_PROFILE = 'default';

/** `config ...`: the settings in effect, and those stored in the current profile. */
export function configCommands(context: Context) {
  return new DescribedCommand('config', {
    examples: ['config list', 'config set output json', 'config get timeout'],
  })
    .summary('manage settings')
    .description('Show the settings in effect, and change those stored in the current profile.')
    .addCommand(listSettings(context))
    .addCommand(getSetting(context))
    .addCommand(setSetting(context))
    .addCommand(unsetSetting(context))
    .addCommand(showPath(context));
}

/** `config get <key>`: the value in effect, from any source. Exit 1 if there is none. */
function getSetting(context: Context) {
  return localCommand('get', 'reads', ['config get timeout', 'config get base_url --profile chain'])
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
          const hint = 'To see what is set: innctl config list';
          throw new CliError('not_set', `${key} is not set, and it has no default.`, { hint });
        }
        await out.line(String(found.value), { key, value: found.value });
      }),
    );
}

/** `config list`: all settings with a value, and their sources. Secrets are not shown. */
function listSettings(context: Context) {
  return localCommand('list ls', 'reads', ['config list', 'config list --profile chain --json'])
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
  columns: columnsOf('key value source', [
    { field: 'key', header: 'Setting' },
    { field: 'value', header: 'Value', isCutLast: true },
  ]),
};

/** `config path`: the path of the settings file, which may not exist. */
function showPath(context: Context) {
  return localCommand('path', 'reads', ['config path'])
    .summary('print the path of the settings file')
    .description('Print the path of the settings file, which may not exist yet.')
    .action(
      withLocalSession(context, async ({ folders, out }) => {
        const path = configPath(folders.config);
        await out.line(path, { path });
      }),
    );
}

/** `config set <key> <value>`: store a setting in the current profile; without one, in a new profile `default`. */
function setSetting(context: Context) {
  return localCommand('set', 'writes', [
    'config set timeout 30',
    'config set output json --profile chain',
    'config set protect "BER,LIVE-*"',
    'config set freeze 2026-12-20..2027-01-06',
  ])
    .exitsWith('unavailable')
    .summary('set a setting')
    .description('Store a setting in the current profile. Without a profile, one named default is created.')
    .argument('<key>', 'setting')
    .argument('<value>', 'value')
    .action(
      withLocalChange(context, async (session, key, text) => {
        const current = currentProfile(session);
        const profile = current ?? FIRST_PROFILE;
        const setting = findStorable(key, profile);
        const value = parseValue(setting, text, session);
        const active = current === undefined ? { active_profile: profile } : {};
        const change = (document: ConfigDocument) =>
          withValue({ ...document, ...active }, profile, setting, value);
        await updateConfig(session.folders.config, change, context.signal);
        const made = current === undefined ? ', which was created and is now active' : '';
        const facts = { profile, key, value };
        const limit = key === 'protect' ? ' People can still be given a protected property.' : '';
        await session.out.done(`Set ${key} to ${value} in profile ${profile}${made}.${limit}`, facts);
      }),
    );
}

function parseValue(setting: Setting, text: string, { globals }: LocalSession): unknown {
  const insecureHttp = globals.insecureHttp === true;
  const parsed = parseGiven(setting, text, { insecureHttp });
  if (parsed.reason !== undefined) throw invalidInput([{ field: setting.key, reason: parsed.reason }]);
  return parsed.value;
}

/** `config unset <key>`: remove a setting from the current profile; a missing one is not an error. */
function unsetSetting(context: Context) {
  return localCommand('unset', 'writes', ['config unset timeout'])
    .exitsWith('unavailable')
    .summary('unset a setting')
    .description('Remove a setting from the current profile.')
    .argument('<key>', 'setting')
    .action(
      withLocalChange(context, async (session, key) => {
        const profile = currentProfile(session);
        const setting = findStorable(key, profile);
        if (profile === undefined)
          throw usageError('No profile is active to store it in.', 'innctl profiles list');
        const isStored = (document: ConfigDocument) =>
          storedValue(storedProfile(document, profile) ?? {}, setting) !== undefined;
        const change = (document: ConfigDocument) =>
          isStored(document) ? withValue(document, profile, setting, undefined) : document;
        await updateConfig(session.folders.config, change, context.signal);
        const facts = { profile, key, unset: true };
        await session.out.done(`${key} is no longer set in profile ${profile}.`, facts);
      }),
    );
}

/**
 * The setting with this key.
 *
 * @throws {CliError} exit 2 with all keys if there is none.
 */
function findSetting(key: string): Setting {
  const found = settings.find((setting) => setting.key === key);
  if (found !== undefined) return found;
  const keys = settings.map((setting) => setting.key);
  throw usageError(`There is no setting ${quote(key)}. There are: ${keys.join(', ')}.`, 'innctl config list');
}

/**
 * The setting with this key, if its value may be shown.
 *
 * @throws {CliError} exit 2 when there is none, or when it is a secret.
 */
export function findShowable(key: string): Setting {
  const setting = findSetting(key);
  if (!isSecret(setting)) return setting;
  throw usageError(
    `${key} is a secret and is not shown.`,
    'To see whether one is stored: innctl profiles show',
  );
}

/**
 * The setting with this key, if a profile stores it.
 *
 * @param profile `undefined` without a current profile.
 * @throws {CliError} exit 2 if there is none, or it is stored elsewhere; the hint says where.
 */
export function findStorable(key: string, profile: string | undefined): Setting {
  const setting = findSetting(key);
  if (isSecret(setting))
    throw usageError(
      `${key} is a secret, which is not stored as a setting.`,
      `innctl login, or set ${setting.env}`,
    );
  if (setting.place === 'none')
    throw usageError(`A profile does not store ${key}.`, `innctl profiles use <name>, or set ${setting.env}`);
  const isOfAll = setting.place === 'defaults' || isGuard(setting) || key === settingTable.dialect.key;
  if (profile === SANDBOX && !isOfAll)
    throw usageError(`The sandbox is built in: its ${key} cannot be changed.`, 'innctl profiles add <name>');
  return setting;
}
