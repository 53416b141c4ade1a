import { parsedJson } from '../model/json-text.ts';
import { hasHidden } from '../print/text.ts';
import type { ArgumentModel, CommandModel, FlagModel } from './model.ts';
import type { CacheKind, Code, Taken, Values } from './values.ts';

/** What the build knows; made by `completionData`. */
export interface Data {
  readonly root: Tree;
  /** The codes of each kind, as lines of a cache file. */
  readonly codes: Readonly<Record<Code, string>>;
}

/** The part of a command's data that completion needs. */
export type Tree = Pick<CommandModel, 'path' | 'aliases' | 'summary' | 'arguments' | 'flags'> & {
  readonly commands: readonly Tree[];
};

/** A command line without the program's name, as the program would get it. */
export interface Line {
  readonly before: readonly string[];
  /** The word at the cursor, up to the cursor. */
  readonly typed: string;
  readonly after: readonly string[];
}

/** What is on the disk and in the environment, and what the build knows. */
export interface Surroundings extends Data {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folders of settings and of state. */
  readonly config: string;
  readonly state: string;
  /** The text of a small file; empty if there is none. */
  readonly read: (...path: readonly string[]) => string;
  /** The last part of each journal, the newest first. */
  readonly journals: () => readonly string[];
}

/** What to offer at the cursor. */
export interface Answer {
  /** The beginning of the typed word that stands before each value: `--output=`, `BER,`. */
  readonly kept: string;
  readonly offers: readonly CachedLine[];
  /** `files`, `folders`: the shell completes them. `nospace`: the word continues after a value. */
  readonly directive: 'files' | 'folders' | 'nospace' | 'nothing';
}

const nothing: Answer = { kept: '', offers: [], directive: 'nothing' };

/** Everything that could stand at the cursor: the values are not yet compared with what is typed. */
export function complete(line: Line, around: Surroundings): Answer {
  const { typed } = line;
  const { root } = around;
  const seen = read(root, line);
  const { command, asked, isEnded, isLost } = seen;
  if (isLost) return nothing;
  const values = (taken: Taken, kept = '') =>
    valuesOf(taken, { kept, rest: typed.slice(kept.length) }, seen, around);
  if (asked?.value !== undefined) return values(asked.value);
  const flags = isEnded ? [] : flagsOf(command, root, seen.inHelp);
  const [name] = /^--[^=]*(?==)/.exec(typed) ?? [];
  if (!isEnded && name !== undefined) {
    const value = flagNamed(name, flags)?.value;
    return value === undefined ? nothing : values(value, `${name}=`);
  }
  if (!isEnded && typed.startsWith('-')) return offerFlags(flags, seen.given, true);
  if (command.commands.length > 0) return commandsOf(seen, root);
  const argument = argumentAt(seen);
  if (argument !== undefined) return values(argument);
  return typed === '' && !seen.inHelp ? offerFlags(flags, seen.given, false) : nothing;
}

/** What the words around the cursor mean. */
type Seen = ReturnType<typeof read>;

function read(root: Tree, { before, typed, after }: Line) {
  let command = root;
  let inHelp = false;
  let isEnded = false;
  let isLost = false;
  let profile: string | undefined;
  let pending: FlagModel | undefined;
  const args: string[] = [];
  const given = new Set<FlagModel>();
  const take = (value: string) => {
    if (pending?.long === '--profile') profile = value;
    pending = undefined;
  };
  const name = (flag: FlagModel | undefined) => {
    if (flag === undefined) return;
    given.add(flag);
    if (flag.long === '--sandbox') profile = 'sandbox';
    pending = flag.value === undefined ? undefined : flag;
  };
  const enter = (word: string) => {
    const childOf = (name: string) =>
      command.commands.find(({ path, aliases }) => path.at(-1) === name || aliases.includes(name));
    const isInvited = command.path.join() === 'invitations' && word.includes('@') && !inHelp;
    const child = childOf(isInvited ? 'create' : word);
    if (command.commands.length === 0 || isInvited) args.push(word);
    if (command.commands.length === 0) return;
    if (child === undefined || isEnded) isLost = true;
    else if (!inHelp && child.path[0] === 'help') inHelp = true;
    else command = child;
  };
  /** @param isAfter the word is behind the cursor: only flags count. */
  const scan = (word: string, isAfter: boolean) => {
    const flags = flagsOf(command, root, inHelp);
    if (isEnded) return isAfter ? undefined : enter(word);
    if (pending !== undefined && !skips(pending, word)) return take(word);
    pending = undefined;
    if (word === '--') isEnded = true;
    else if (word.startsWith('--')) {
      const [long = '', ...value] = word.split('=');
      name(flagNamed(long, flags));
      if (value.length > 0) take(value.join('='));
    } else if (/^-./.test(word)) {
      let letters = word.slice(1);
      while (letters !== '' && pending === undefined) {
        name(flagNamed(`-${letters[0]}`, flags));
        letters = letters.slice(1);
      }
      if (letters !== '') take(letters);
    } else if (!isAfter) enter(word);
  };
  for (const word of before) scan(word, false);
  const [asked, endedBefore] = [pending, isEnded];
  pending = undefined;
  for (const word of after) scan(word, true);
  const isAsked = asked !== undefined && !skips(asked, typed);
  return {
    command,
    /** The words are those of `help`, and `command` is what it is asked about. */
    inHelp,
    /** The arguments before the cursor. */
    arguments: args,
    /** The flag whose value is at the cursor. */
    asked: isAsked ? asked : undefined,
    given,
    /** The profile of a flag. */
    profile,
    /** `--` was given. */
    isEnded: endedBefore,
    /** There is no such command. */
    isLost,
  };
}

