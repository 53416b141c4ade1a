import { settings } from '../config/settings.ts';
import { exitCodesOf } from '../described-command.ts';
import { ExitCode } from '../exit-codes.ts';
import { effectSentence, meaningOf } from './effects.ts';
import { argument, escaped, filled, literal, tagged } from './mdoc.ts';
import { type ArgumentModel, allOf, type CommandModel, type FlagModel, type FlagValue } from './model.ts';
import { argumentText, flagText } from './wording.ts';

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
