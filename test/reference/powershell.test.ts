import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/cli/ports.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { powershellScript } from '../../src/reference/completions/powershell.ts';
import { type CommandModel, modelOf } from '../../src/reference/model.ts';
import { surfaceOf } from '../../src/reference/reference-page.ts';

// Building the program uses only the version of the context.
const program = await buildProgram({ version: '0.0.0' } as Context, () => {});
const script = powershellScript(modelOf(program));

/** The rows of the tree, as cells. */
const rowsOf = (text: string) =>
  (/@'\n(.*?)\n'@/s.exec(text)?.[1] ?? '').split('\n').map((row) => row.split('\t'));

/** The script without the tree. */
const codeOf = (text: string) => text.replace(/@'\n.*?\n'@/s, "''");

/** Tokenizes quotes, comments and brackets of a script as PowerShell does. */
function read(text: string) {
  const open: string[] = [];
  const closing: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' };
  const token = /@'\n.*?\n'@|'(?:''|[^'])*'|"[^"]*"|#[^\n]*|[(){}[\]]|[^\s'"#(){}[\]]+|\s+|./gs;
  const strings: string[] = [];
  const bare: string[] = [];
  for (const [word] of text.matchAll(token)) {
    if (closing[word] !== undefined) open.push(closing[word]);
    else if (/^[)}\]]$/.test(word)) expect(open.pop()).toBe(word);
    else if (/^(@?'|")/.test(word)) strings.push(word);
    else if (!/^[#\s]/.test(word)) bare.push(word);
  }
  return { open, strings, bare };
}

describe('the script for PowerShell, checked as text without running it', () => {
  test('is ASCII with balanced brackets and quotes, and has no expandable strings', () => {
    const { open, strings, bare } = read(script);

    expect(script).toMatch(/^[\n\t -~]+$/);
    expect(open).toEqual([]);
    expect(strings.filter((word) => word.startsWith('"') || word === "'")).toEqual([]);
    expect(bare.filter((word) => word.includes('`'))).toEqual([]);
  });

  test('uses only these commands and starts no process but innctl', () => {
    const code = codeOf(script).replaceAll(/#[^\n]*/g, '');

    expect([...new Set(code.match(/\b[A-Z][A-Za-z]+-[A-Z][A-Za-z]+\b/g))].toSorted()).toEqual([
      ...['ConvertTo-Word', 'Get-CacheFile', 'Get-CacheFolder', 'Read-Cache', 'Register-ArgumentCompleter'],
      ...['Select-Object', 'Set-StrictMode', 'Where-Object'],
    ]);
    expect([...new Set(code.match(/&\s*\S+|\b(?:iex|saps|ii|Invoke)\b|::Start\b/g))]).toEqual(['& $usable']);
  });

  test('uses URL variables without --profile when the active profile is not the sandbox', () => {
    const steps = [
      '$owner = $named',
      '$owner = $env:INNCTL_PROFILE',
      "'active'",
      "if (-not $named -and $owner -cne 'sandbox' -and ($env:INNCTL_BASE_URL -or $env:INNCTL_IDENTITY_URL)) {",
      "'_environment'",
      'if ($owner -cnotmatch',
      "'by-profile', $owner",
    ];
    const code = codeOf(script).slice(codeOf(script).indexOf('function Get-CacheFile('));

    expect(steps.toSorted((one, other) => code.indexOf(one) - code.indexOf(other))).toEqual(steps);
    expect(steps.map((step) => code.split(step).length - 1)).toEqual(steps.map(() => 1));
  });

  test('has every command with its aliases, every flag, and every argument in order', () => {
    const rows = rowsOf(script);
    const surface = surfaceOf(program).split('\n').slice(1, -1);
    const commandLines = surface.filter((line) => !/ -/.test(line));
    const words = (line: string) =>
      line
        .replace(/^innctl ?/, '')
        .replace(/ \(.*/, '')
        .replaceAll(/ [[<][^>\]]*[>\]]/g, '');
    const namesOf = (line: string) => /\((.*)\)$/.exec(line)?.[1]?.replaceAll(', ', '|') ?? '';

    expect(rows.filter(([kind]) => kind === 'command').map(([, path, aliases]) => [path, aliases])).toEqual(
      commandLines.map((line) => [words(line), namesOf(line)]),
    );
    expect(
      rows
        .filter(([kind]) => kind === 'flag')
        .map(([, path, names]) => `${path} ${names}`)
        .filter((flag) => flag !== ' -h|--help')
        .toSorted(),
    ).toEqual(
      surface
        .filter((line) => / -/.test(line))
        .map((line) => line.replace(/^innctl ?/, '').replace(/ [<[].*/, ''))
        .map((line) => line.replace(/^-/, ' -').replace(', ', '|'))
        .toSorted(),
    );
    expect(rows.filter(([kind]) => kind === 'argument').map(([, path]) => path)).toEqual(
      commandLines.flatMap((line) => (line.match(/ [[<][^>\]]*[>\]]/g) ?? []).map(() => words(line))),
    );
  });

  test('has rows of the expected length and known kinds of values', () => {
    const lengths: Readonly<Record<string, number>> = { command: 4, group: 3, flag: 6, argument: 5 };
    const rows = rowsOf(script);
    const values = rows.flatMap(([kind, , first = '', second = '', third = '']) => {
      if (kind === 'flag') return [[second, third]];
      return kind === 'argument' ? [[first, second]] : [];
    });

    expect(rows.filter((row) => row.length !== lengths[row[0] ?? ''])).toEqual([]);
    expect(
      values.filter(
        ([value = '', several = '']) =>
          !/^(\??choices:[\w.-]+(\|[\w.-]+)*|cached:[a-z-]+|file|folder|text|none)$/.test(value) ||
          !/^(once|commas|repeated)$/.test(several),
      ),
    ).toEqual([]);
    expect(rows).toContainEqual(['argument', 'profiles use', 'cached:profiles', 'once', 'profile']);
    expect(rows).toContainEqual([
      ...['flag', 'users list', '--property', 'cached:properties', 'commas'],
      'same as --property-ids',
    ]);
  });

  test('cannot be injected by texts of the tree', () => {
    const hostile: CommandModel = {
      path: ['rooms'],
      aliases: [],
      summary: "'@\n'@; Remove-Item x; $(touch x) `n “quoted”\t\u0000",
      description: '',
      about: { examples: [] },
      arguments: [],
      flags: [],
      commands: [],
    };
    const text = powershellScript({ ...hostile, path: [], commands: [hostile] });

    expect(codeOf(text)).toBe(codeOf(script));
    expect(rowsOf(text)).toEqual([
      ['group', '', 'rooms'],
      ['command', 'rooms', '', "'@ '@; Remove-Item x; $(touch x) `n ?quoted? "],
    ]);
  });
});
