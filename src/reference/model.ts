import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { settings, settingTable } from '../config/settings.ts';
import { PAGE_SIZE } from '../service/paging.ts';
import { type About, DescribedCommand, markOf } from '../session/command-line.ts';
import { type Taken, takenBy } from './values.ts';

/** A flag of a command. */
export interface FlagModel {
  /** `-o, --output <format>`. */
  readonly flags: string;
  /** `-o`. */
  readonly short: string | undefined;
  /** `--output`. */
  readonly long: string;
  readonly description: string;
  /** `undefined` for a switch. */
  readonly value: FlagValue | undefined;
  /** Its heading in help. */
  readonly group: string | undefined;
}

/** The value of a flag. */
export interface FlagValue extends Taken {
  /** The word in the brackets. */
  readonly placeholder: string;
  /** The flag may be given without the value. */
  readonly isOptional?: true;
  /** `undefined` if there is none, or if it depends on something else. */
  readonly default: Default | undefined;
}

/** An argument of a command. */
export interface ArgumentModel extends Taken {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
}

/** A command as data, from which completions, the reference and the manual page are made. */
export interface CommandModel {
  /** Its words without the name of the program; none for the root. */
  readonly path: readonly string[];
  readonly aliases: readonly string[];
  /** One line without a full stop. */
  readonly summary: string;
  /** Sentences. */
  readonly description: string;
  readonly about: About;
  readonly arguments: readonly ArgumentModel[];
  /** Its own flags; those of the root are global. */
  readonly flags: readonly FlagModel[];
  readonly commands: readonly CommandModel[];
}

/** A command and all its subcommands, in the order of the tree. */
export function allOf(command: CommandModel): readonly CommandModel[] {
  return [command, ...command.commands.flatMap(allOf)];
}

/** The command tree as data, without hidden flags. */
export function modelOf(command: CommandUnknownOpts, path: readonly string[] = []): CommandModel {
  return {
    path,
    aliases: command.aliases(),
    summary: `${command.summary() || firstSentence(command.description())}${markOf(command)}`,
    description: command.description(),
    about: command instanceof DescribedCommand ? command.about : { examples: [] },
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: argument.description,
      // A command with its own usage line checks required arguments itself.
      isRequired: argument.required || command.usage().includes(`<${argument.name()}>`),
      isVariadic: argument.variadic,
      ...takenBy(path, `<${argument.name()}>`, argument.name()),
    })),
    flags: flagsOf(command, path),
    commands: command.commands.map((child) => modelOf(child, [...path, child.name()])),
  };
}

function flagsOf(command: CommandUnknownOpts, path: readonly string[]): readonly FlagModel[] {
  const help = { flags: '-h, --help', short: '-h', long: '--help', description: 'show help' };
  const own = command.options
    .filter(({ hidden }) => !hidden)
    .map((option): FlagModel => {
      const { flags, short, long = flags, description, helpGroupHeading: group } = option;
      return { flags, short, long, description, value: taken(option, path), group };
    });
  return path.length > 0 ? own : [...own, { ...help, value: undefined, group: own.at(-1)?.group }];
}

function taken({ flags, long = flags, ...option }: Option, path: readonly string[]): FlagValue | undefined {
  const [, placeholder] = /[<[](.+)[>\]]/.exec(flags) ?? [];
  if (placeholder === undefined) return undefined;
  const own = typeof option.defaultValue === 'string' ? option.defaultValue : undefined;
  const value = { ...takenBy(path, long, placeholder), placeholder, default: own ?? defaultOf(path, long) };
  return option.optional ? { ...value, isOptional: true } : value;
}

function firstSentence(text: string): string {
  const end = text.search(/\.(\s|$)/);
  const sentence = end === -1 ? text : text.slice(0, end);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

type Default = string | number;

/** By command and flag, if the flag alone is not enough. */
const byPlace: Readonly<Record<string, Default | undefined>> = {
  'sandbox serve --seed': 'small',
  'profiles add --idempotency-header': settingTable.idempotency_header.fallback,
};

const byName: Readonly<Record<string, Default>> = {
  '--color': 'auto',
  '--dialect': settingTable.dialect.fallback,
  '--page-size': PAGE_SIZE,
  '--concurrency': 4,
  '--max-deletes': 0,
  '--max-leavers': 5,
  '--progress': 'auto',
  '--latency': 0,
};

/**
 * The default of a flag; `undefined` if there is none, or if it depends on more than the command line.
 *
 * @param path the words of its command.
 * @param name `--limit`.
 */
export function defaultOf(path: readonly string[], name: string): Default | undefined {
  const place = `${path.join(' ')} ${name}`;
  const known = Object.hasOwn(byPlace, place) ? byPlace[place] : byName[name];
  if (known !== undefined || path.length > 0) return known;
  // A global flag has the default of its setting.
  const fallback = settings.find(({ flag }) => flag === name)?.fallback;
  return fallback !== undefined && /^\d+$/.test(fallback) ? Number(fallback) : fallback;
}
