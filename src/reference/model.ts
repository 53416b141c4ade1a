import type { CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { type About, DescribedCommand } from '../cli/described-command.ts';
import { settings, settingTable } from '../config/settings.ts';
import { PAGE_SIZE } from '../service/paging.ts';
import { type Taken, takenBy } from './values.ts';

/** A flag of a command. */
export interface FlagModel {
  /** As help writes it: `-o, --output <format>`. */
  readonly flags: string;
  /** `-o`. */
  readonly short: string | undefined;
  /** `--output`. */
  readonly long: string;
  readonly description: string;
  /** What it takes; `undefined` for a switch. */
  readonly value: FlagValue | undefined;
  /** Heading under which help shows it. */
  readonly group: string | undefined;
}

/** What a flag takes. */
export interface FlagValue extends Taken {
  /** What stands in the brackets. */
  readonly placeholder: string;
  /** The flag may also stand alone. */
  readonly isOptional?: true;
  /** What it is where the flag is not given; `undefined` where that is nothing, or depends on something else. */
  readonly default: Default | undefined;
}

/** An argument of a command. */
export interface ArgumentModel extends Taken {
  readonly name: string;
  readonly description: string;
  /** Whether the command refuses to run without it. */
  readonly isRequired: boolean;
  readonly isVariadic: boolean;
}

/** A command as data: what completions, the reference and manual pages are made of. */
export interface CommandModel {
  /** Its words without the program's name; none for the root. */
  readonly path: readonly string[];
  readonly aliases: readonly string[];
  /** One line, without a full stop. */
  readonly summary: string;
  /** Sentences. */
  readonly description: string;
  readonly about: About;
  readonly arguments: readonly ArgumentModel[];
  /** Its own; those that all commands share are the root's. */
  readonly flags: readonly FlagModel[];
  readonly commands: readonly CommandModel[];
}

/** The command tree as data. Hidden flags are left out. */
export function modelOf(root: CommandUnknownOpts): CommandModel {
  return modelAt(root, []);
}

/** The root of the tree that a command stands in. */
export function rootOf(command: CommandUnknownOpts): CommandUnknownOpts {
  return command.parent === null ? command : rootOf(command.parent);
}

/** A command and all below it, in the order of the tree. */
export function allOf(command: CommandModel): readonly CommandModel[] {
  return [command, ...command.commands.flatMap(allOf)];
}

function modelAt(command: CommandUnknownOpts, path: readonly string[]): CommandModel {
  return {
    path,
    aliases: command.aliases(),
    summary: command.summary() || firstSentence(command.description()),
    description: command.description(),
    about: command instanceof DescribedCommand ? command.about : { examples: [] },
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      description: argument.description,
      // Where usage is written out by hand, the command itself looks for what is missing.
      isRequired: argument.required || command.usage().includes(`<${argument.name()}>`),
      isVariadic: argument.variadic,
      ...takenBy(path, `<${argument.name()}>`, argument.name()),
    })),
    flags: flagsOf(command, path),
    commands: command.commands.map((child) => modelAt(child, [...path, child.name()])),
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

/** What a flag stands for where it is not given. */
type Default = string | number;

/** By the command and its flag, where the flag alone does not say it. */
const byPlace: Readonly<Record<string, Default>> = {
  'sandbox serve --seed': 'small',
  'profiles add --dialect': settingTable.dialect.fallback,
  'sandbox serve --dialect': settingTable.dialect.fallback,
  'login --dialect': settingTable.dialect.fallback,
  'profiles add --idempotency-header': settingTable.idempotency_header.fallback,
};

/** By the flag. */
const byName: Readonly<Record<string, Default>> = {
  '--color': 'auto',
  '--page-size': PAGE_SIZE,
  '--concurrency': 4,
  '--max-deletes': 0,
  '--progress': 'auto',
  '--latency': 0,
  '--fault-seed': 1,
};

/**
 * What a flag that takes a value stands for where it is not given; `undefined` where that is nothing, or depends on
 * more than the command line.
 *
 * @param path the words of its command.
 * @param name `--limit`.
 */
export function defaultOf(path: readonly string[], name: string): Default | undefined {
  return byPlace[`${path.join(' ')} ${name}`] ?? byName[name] ?? fallbackOf(path, name);
}

/** Flags that all commands share give a setting, and the setting has a fallback. */
function fallbackOf(path: readonly string[], name: string): Default | undefined {
  if (path.length > 0) return undefined;
  const fallback = settings.find(({ flag }) => flag === name)?.fallback;
  return fallback !== undefined && /^\d+$/.test(fallback) ? Number(fallback) : fallback;
}
