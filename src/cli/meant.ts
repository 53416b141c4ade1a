import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { childOf, similarChildren, similarWords, wordsOf } from '../commands/help/find.ts';
import { nearest, nearestFlag } from '../model/names.ts';
import { flagsEnd, shellLine } from '../out/text.ts';
import { collectList, inOurWords, type Root, wordsIn } from './flags.ts';
import { flagNames, phrases, verbs } from './phrases.ts';

/** Words of a command line. */
type Line = readonly string[];

/** A command line that the program refuses. */
interface Refused {
  readonly argv: Line;
  readonly root: Root;
  /** The innermost command of the line. */
  readonly command: CommandUnknownOpts;
  /** The unknown command, the unknown flag, or the first argument too many, and its index; no word is at -1. */
  readonly word: string;
  readonly at: number;
  /** Commander's message. */
  readonly sentence: string;
}

/** Returns lines that may have been meant. */
type Mend = (refused: Refused) => readonly Line[];

/** Most lines need one or two. */
const MOST_MENDS = 4;

/**
 * The command lines that may have been meant: the program accepts them. Nothing is run.
 *
 * @param root the whole command tree; its commands lose their actions.
 */
export function linesMeant(argv: Line, root: Root): readonly string[] {
  disarm(root);
  const lines = accepted(argv, root, MOST_MENDS).map((line) => inCanonicalWords(line, root));
  return [...new Set(lines.map((line) => shellLine(['innctl', ...line])))];
}

function disarm(command: CommandUnknownOpts): void {
  if (command.commands.length === 0) command.action(() => {});
  command.commands.forEach(disarm);
}

/** The line itself, or what the first mend makes of it that leads to lines that the program accepts. */
function accepted(argv: Line, root: Root, mendsLeft: number): readonly Line[] {
  const error = refusalOf(argv, root);
  if (error === undefined) return [argv];
  if (mendsLeft === 0) return [];
  const command = namedCommand(root);
  const sentence = error.message;
  const refused = { argv, root, command, sentence, ...wrongWord(error, command, argv, root) };
  for (const mend of mendsFor(error.code, refused.at)) {
    const lines = mend(refused).flatMap((line) => accepted(line, root, mendsLeft - 1));
    if (lines.length > 0) return lines;
  }
  const isIncomplete = error.code === 'commander.missingArgument' && mendsLeft < MOST_MENDS;
  return isIncomplete ? [[...pathOf(command), '--help']] : [];
}

function refusalOf(argv: Line, root: Root): CommanderError | undefined {
  try {
    root.parse(inOurWords(argv, root), { from: 'user' });
    return undefined;
  } catch (error) {
    const isPage =
      error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help');
    if (isPage) return undefined;
    return error instanceof CommanderError ? error : new CommanderError(2, 'invalid', String(error));
  }
}

function wrongWord({ code, message }: CommanderError, command: CommandUnknownOpts, argv: Line, root: Root) {
  const flag = flagIn(message);
  if (flag !== '') {
    const at = argv.findIndex((each) => each === flag || each.startsWith(`${flag}=`));
    return { word: flag, at: at < flagsEnd(argv) ? at : -1 };
  }
  const [word = ''] = command.args.slice(
    code === 'commander.excessArguments' ? command.registeredArguments.length : 0,
  );
  return { word, at: wordsIn(argv, root).find(({ value }) => value === word)?.at ?? -1 };
}

/** The unknown flag of a message, without its value. */
export function flagIn(sentence: string): string {
  return /unknown option '(--?[^=']+)/.exec(sentence)?.[1] ?? '';
}

/** Follows the arguments that commander left in each command: the first may name a subcommand. */
export function namedCommand(command: CommandUnknownOpts): CommandUnknownOpts {
  const child = childOf(command, command.args[0] ?? '');
  return child === undefined ? command : namedCommand(child);
}

function mendsFor(code: string, at: number): readonly Mend[] {
  if (code === 'commander.invalidArgument') return [byChoice];
  if (at === -1) return byPhrase;
  const own: Readonly<Record<string, readonly Mend[]>> = {
    'commander.unknownCommand': [...byPhrase, byVerb, byOrder, byNoun, bySimilarCommand],
    'commander.unknownOption': [...byPhrase, byFilter, byFile, byFlagName, bySubcommand, bySimilarFlag],
    'commander.excessArguments': [withDashes, withComma, ...byPhrase],
  };
  return own[code] ?? [];
}

