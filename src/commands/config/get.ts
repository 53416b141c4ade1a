import type { Context } from '../../context.ts';
import { DescribedCommand } from '../../described-command.ts';
import { CliError } from '../../errors.ts';
import { withLocalSession } from '../../session.ts';
import { findShowable } from './key.ts';

/** `config get <key>`: the value in force, wherever it comes from. Exit 1 when there is none. */
export function getSetting(context: Context) {
  return new DescribedCommand('get', {
    effect: 'reads',
    examples: ['config get timeout', 'config get base_url --profile chain'],
  })
    .summary('print the value of a setting')
    .description(
      'Print the value of a setting that is in force, wherever it comes from. Exit 1 when there is none.',
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
