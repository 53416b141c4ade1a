import { type About, exitCodesOf } from '../described-command.ts';
import type { ArgumentModel, CommandModel, FlagModel } from './model.ts';
import type { Taken } from './values.ts';

/** The command as it is typed: `innctl properties get <id> [flags]`. */
export function usageLine({ path, arguments: values, commands, flags }: CommandModel): string {
  const rest = commands.length > 0 ? ['<command>'] : values.map(argumentWord);
  const hasFlags = flags.length > 0 || path.length === 0;
  return ['innctl', ...path, ...rest, ...(hasFlags ? ['[flags]'] : [])].join(' ');
}

/** An argument as usage lines write it. */
export function argumentWord({ name, isRequired, isVariadic }: ArgumentModel): string {
  const word = isVariadic ? `${name}...` : name;
  return isRequired ? `<${word}>` : `[${word}]`;
}

/** What a flag is for, and of its value what the description does not say already. */
export function flagText({ description, value }: FlagModel): string {
  if (value === undefined) return description;
  const text = [description, ...choicesIn(value, `${value.placeholder} ${description}`)].join('; ');
  const isSaid = value.default === undefined || description.includes('(default:');
  return isSaid ? text : `${text} (default: ${value.default})`;
}

/** What an argument is for, and the words it may be where the description does not name them. */
export function argumentText(argument: ArgumentModel): string {
  return [argument.description, ...choicesIn(argument, argument.description)].join('; ');
}

/** Flags by the heading under which help shows them, in the order of their first flag. */
export function groupsOf(flags: readonly FlagModel[]): readonly (readonly [string, readonly FlagModel[]])[] {
  const groups = new Map<string, readonly FlagModel[]>();
  for (const flag of flags) {
    const name = flag.group ?? '';
    groups.set(name, [...(groups.get(name) ?? []), flag]);
  }
  return [...groups];
}

/** `0, 1, 2`. */
export function exitCodeList(about: About): string {
  return exitCodesOf(about).join(', ');
}

function choicesIn({ values }: Taken, description: string): readonly string[] {
  if (values.kind !== 'choices') return [];
  const areSaid = values.choices.every((choice) => new RegExp(`\\b${choice}\\b`).test(description));
  if (areSaid) return [];
  return [`${values.isOpen === true ? 'such as' : 'one of'} ${values.choices.join(', ')}`];
}