const byPhrase: readonly Mend[] = phrases.map(([pattern, ours]) => ({ argv, root }) => {
  const parts = pattern.split(' ');
  const words = wordsIn(argv, root).slice(0, parts.length);
  const isMeant = parts.every((part, index) => fits(part, words[index]?.value ?? '', root));
  if (!isMeant) return [];
  const captured = words.filter((_, index) => parts[index]?.startsWith('$')).map(({ value }) => value);
  const places = words.map(({ at }) => at);
  const meant = ours.split(' ').map((word) => filled(word, captured));
  return [replaced(argv, places, meant)];
});

/** @param part `$1`, or alternatives. */
function fits(part: string, word: string, root: Root): boolean {
  if (part === '$@') return word.includes('@') && !word.startsWith('-');
  if (part === '$A') return /^[A-Z0-9][A-Z0-9_-]+$/.test(word);
  if (part === '$P') return /^(?=.*[A-Za-z])\w[\w-]*$/.test(word);
  if (part.startsWith('$')) return word !== '' && !word.startsWith('-');
  return part.split('|').includes(word) || part === childOf(root, word)?.name();
}

/** Inside another word, a captured word is a text of JMESPath. */
function filled(word: string, captured: readonly string[]): string {
  const wordOf = (sign: string) => captured[sign === '$2' ? 1 : 0] ?? '';
  if (/^\$[12]$/.test(word)) return wordOf(word);
  return word.replaceAll(/\$[12]/g, (sign) => wordOf(sign).replaceAll(/['\\]/g, String.raw`\$&`));
}

/** Puts words in the place of others. */
function replaced(argv: Line, places: readonly number[], words: Line): Line {
  return argv.flatMap((word, index) => {
    if (index === places[0]) return words;
    return places.includes(index) ? [] : [word];
  });
}

const byVerb: Mend = ({ argv, command, word, at }) => {
  const ours = Object.hasOwn(verbs, word) ? verbs[word] : undefined;
  const verb = ours?.find((name) => childOf(command, name) !== undefined);
  return verb === undefined ? [] : [argv.with(at, verb)];
};

/** `list properties`, `list-properties`. */
const byOrder: Mend = ({ argv, root, command }) => {
  const [first, ...others] = wordsIn(argv, root);
  if (command !== root || first === undefined) return [];
  const noun = others.find(({ value }) => childOf(root, value) !== undefined);
  const swapped = noun && replaced(argv.toSpliced(noun.at, 1), [first.at], [noun.value, first.value]);
  const [left = '', right = '', ...rest] = first.value.split(/[-:./\s]+/);
  const halves = right === '' || rest.length > 0 ? [] : [left, right];
  const split = [halves, halves.toReversed()].map((words) => argv.toSpliced(first.at, 1, ...words));
  return [...(swapped === undefined ? [] : [swapped]), ...(halves.length === 0 ? [] : split)];
};

const bySimilarCommand: Mend = ({ argv, command, word, at }) =>
  similarChildren(command, word).map((name) => argv.with(at, name));

/** A verb without its noun. */
const byNoun: Mend = ({ argv, root, command, word, at }) => {
  const nouns = command === root ? root.commands.filter((noun) => childOf(noun, word) !== undefined) : [];
  return nouns.map((noun) => argv.toSpliced(at, 0, noun.name()));
};

const byFlagName: Mend = ({ argv, root, command, word, at }) => {
  const isAlone = wordsIn(argv, root).length === 1;
  const [known] = flagsCalled(word, command, root).filter((name) => name !== 'version' || isAlone);
  return known === undefined ? [] : [renamed(argv, at, word, known)];
};

/** The flags of the command that other programs call so. */
function flagsCalled(word: string, command: CommandUnknownOpts, root: CommandUnknownOpts): Line {
  const name = withoutDashes(word);
  const ours = (Object.hasOwn(flagNames, name) ? flagNames[name] : undefined) ?? [];
  const names = longNames(command, root);
  return ours.filter((each) => names.includes(each.replace(/=.*/, '')));
}

/** `--filter status=Live`. */
const byFilter: Mend = ({ argv, root, command, word, at }) => {
  const [, attached] = (argv[at] ?? '').split(/=(.*)/s);
  const [, field, value = ''] = /^([a-z_-]+)==?(.*)$/s.exec(attached ?? argv[at + 1] ?? '') ?? [];
  if (field === undefined || !['--filter', '--where', '--search'].includes(word)) return [];
  const own = field.replaceAll('_', '-');
  const words = longNames(command, root).includes(own)
    ? [`--${own}`, value]
    : ['--param', `${field}=${value}`];
  return [replaced(argv, attached === undefined ? [at, at + 1] : [at], words)];
};

/** `apply -f hotels.yaml`. */
const byFile: Mend = ({ argv, command, word, at }) => {
  const takesFiles = command.registeredArguments.some((argument) => argument.name() === 'files');
  return takesFiles && ['-f', '--file', '--filename'].includes(word) ? [argv.toSpliced(at, 1)] : [];
};

/** A flag in front of the verb, or without it: `properties --limit 5 list`. */
const bySubcommand: Mend = ({ argv, root, command, word }) => {
  const depth = pathOf(command).length;
  const typed = wordsIn(argv, root);
  const place = depth === 0 ? 0 : (typed[depth - 1]?.at ?? 0) + 1;
  const verb = typed.slice(depth).find(({ value }) => childOf(command, value) !== undefined);
  if (verb !== undefined) return [argv.toSpliced(verb.at, 1).toSpliced(place, 0, verb.value)];
  const holders = command.commands.filter(({ options }) => options.some(({ long }) => long === word));
  return holders.length === 1 ? holders.map((holder) => argv.toSpliced(place, 0, holder.name())) : [];
};

const bySimilarFlag: Mend = ({ argv, root, command, word, at }) =>
  similarFlags(word, command, root).map((name) => renamed(argv, at, word, name));

function similarFlags(word: string, command: CommandUnknownOpts, root: CommandUnknownOpts): Line {
  return word.length < 3 ? [] : similarWords(withoutDashes(word), longNames(command, root), nearestFlag);
}

/** The flags that an unknown one may mean, with dashes. */
export function flagsMeant(word: string, command: CommandUnknownOpts, root: CommandUnknownOpts): Line {
  const called = flagsCalled(word, command, root).slice(0, 1);
  return (called.length > 0 ? called : similarFlags(word, command, root)).map((name) => `--${name}`);
}

/** A flag without its dashes, or with `=` as in other programs: `all`, `city=Berlin`. */
const withDashes: Mend = ({ argv, root, command, word, at }) => {
  const [name = ''] = word.split('=');
  return longNames(command, root).includes(name) ? [argv.with(at, `--${word}`)] : [];
};

/** Further values of a flag that takes a list: `--property BER VIE`. The message counts them. */
const withComma: Mend = ({ argv, root, command, sentence }) => {
  const [expected = 0, got = 0] = sentence.match(/\d+(?= arguments? but)|\d+(?=\.$)/g)?.map(Number) ?? [];
  const takesList = (flag: string) =>
    [...command.options, ...root.options].some(
      ({ long, parseArg }) => long === flag && parseArg === collectList,
    );
  return wordsIn(argv, root).flatMap(({ at }) => {
    const [flag = '', attached] = (argv[at - 1] ?? '').split('=');
    const isFurther = attached === undefined ? takesList(argv[at - 2] ?? '') : takesList(flag);
    const values = argv.slice(at - 1, at + got - expected);
    const end = values.findIndex((each) => each.startsWith('-'));
    const own = end > 0 ? values.slice(0, end) : values;
    return isFurther && own.length > 1 ? [argv.toSpliced(at - 1, own.length, own.join(','))] : [];
  });
};

const byChoice: Mend = ({ argv, sentence }) => {
  const [, typed = '', choices = ''] =
    / argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(sentence) ?? [];
  const meant = nearest(typed, choices.split(', '));
  const at = argv.findIndex((word) => word === typed || word.endsWith(`=${typed}`));
  return meant === undefined ? [] : [withPart(argv, at, typed, meant)];
};

function renamed(argv: Line, at: number, flag: string, name: string): Line {
  return withPart(argv, at, flag, `--${name}`);
}

/** Replaces a part of one word. */
function withPart(argv: Line, at: number, part: string, meant: string): Line {
  const word = argv[at] ?? '';
  return argv.with(
    at,
    word.replace(part, () => meant),
  );
}

/** The long names of all flags of the command, without dashes, global ones included. */
function longNames(command: CommandUnknownOpts, root: CommandUnknownOpts): readonly string[] {
  const flags = [...command.options, ...root.options].filter(({ hidden }) => !hidden);
  return [...flags.flatMap(({ long }) => long?.slice(2) ?? []), 'help'];
}

function inCanonicalWords(line: Line, root: Root): Line {
  let command: CommandUnknownOpts = root;
  let words = line;
  for (const { value, at } of wordsIn(line, root)) {
    const child = childOf(command, value);
    if (child === undefined) break;
    words = words.with(at, child.name());
    command = child;
  }
  return words;
}

function withoutDashes(flag: string): string {
  return flag.replace(/^--?/, '');
}

function pathOf(command: CommandUnknownOpts): Line {
  return wordsOf(command).slice(1);
}
