import { serviceLine } from '../../change/lines.ts';
import { usageError } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { andList, quote } from '../../model/text.ts';
import { dialects } from '../../service/apaleo.ts';
import { type GlobalOptions, localCommand } from '../../session/command-line.ts';
import { withLocalSession } from '../../session/session.ts';
import { refuseBeyond } from '../options.ts';

/**
 * `template <content>`: a file to fill in, for plan and apply. Sends nothing; the dialect is that of the profile. The output
 * is meant for a file, so a profile does not change its format; only a flag does.
 */
export function templateCommand(context: Context) {
  return localCommand('template', 'reads', [
    'template properties > hotels.yaml',
    'template people -o csv > people.csv',
    'template units -o csv > units.csv',
  ])
    .summary('print a file to fill in')
    .description(
      'Print a file to fill in for plan and apply, with every field and its meaning: YAML, or CSV for a spreadsheet.',
    )
    .argument('<content>', 'properties, people, unit-groups or units')
    .action(
      withLocalSession(context, async ({ context: { stdout }, globals, settings }, content) => {
        const name = nameFrom(content);
        const format = formatIn(globals, name);
        const dialect = dialects[settings().dialect.value];
        if (name.startsWith('unit')) refuseBeyond('createUnits', `The template ${name}`, { dialect });
        const { templateText } = await import('../../files/template.ts');
        await stdout.write(templateText(name, format, dialect));
      }),
    );
}

const names = ['properties', 'people', 'unit-groups', 'units'] as const;
const formats = ['yaml', 'csv'] as const;

/** @throws {CliError} exit 2 for every other name. */
function nameFrom(content: string) {
  const name = names.find((each) => each === content);
  if (name !== undefined) return name;
  throw usageError(`There is no template ${quote(content)}; there are ${andList(names)}.`);
}

/** @throws {CliError} exit 2 for every other format. */
function formatIn(globals: GlobalOptions, name: string) {
  const { output = 'yaml' } = globals;
  const format = formats.find((each) => each === output);
  const other = ['json', 'query', 'fields', 'quiet', 'raw'].find((flag) => flag in globals);
  if (format !== undefined && other === undefined) return format;
  const given = other === undefined ? `-o ${output}` : `--${other}`;
  const line = serviceLine(globals, 'template', name, '-o', 'csv');
  throw usageError(`A template is ${formats.join(' or ')}, not ${given}.`, line);
}