/** The flags of a command and the global ones; the words of `help` take only those. */
function flagsOf(command: Tree, root: Tree, inHelp: boolean): readonly FlagModel[] {
  return inHelp || command === root ? root.flags : [...command.flags, ...root.flags];
}

/** A flag whose value is optional does not take a word that looks like a flag. */
function skips({ value }: FlagModel, word: string): boolean {
  return value?.isOptional === true && word.startsWith('-');
}

function flagNamed(name: string, flags: readonly FlagModel[]): FlagModel | undefined {
  return flags.find(({ short, long }) => short === name || long === name);
}

/** The flags without those that are given and must not be repeated, the global ones last. */
function offerFlags(flags: readonly FlagModel[], given: Seen['given'], withShort: boolean): Answer {
  const offers = flags
    .filter((flag) => !given.has(flag) || flag.value?.several !== undefined)
    .flatMap(({ short, long, description }) =>
      [...(withShort && short !== undefined ? [short] : []), long].map((value) => ({ value, description })),
    );
  return { ...nothing, offers };
}

function commandsOf({ command, inHelp, isEnded }: Seen, root: Tree): Answer {
  const children = command.commands.map(({ path, summary }) => ({
    value: path.at(-1) ?? '',
    description: summary,
  }));
  const topics = root.commands.find(({ path }) => path[0] === 'help')?.arguments[0]?.values;
  const words = inHelp && command === root && topics?.kind === 'choices' ? offersOf(topics.choices) : [];
  return isEnded ? nothing : { ...nothing, offers: [...children, ...words] };
}

function argumentAt({ command, inHelp, arguments: { length } }: Seen): ArgumentModel | undefined {
  if (inHelp) return undefined;
  const last = command.arguments.at(-1);
  return command.arguments[length] ?? (last?.isVariadic === true ? last : undefined);
}

/** @param word what is typed, in the part that stays and the rest. */
function valuesOf(
  { values, several }: Taken,
  word: { readonly kept: string; readonly rest: string },
  seen: Seen,
  around: Surroundings,
): Answer {
  const end = several === 'commas' ? word.rest.lastIndexOf(',') + 1 : 0;
  const kept = word.kept + word.rest.slice(0, end);
  const used = word.rest.slice(0, end).split(',');
  if (values.kind === 'setting') {
    const own = values.of[seen.arguments[0] ?? ''];
    return own === undefined ? nothing : valuesOf({ values: own, several: undefined }, word, seen, around);
  }
  const directive = values.kind === 'file' ? 'files' : values.kind === 'folder' ? 'folders' : 'nothing';
  const offers = valuesIn(values, seen, around).filter(
    // A value that looks like a flag would be taken for one.
    ({ value }) => !used.includes(value) && !(kept === '' && value.startsWith('-')),
  );
  return { kept, offers, directive: values.kind === 'texts' ? 'nospace' : directive };
}

