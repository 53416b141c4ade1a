import { DescribedCommand } from '../../cli/described-command.ts';
import { CliError } from '../../cli/errors.ts';
import type { Context } from '../../cli/ports.ts';
import { withLocalSession } from '../../cli/session.ts';
import { configPath } from '../../config/file.ts';
import { onePage } from '../../model/records.ts';
import type { Shape } from '../../out/output.ts';
import { findShowable } from './key.ts';

/** `config get <key>`: the value in effect, from any source. Exit 1 if there is none. */
export function getSetting(context: Context) {
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
        if (found === undefined) throw unset(key);
        await out.line(String(found.value), { key, value: found.value });
      }),
    );
}

function unset(key: string): CliError {
  return new CliError('not_set', `${key} is not set, and it has no default.`, {
    hint: `innctl config explain ${key}`,
  });
}

/** `config list`: all settings with a value, and their sources. Secrets are not shown. */
export function listSettings(context: Context) {
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
    { field: 'value', header: 'Value' },
    { field: 'source', header: 'Source' },
  ],
};

/** `config path`: the path of the settings file, which may not exist. */
export function showPath(context: Context) {
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
