import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { childOf, similarChildren, similarWords, wordsOf } from '../commands/help/find.ts';
import { nearest, nearestFlag } from '../model/names.ts';
import { flagsEnd, shellLine } from '../print/text.ts';
import { collectList, fieldIn, inOurWords, type Root, wordsIn } from './flags.ts';
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
  const lines = accepted(argv, root, MOST_MENDS);
  return [...new Set(lines.map((line) => shellLine(['innctl', ...line])))];
}

function disarm(command: CommandUnknownOpts): void {
  if (command.commands.length === 0) command.action(() => {});
  command.commands.forEach(disarm);
}

/** The line itself, or what the first mend makes of it that leads to lines that the program accepts. */
function accepted(typed: Line, root: Root, mendsLeft: number): readonly Line[] {
  const argv = inCanonicalWords(typed, root);
  const error = refusalOf(argv, root);
  if (error === undefined) return [argv];
  if (mendsLeft === 0) return [];
  const command = namedCommand(root);
  const refused = { argv, root, command, sentence: error.message, ...wrongWord(error, command, argv, root) };
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
  const extra = command.args.slice(
    code === 'commander.excessArguments' ? command.registeredArguments.length : 0,
  );
  const word = command.args.find((each) => fieldIn(each, longNames(command))) ?? extra[0] ?? '';
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
    'commander.unknownCommand': [
      byCase,
      withoutFiller,
      ...byPhrase,
      byVerb,
      byOrder,
      byNoun,
      bySimilarCommand,
    ],
    'commander.unknownOption': [...byPhrase, byFlagName, byArgument, bySubcommand, bySimilarFlag],
    'commander.excessArguments': [withDashes, withComma, withoutFiller, ...byPhrase],
  };
  return own[code] ?? [];
}

const byPhrase: readonly Mend[] = phrases.map(([pattern, ours]) => ({ argv, root }) => {
  const parts = pattern.split(' ');
  const words = wordsIn(argv, root)
    .flatMap(({ value, at }) => halvesOf(value).map((half) => ({ value: half, at })))
    .slice(0, parts.length);
  const isMeant = parts.every((part, index) => fits(part, words[index]?.value ?? '', root));
  const isSecondQuery = ours.includes('--query') && argv.some((word) => word.startsWith('--query'));
  if (!isMeant || isSecondQuery) return [];
  const captured = words.filter((_, index) => parts[index]?.startsWith('$')).map(({ value }) => value);
  const places = words.map(({ at }) => at);
  const meant = ours.split(' ').map((word) => filled(word, captured));
  return [replaced(argv, places, meant)];
});

