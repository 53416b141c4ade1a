import { usageError } from '../../cli/errors.ts';
import { isGuard, isSecret, type Setting, settings, settingTable } from '../../config/settings.ts';
import { SANDBOX } from '../../config/values.ts';
import { didYouMean, nearest } from '../../model/names.ts';
import { quote } from '../../model/text.ts';

/**
 * The setting with this key.
 *
 * @throws {CliError} exit 2 with all keys if there is none.
 */
export function findSetting(key: string): Setting {
  const found = settings.find((setting) => setting.key === key);
  if (found !== undefined) return found;
  const keys = settings.map((setting) => setting.key);
  throw usageError(
    `There is no setting ${quote(key)}. There are: ${keys.join(', ')}.`,
    didYouMean(nearest(key, keys)) ?? 'innctl config list',
  );
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
      `innctl profiles add ${profile ?? '<name>'} --${key.replace('_', '-')}-file -, or set ${setting.env}`,
    );
  if (setting.place === 'none') {
    const hint =
      setting.key === settingTable.profile.key ? 'innctl profiles use <name>' : `Set ${setting.env}.`;
    throw usageError(`A profile does not store ${key}.`, hint);
  }
  const isOfAll = setting.place === 'defaults' || isGuard(setting) || key === settingTable.dialect.key;
  if (profile === SANDBOX && !isOfAll)
    throw usageError(`The sandbox is built in: its ${key} cannot be changed.`, 'innctl profiles add <name>');
  return setting;
}
