import { exitCodesOf } from '../cli/described-command.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { settings } from '../config/settings.ts';
import { effectSentence, meaningOf } from './command-records.ts';
import { type ArgumentModel, allOf, type CommandModel, type FlagModel, type FlagValue } from './model.ts';
import { argumentText, flagText } from './reference-page.ts';

/** The date that every page bears. It changes by hand, with a release: a page must not differ from one day to the next. */
const DATE = 'November 1, 2026';

const files = [
  {
    path: '~/.config/innctl',
    text: 'Settings and credentials; below XDG_CONFIG_HOME where that is set.',
  },
  {
    path: '~/.local/state/innctl',
    text: 'Journals, the sandbox, and what completions offer; below XDG_STATE_HOME where that is set.',
  },
];

/**
 * The manual pages, by file name: one for the program, one for each group, one for each command.
 *
 * @param version of the program.
 */
export function manualPages(root: CommandModel, version: string): ReadonlyMap<string, string> {
  return new Map(
    allOf(root).map((command) => {
      const lines = command.path.length === 0 ? programPage(command, version) : commandPage(command);
      return [`${nameOf(command)}.1`, `${lines.join('\n')}\n`];
    }),
  );
}

function programPage(root: CommandModel, version: string): readonly string[] {
  return [
    ...head(root),
    '.Sh DESCRIPTION',
    ...filled(`${root.description} This is version ${version}.`),
    ...childrenOf(root),
    '.Pp',
    ...filled('All commands take these flags, before or after the command:'),
    ...flagList(root.flags),
    '.Sh ENVIRONMENT',
    ...filled('A flag wins over a variable, a variable over the profile.'),
    ...tagged(settings.map(({ env, summary }) => ({ tag: `Ev ${argument(env)}`, text: filled(summary) }))),
    '.Sh FILES',
    ...tagged(files.map(({ path, text }) => ({ tag: `Pa ${argument(path)}`, text: filled(text) }))),
    '.Pp',
    ...filled('INNCTL_CONFIG_DIR names one folder for all of it.'),
    ...exitStatus(Object.values(ExitCode)),
    ...seeAlso(allOf(root).slice(1).map(nameOf)),
  ];
}

function commandPage(command: CommandModel): readonly string[] {
  const { about, path, aliases, description, arguments: values, flags, commands } = command;
  const effect = effectSentence(about);
  const also = aliases.length === 0 ? '' : `It may also be typed as ${aliases.join(' or ')}.`;
  const above = path.slice(0, -1).map((_, index) => ['innctl', ...path.slice(0, index + 1)].join('-'));
  return [
    ...head(command),
    '.Sh DESCRIPTION',
    ...filled([description, effect ?? '', also].join(' ')),
    ...childrenOf(command),
    ...(values.length === 0 ? [] : ['.Pp', 'The arguments are as follows:', ...argumentList(values)]),
    ...(flags.length === 0 ? [] : ['.Pp', 'The flags are as follows:', ...flagList(flags)]),
    '.Pp',
    'Flags that all commands share are described in',
    '.Xr innctl 1 .',
    ...(effect === undefined ? [] : exitStatus(exitCodesOf(about))),
    ...seeAlso(['innctl', ...above, ...commands.map(nameOf)]),
  ];
}

/** Down to the examples, which come first: a section of that name alone would have to stand near the end. */
function head(command: CommandModel): readonly string[] {
  const { path, summary, about, arguments: values, flags, commands } = command;
  const name = nameOf(command);
  return [
    `.Dd ${DATE}`,
    `.Dt ${name.toUpperCase()} 1`,
    '.Os',
    '.Sh NAME',
    `.Nm ${name}`,
    `.Nd ${escaped(summary)}`,
    '.Sh SYNOPSIS',
    '.Nm innctl',
    ...path.map((word) => `.Cm ${argument(word)}`),
    ...(commands.length === 0 ? [] : ['.Ar command']),
    ...values.map(argumentInUsage),
    ...(flags.length === 0 ? [] : ['.Op Ar flags']),
    '.Sh FIRST EXAMPLES',
    ...literal(about.examples.map((example) => `innctl ${example}`)),
  ];
}

