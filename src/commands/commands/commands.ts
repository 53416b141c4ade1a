import { exitCodeMeanings } from '../../model/errors.ts';
import type { Context } from '../../model/ports.ts';
import { onePage, type ServiceRecord } from '../../model/records.ts';
import { columnsOf } from '../../print/labels.ts';
import type { Shape } from '../../print/output.ts';
import {
  type ArgumentModel,
  allOf,
  type CommandModel,
  type FlagModel,
  modelOf,
} from '../../reference/model.ts';
import { caches, type Taken, type Values } from '../../reference/values.ts';
import { exitCodesOf, localCommand, rootOf } from '../../session/command-line.ts';
import { withLocalSession } from '../../session/session.ts';

/** The columns for people; programs get all fields. */
const commandShape: Shape = {
  noun: ['command', 'commands'],
  columns: columnsOf('command effect summary', [{ field: 'summary', header: 'What it does' }]),
};

/** `commands`: list all commands, from the command tree of this run. */
export function commandsCommand(context: Context) {
  return localCommand('commands', 'reads', [
    'commands',
    'commands --json',
    `commands --query "items[?effect=='destroys'].command" --raw`,
  ])
    .summary('list all commands')
    .description(
      'List all commands. With --json, also prints their arguments, flags, examples and exit codes, and the global flags.',
    )
    .action(
      withLocalSession(context, async ({ out }, _options, command) => {
        const root = modelOf(rootOf(command));
        await out.records(commandShape, onePage(commandRecords(root)), {
          global_flags: root.flags.map(flagRecord),
        });
      }),
    );
}

/** Kinds of values that are not strings. */
const others: readonly Values['kind'][] = ['file', 'folder', 'number'];

/**
 * All commands except groups, as records for programs.
 *
 * Fields of flags and arguments: `type` of one value (string, number, boolean, file, folder, json), `value_required`
 * (false if the value is optional), `repeatable`, `separator` of several values in one word, `choices`, or
 * `suggestions` if other values are accepted, `values_from` (the command that lists them) and `default`.
 */
function commandRecords(root: CommandModel): readonly ServiceRecord[] {
  return allOf(root)
    .filter(({ about }) => about.effect !== undefined)
    .map((command) => ({
      command: command.path.join(' '),
      aliases: command.aliases,
      summary: command.summary,
      description: command.description,
      effect: command.about.effect,
      on: command.about.on ?? 'machine',
      arguments: command.arguments.map(argumentRecord),
      flags: command.flags.map(flagRecord),
      examples: command.about.examples.map((example) => `innctl ${example}`),
      exit_codes: exitCodesOf(command.about).map((code) => ({ code, meaning: exitCodeMeanings[code] })),
    }));
}

function argumentRecord(argument: ArgumentModel): ServiceRecord {
  const { name, description, isRequired, isVariadic } = argument;
  return { name, required: isRequired, variadic: isVariadic, ...valueRecord(argument), description };
}

function flagRecord({ flags, long, short, value, description }: FlagModel): ServiceRecord {
  return {
    flags,
    name: long,
    ...(short === undefined ? {} : { short }),
    ...(value === undefined
      ? { type: 'boolean' }
      : { placeholder: value.placeholder, ...valueRecord(value) }),
    ...(value?.isOptional === true ? { value_required: false } : {}),
    repeatable: value?.several !== undefined,
    ...(value?.several === 'commas' ? { separator: ',' } : {}),
    ...(value?.default === undefined ? {} : { default: value.default }),
    description,
  };
}

function valueRecord({ values }: Taken): ServiceRecord {
  const type = others.includes(values.kind) ? values.kind : 'string';
  if (values.kind === 'cached') return { type, values_from: caches[values.from] };
  if (values.kind !== 'choices') return { type };
  return values.isOpen === true ? { type, suggestions: values.choices } : { type, choices: values.choices };
}