/** `--city=Berlin` is two words. */
function halvesOf(word: string): Line {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** @param part `$1`, or alternatives. */
function fits(part: string, word: string, root: Root): boolean {
  if (part === '.') return word === '';
  if (part.startsWith('$')) return word !== '' && !word.startsWith('-') && kinds[part]?.test(word) !== false;
  return part.split('|').includes(word) || part === childOf(root, word)?.name();
}

const kinds: Readonly<Record<string, RegExp>> = {
  '$@': /^[^/]+@/,
  $A: /^[A-Z0-9][A-Z0-9_-]+$/,
  $C: /^[a-z]{3}$/i,
  $B: /\s/,
  $P: /\p{L}/u,
  '$=': /=/,
};

/** In quotes, a captured word is a text of JMESPath. */
function filled(word: string, captured: readonly string[]): string {
  return word.replaceAll(/\$([1-3])/g, (_, index) => {
    const typed = captured[Number(index) - 1] ?? '';
    return word.includes("'") ? typed.replaceAll(/['\\]/g, String.raw`\$&`) : typed;
  });
}

/** Puts words in the place of others. */
function replaced(argv: Line, places: readonly number[], words: Line): Line {
  return argv.flatMap((word, index) => {
    if (index === places[0]) return words;
    return places.includes(index) ? [] : [word];
  });
}

/** `GET properties`. */
const byCase: Mend = ({ argv, root, word, at }) => {
  const lower = word.toLowerCase();
  const isKnown =
    Object.hasOwn(verbs, lower) || [root, ...root.commands].some((each) => childOf(each, lower));
  return lower !== word && isKnown ? [argv.with(at, lower)] : [];
};

/** `users list at BER`. */
const withoutFiller: Mend = ({ argv, root }) => {
  const isFiller = /^(to|from|at|in|for|of|as)$/;
  const filler = wordsIn(argv, root).find(({ value }, index) => index > 0 && isFiller.test(value));
  return filler === undefined ? [] : [argv.toSpliced(filler.at, 1)];
};

const byVerb: Mend = ({ argv, command, word, at }) => {
  const ours = Object.hasOwn(verbs, word) ? verbs[word] : undefined;
  const verb = ours?.find((name) => childOf(command, name) !== undefined);
  return verb === undefined ? [] : [argv.with(at, verb)];
};

/** `list properties`, `list-properties`. */
const byOrder: Mend = ({ argv, root, command }) => {
  const [first, ...others] = wordsIn(argv, root);
  if (command !== root || first === undefined) return [];
  const noun =
    others.find(({ value }) => childOf(root, value) !== undefined) ??
    others.slice(0, 1).find(({ value }) => similarChildren(root, value).length === 1);
  const swapped = noun && replaced(argv.toSpliced(noun.at, 1), [first.at], [noun.value, first.value]);
  const [left = '', right = '', ...rest] = first.value.split(/[-:./\s]+/);
  const halves = right === '' || rest.length > 0 ? [] : [left, right];
  const split = [halves, halves.toReversed()].map((words) => argv.toSpliced(first.at, 1, ...words));
  return [...(swapped === undefined ? [] : [swapped]), ...(halves.length === 0 ? [] : split)];
};

/** `undelete` is not `delete`, nor `disinvite` `invite`. */
const bySimilarCommand: Mend = ({ argv, command, word, at }) => {
  const [prefix = ''] = /^(un|dis|de|non)/.exec(word.toLowerCase()) ?? [];
  const names = similarChildren(command, word).filter((name) => name.startsWith(prefix));
  return names.map((name) => argv.with(at, name));
};

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
  const names = longNames(command, root);
  return oursFor(word).filter((each) => names.includes(each.replace(/=.*/, '')));
}

function oursFor(flag: string): Line {
  const name = withoutDashes(flag);
  return (Object.hasOwn(flagNames, name) ? flagNames[name] : undefined) ?? [];
}

/** A flag for the first argument: `--email ana@example.com`, `-f hotels.yaml`. */
const byArgument: Mend = ({ argv, root, command, word, at }) => {
  const isFirst = wordsIn(argv, root)[pathOf(command).length]?.at === at;
  const names = [withoutDashes(word), ...oursFor(word)].filter((name) => name.length > 1);
  const [takes = ''] = command.registeredArguments.map((argument) => argument.name().replaceAll('-', ''));
  return isFirst && names.some((name) => takes.includes(name))
    ? [argv.toSpliced(at, 1, ...halvesOf(argv[at] ?? '').slice(1))]
    : [];
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
  const names = longNames(command, root);
  const words = names.includes(word) ? [`--${word}`] : fieldIn(word, names);
  return words === undefined ? [] : [argv.toSpliced(at, 1, ...words)];
};

/** Codes have capitals, names of fields do not. */
const hasCapital = (word = '') => /[A-Z]/.test(word);

/** Further values of a flag that takes a list: `--property BER VIE`. */
const withComma: Mend = ({ argv, root, command }) => {
  const takesList = (flag: string) =>
    [...command.options, ...root.options].some(
      ({ long, flags, parseArg }) => long === flag && parseArg === collectList && flags.endsWith('s>'),
    );
  return wordsIn(argv, root).flatMap(({ at }) => {
    const [flag = '', attached] = (argv[at - 1] ?? '').split('=');
    const isFurther = attached === undefined ? takesList(argv[at - 2] ?? '') : takesList(flag);
    const end = argv.findIndex((each, index) => index > at && each.startsWith('-'));
    const own = argv.slice(at - 1, end === -1 ? undefined : end);
    return isFurther && own.length > 1 && hasCapital(own.at(-1)) === hasCapital(own[0])
      ? [argv.toSpliced(at - 1, own.length, own.join(','))]
      : [];
  });
};

const byChoice: Mend = ({ argv, sentence }) => {
  const [, typed = '', choices = ''] =
    / argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s.exec(sentence) ?? [];
  const meant = nearest(typed, choices.split(', '));
  const at = argv.findIndex((word) => word === typed || word.endsWith(`=${typed}`));
  return meant === undefined ? [] : [argv.with(at, `${argv[at]?.slice(0, -typed.length)}${meant}`)];
};

function renamed(argv: Line, at: number, flag: string, name: string): Line {
  return argv.with(at, `--${name}${(argv[at] ?? '').slice(flag.length)}`);
}

/** The long names of all flags of commands, without dashes. */
function longNames(...commands: readonly CommandUnknownOpts[]): readonly string[] {
  const flags = commands.flatMap(({ options }) => options).filter(({ hidden }) => !hidden);
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