function childrenOf({ commands }: CommandModel): readonly string[] {
  if (commands.length === 0) return [];
  const entries = commands.map((child) => ({ tag: `Xr ${nameOf(child)} 1`, text: filled(child.summary) }));
  return ['.Pp', 'The commands are as follows:', ...tagged(entries)];
}

function argumentInUsage({ name, isRequired, isVariadic }: ArgumentModel): string {
  const words = `Ar ${argument(name)}${isVariadic ? ' ...' : ''}`;
  return isRequired ? `.${words}` : `.Op ${words}`;
}

function argumentList(values: readonly ArgumentModel[]): readonly string[] {
  return tagged(
    values.map((value) => ({ tag: `Ar ${argument(value.name)}`, text: filled(argumentText(value)) })),
  );
}

function flagList(flags: readonly FlagModel[]): readonly string[] {
  return tagged(
    flags.map((flag) => {
      const value = flag.value === undefined ? '' : valueWord(flag.value);
      const words = [flag.short, flag.long].filter((word) => word !== undefined);
      // The macro writes the first dash.
      const tag = words.map((word) => `Fl ${argument(word.slice(1))}`).join(' , ');
      return { tag: `${tag}${value}`, text: filled(flagText(flag)) };
    }),
  );
}

function valueWord({ placeholder, isOptional }: FlagValue): string {
  return `${isOptional === true ? ' Op' : ''} Ar ${argument(placeholder)}`;
}

function exitStatus(codes: readonly ExitCode[]): readonly string[] {
  const entries = codes.map((code) => ({ tag: `${code}`, text: filled(meaningOf(code)) }));
  return ['.Sh EXIT STATUS', ...tagged(entries, '000')];
}

/** Other pages in the order of the alphabet, commas between. */
function seeAlso(names: readonly string[]): readonly string[] {
  const sorted = [...new Set(names)].sort();
  return [
    '.Sh SEE ALSO',
    ...sorted.map((name, index) => `.Xr ${name} 1${index < sorted.length - 1 ? ' ,' : ''}`),
  ];
}

function nameOf({ path }: CommandModel): string {
  return ['innctl', ...path].join('-');
}

/** Longest line of a manual page's source. */
const WIDTH = 78;

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '"': '\\(dq',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** A text in which nothing means anything to roff, and every character comes out as itself, in any locale. */
function escaped(text: string): string {
  return Array.from(text, (character) => escapes[character] ?? plain(character)).join('');
}

/** Sentences as filled text: each begins a line, and none of the lines is one of roff's own. */
function filled(text: string): readonly string[] {
  return text
    .trim()
    .split(/(?<=[.!?]["')\]]*)\s+/)
    .flatMap(wrapped)
    .map(textLine);
}

/** Lines as they are typed. */
function literal(lines: readonly string[]): readonly string[] {
  return ['.Bd -literal -offset indent', ...lines.map((line) => textLine(escaped(line))), '.Ed'];
}

/** One argument of a macro: no macro itself, and no punctuation. */
function argument(text: string): string {
  const escapedText = escaped(text);
  const safe = /^([A-Z%][a-z0-9]{1,2}|[.,:;()[\]?!|])$/.test(text) ? `\\&${escapedText}` : escapedText;
  return /\s/.test(text) || text === '' ? `"${safe}"` : safe;
}

/**
 * A list of tagged entries; nothing where there are none.
 *
 * @param width a text as wide as the tags; where it is given, no blank lines stand between the entries.
 */
function tagged(
  entries: readonly { readonly tag: string; readonly text: readonly string[] }[],
  width?: string,
): readonly string[] {
  if (entries.length === 0) return [];
  const list = width === undefined ? '.Bl -tag -width Ds' : `.Bl -tag -width ${argument(width)} -compact`;
  return [list, ...entries.flatMap(({ tag, text }) => [`.It ${tag}`, ...text]), '.El'];
}

/** Words of one sentence in lines that are short enough, escaped. */
function wrapped(sentence: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of sentence.split(/\s+/).map(escaped)) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** A line that begins with a dot would be a macro. An apostrophe is escaped already. */
function textLine(line: string): string {
  return line.startsWith('.') ? `\\&${line}` : line;
}

function plain(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x20 || point === 0x7f) return ' ';
  if (point < 0x7f) return character;
  return `\\[u${point.toString(16).toUpperCase().padStart(4, '0')}]`;
}