function valuesIn(values: Values, { profile }: Seen, around: Surroundings): readonly CachedLine[] {
  switch (values.kind) {
    case 'choices':
      return offersOf(values.choices);
    case 'cached':
      return cached(values.from, profile, around);
    case 'code':
      return linesIn(around.codes[values.of]);
    case 'texts':
      return linesIn(around.codes.language).map(({ value, description }) => ({
        value: `${value}=`,
        description,
      }));
    case 'run':
      return around.journals().flatMap(runsIn);
    default:
      return [];
  }
}

function offersOf(values: readonly string[]): readonly CachedLine[] {
  return values.map((value) => ({ value, description: '' }));
}

/** What lists left behind for the profile in force. */
function cached(kind: CacheKind, named: string | undefined, around: Surroundings): readonly CachedLine[] {
  const { env, state } = around;
  if (kind === 'profiles') return offersOf(profilesIn(around).names);
  const withEmails = /^(1|true|yes)$/i.test(env['INNCTL_COMPLETE_EMAILS'] ?? '');
  const owner = ownerOf(named, around);
  if (owner === undefined || (kind.endsWith('-emails') && !withEmails)) return [];
  const offers = linesIn(around.read(state, 'completion/by-profile', owner, kind));
  return offers.length === 0 && kind === 'countries' ? linesIn(around.codes.country) : offers;
}

/** Only these names may become a path. */
const profileName = /^[a-z0-9][a-z0-9_-]*$/;

/** The owner of cached values. Variables that select a service override every profile but the sandbox, unless a flag names one. */
function ownerOf(named: string | undefined, around: Surroundings): string | undefined {
  const { env } = around;
  const profile = named || env['INNCTL_PROFILE'] || profilesIn(around).active;
  const isExported = Boolean(env['INNCTL_BASE_URL'] || env['INNCTL_IDENTITY_URL']);
  if (!named && profile !== 'sandbox' && isExported) return '_environment';
  return profile !== undefined && profileName.test(profile) ? profile : undefined;
}

function profilesIn({ config, read: text }: Surroundings) {
  const found: unknown = parsedJson(text(config, 'config.json'));
  const { profiles, active_profile: active } = (found ?? {}) as {
    profiles?: unknown;
    active_profile?: unknown;
  };
  const names = Object.keys(profiles ?? {}).filter((name) => profileName.test(name) && name !== 'sandbox');
  return { names: [...names.sort(), 'sandbox'], active: typeof active === 'string' ? active : undefined };
}

/** The runs of a journal, the last one first; the text may begin within a line. */
function runsIn(text: string): readonly CachedLine[] {
  const lines = text.split('\n').reverse();
  return lines.flatMap((line) => {
    const { is, run: id, command, at } = (parsedJson(line) ?? {}) as Readonly<Record<string, unknown>>;
    const about = `${command}, ${at}`;
    if (is !== 'start' || typeof id !== 'string' || !/^\w[\w.:-]{0,127}$/.test(id)) return [];
    return [{ value: id, description: hasHidden(about) ? '' : about.slice(0, 80) }];
  });
}

/** A value of a cache file of completions: a line `BER<TAB>Grand Hotel Berlin`. The description may be empty. */
export interface CachedLine {
  readonly value: string;
  readonly description: string;
}

/** Maximum number of lines of a file. */
export const MOST_LINES = 5_000;

const LONGEST_VALUE = 200;

/** The valid lines of a file: on one line, without what a terminal interprets or does not show. */
export function linesIn(text: string): readonly CachedLine[] {
  return text.split('\n', MOST_LINES).flatMap((line) => {
    const [value = '', description, ...more] = line.split('\t');
    // Bytes that are not UTF-8 become U+FFFD.
    const isWrong =
      description === undefined || more.length > 0 || /\ufffd/.test(line) || hasHidden(description);
    return isWrong || !isCacheable(value)
      ? []
      : [{ value, description: description.slice(0, LONGEST_VALUE) }];
  });
}

/** The text of a file: each value once, as in its first line. */
export function linesText(lines: readonly CachedLine[]): string {
  const byValue = new Map<string, string>();
  for (const { value, description } of lines) {
    if (byValue.size === MOST_LINES) break;
    if (!byValue.has(value)) byValue.set(value, description);
  }
  return [...byValue].map((line) => `${line.join('\t')}\n`).join('');
}

/** Whether a value is short, and shown as it is by a terminal. */
export function isCacheable(value: string): boolean {
  return value.trim() !== '' && value.length <= LONGEST_VALUE && !/[\n\t]/.test(value) && !hasHidden(value);
}
