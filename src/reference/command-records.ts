import { type About, exitCodesOf } from '../cli/described-command.ts';
import { exitCodeMeanings } from '../cli/exit-codes.ts';
import type { ServiceRecord } from '../model/records.ts';
import { type ArgumentModel, allOf, type CommandModel, type FlagModel } from './model.ts';
import { caches, type Taken, type Values } from './values.ts';

/** Kinds of values that are not strings. */
const others: readonly Values['kind'][] = ['file', 'folder', 'number', 'json'];

/**
 * All commands except groups, as records for programs.
 *
 * Fields of flags and arguments: `type` of one value (string, number, boolean, file, folder, json), `value_required`
 * (false if the value is optional), `repeatable`, `separator` of several values in one word, `choices`, or
 * `suggestions` if other values are accepted, `values_from` (the command that lists them) and `default`.
 */
export function commandRecords(root: CommandModel): readonly ServiceRecord[] {
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

/** The global flags as records. */
export function globalFlagRecords({ flags }: CommandModel): readonly ServiceRecord[] {
  return flags.map(flagRecord);
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

const effects = {
  service: {
    reads: 'Read-only.',
    writes: 'Changes data at the service.',
    destroys: 'Destructive: can delete data at the service or lock users out.',
  },
  machine: {
    reads: 'Read-only.',
    writes: 'Changes local data.',
    destroys: 'Deletes local data permanently.',
  },
} as const;

/** The effect of a command as a sentence; `undefined` for a group. */
export function effectSentence({ effect, on }: About): string | undefined {
  return effect && effects[on ?? 'machine'][effect];
}
