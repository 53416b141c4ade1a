import { settings } from '../../src/config/settings.ts';
import { exitCodeMeanings } from '../../src/model/errors.ts';
import { allOf, type CommandModel } from '../../src/reference/model.ts';
import { flagText } from './reference-page.mts';

/** The date of the page. It is set by hand at a release, so that the page is the same every day. */
const DATE = 'November 1, 2026';

const files = [
  { path: '~/.config/innctl', text: 'Settings and credentials; below XDG_CONFIG_HOME if set.' },
  {
    path: '~/.local/state/innctl',
    text: 'Journals, the sandbox and data for completion; below XDG_STATE_HOME if set.',
  },
];

/** The manual page innctl(1): all commands, the global flags, variables, files and exit codes. */
export function manualPage(root: CommandModel, version: string): string {
  const commands = allOf(root).filter(({ about }) => about.effect !== undefined);
  const lines = [
    `.Dd ${DATE}`,
    '.Dt INNCTL 1',
    '.Os',
    '.Sh NAME',
    '.Nm innctl',
    `.Nd ${escaped(root.summary)}`,
    '.Sh SYNOPSIS',
    '.Nm innctl',
    '.Ar command',
    '.Op Ar flags',
    '.Sh DESCRIPTION',
    ...filled(`${root.description} This is version ${version}.`),
    '.Pp',
    ...filled('Run innctl help followed by a command to see its arguments and flags. The commands are:'),
    ...tagged(
      commands.map(({ path, summary }) => ({
        tag: `Cm ${path.map(argument).join(' ')}`,
        text: filled(summary),
      })),
    ),
    '.Pp',
    ...filled('All commands take these flags, before or after the command:'),
    ...tagged(
      root.flags.map((flag) => {
        const names = [flag.short, flag.long].filter((name) => name !== undefined);
        // The macro writes the first dash.
        const tag = names.map((name) => `Fl ${argument(name.slice(1))}`).join(' , ');
        const placeholder = flag.value === undefined ? '' : ` Ar ${argument(flag.value.placeholder)}`;
        return { tag: `${tag}${placeholder}`, text: filled(flagText(flag)) };
      }),
    ),
    '.Sh ENVIRONMENT',
    ...filled('A flag overrides a variable, a variable overrides the profile.'),
    ...tagged(settings.map(({ env, summary }) => ({ tag: `Ev ${argument(env)}`, text: filled(summary) }))),
    '.Sh FILES',
    ...tagged(files.map(({ path, text }) => ({ tag: `Pa ${argument(path)}`, text: filled(text) }))),
    '.Pp',
    ...filled('INNCTL_CONFIG_DIR sets one folder for all files.'),
    '.Sh EXIT STATUS',
    ...tagged(
      Object.entries(exitCodeMeanings).map(([code, meaning]) => ({ tag: code, text: filled(meaning) })),
      '000',
    ),
    '.Sh EXAMPLES',
    '.Bd -literal -offset indent',
    ...root.about.examples.map((example) => textLine(escaped(`innctl ${example}`))),
    '.Ed',
  ];
  return `${lines.join('\n')}\n`;
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '"': '\\(dq',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Escapes everything that roff interprets, and all characters but ASCII. */
function escaped(text: string): string {
  return Array.from(text, (character) => escapes[character] ?? plain(character)).join('');
}

/** Text lines for filling: each sentence begins a line, and no line is a macro. */
function filled(text: string): readonly string[] {
  return text
    .trim()
    .split(/(?<=[.!?]["')\]]*)\s+/)
    .flatMap((sentence) => escaped(sentence).match(/\S.{0,77}(?=\s|$)|\S+/g) ?? [])
    .map(textLine);
}

/** One argument of a macro, escaped if it would be a macro or punctuation. */
function argument(text: string): string {
  const escapedText = escaped(text);
  const safe = /^([A-Z%][a-z0-9]{1,2}|[.,:;()[\]?!|])$/.test(text) ? `\\&${escapedText}` : escapedText;
  return /\s/.test(text) || text === '' ? `"${safe}"` : safe;
}

/** A list of tagged entries. With `width`, a text as wide as the tags, it is compact. */
function tagged(
  entries: readonly { readonly tag: string; readonly text: readonly string[] }[],
  width?: string,
): readonly string[] {
  const list = width === undefined ? '.Bl -tag -width Ds' : `.Bl -tag -width ${argument(width)} -compact`;
  return [list, ...entries.flatMap(({ tag, text }) => [`.It ${tag}`, ...text]), '.El'];
}

/** Keeps a line that begins with a dot from being a macro. Apostrophes are already escaped. */
function textLine(line: string): string {
  return line.startsWith('.') ? `\\&${line}` : line;
}

function plain(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x20 || point === 0x7f) return ' ';
  if (point < 0x7f) return character;
  return `\\[u${point.toString(16).toUpperCase().padStart(4, '0')}]`;
}
