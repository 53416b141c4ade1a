import { type ArgumentModel, allOf, type CommandModel, type FlagModel } from '../model.ts';
import type { Taken } from '../values.ts';
import { powershellCode } from './powershell-code.ts';
import { powershellFunctions } from './powershell-functions.ts';

/**
 * The completions of PowerShell, as one script of ASCII alone: PowerShell may read it in any encoding. The tree stands in it
 * as a table in a here-string, where nothing is evaluated; `powershellCode` says what is done with it.
 */
export function powershellScript(root: CommandModel): string {
  const tree = allOf(root).flatMap(rowsOf).map(rowText).join('\n');
  const parts = { '<tree>': tree, '<functions>': powershellFunctions.trimEnd() };
  return Object.entries(parts).reduce((text, [mark, part]) => text.split(mark).join(part), powershellCode);
}

/**
 * What the table says of a command: its names, its flags, its arguments in their order. What a value may be stands as
 * `choices:a|b`, `cached:roles`, `file`, `folder`, `text`, or `none` for a switch; after a question mark where a flag may also
 * stand alone.
 */
function rowsOf({ path, aliases, summary, flags, arguments: values, commands }: CommandModel) {
  const words = path.join(' ');
  return [
    ...(path.length === 0 ? [] : [['command', words, aliases.join('|'), summary]]),
    ...flags.map((flag) => ['flag', words, namesOf(flag), ...takenByFlag(flag), flag.description]),
    ...values.map((value) => ['argument', words, ...takenText(value), value.description]),
    ...(commands.length === 0 ? [] : [['group', words, commands.map(nameOf).join('|')]]),
  ];
}

function namesOf({ short, long }: FlagModel): string {
  return short === undefined ? long : `${short}|${long}`;
}

function nameOf({ path }: CommandModel): string {
  return path.at(-1) ?? '';
}

function takenByFlag({ value }: FlagModel): readonly [values: string, several: string] {
  const [values, several] = takenText(value);
  return [value?.isOptional === true ? `?${values}` : values, several];
}

function takenText(taken: Taken | ArgumentModel | undefined): readonly [values: string, several: string] {
  if (taken === undefined) return ['none', 'once'];
  const { values, several = 'isVariadic' in taken && taken.isVariadic ? 'repeated' : 'once' } = taken;
  if (values.kind === 'choices') return [`choices:${values.choices.join('|')}`, several];
  if (values.kind === 'cached') return [`cached:${values.from}`, several];
  return [values.kind === 'file' || values.kind === 'folder' ? values.kind : 'text', several];
}

/** A row is one line, its cells parted by tabs. The first cell keeps it from being the end of the here-string. */
function rowText(cells: readonly string[]): string {
  return cells.map((cell) => cell.replaceAll(/[\s\p{Cc}]+/gu, ' ').replaceAll(/[^ -~]/gu, '?')).join('\t');
}
