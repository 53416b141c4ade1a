import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helpPages } from '../../scripts/build/help-pages.mts';
import { mayAskForPage, pageFor, pagesFileOf, treeIn } from '../../src/cli/pages.ts';
import type { Context } from '../../src/cli/ports.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { cli } from '../helpers/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-'));
const file = join(folder, 'help.txt');
const root: CommandUnknownOpts = await buildProgram({ version: '0.0.0' } as Context, () => {});

beforeAll(() => writeFileSync(file, pagesFileOf(helpPages(root), '{"tree":"ä"}')));
afterAll(() => rmSync(folder, { recursive: true }));

/** The prebuilt help page; `undefined` when the program has to run. */
function printed(words: readonly string[], columns = 80): string | undefined {
  return mayAskForPage(words) ? pageFor(words, file, () => columns)?.toString('utf8') : undefined;
}

/** The paths of all commands below this one, by name and by alias. */
function pathsBelow(command: CommandUnknownOpts): readonly (readonly string[])[] {
  return command.commands.flatMap((child) =>
    [child.name(), ...child.aliases()].flatMap((name) => [
      [name],
      ...pathsBelow(child).map((rest) => [name, ...rest]),
    ]),
  );
}

const paths = [[], ...pathsBelow(root)];
const groups = [
  [],
  ...root.commands.filter(({ commands }) => commands.length > 0).map((each) => [each.name()]),
];

test('there are paths of more than 100 commands and aliases', () => {
  expect(paths.length).toBeGreaterThan(100);
});

test('every prebuilt page equals the output of the program, for --help and help', {
  timeout: 120_000,
}, async () => {
  const lines = [
    ...paths.flatMap((path) => [
      [...path, '--help'],
      ['help', ...path],
    ]),
    ...groups,
    ['-h'],
  ];
  const wrong = [];
  for (const words of lines) {
    const { exitCode, stdout } = await cli(words);
    if (exitCode !== 0 || stdout !== printed(words)) wrong.push(words.join(' '));
  }
  expect(wrong).toEqual([]);
});

test.each([20, 60, 79, 81, 200])(
  'every prebuilt page equals the output of the program on %i columns',
  { timeout: 120_000 },
  async (columns) => {
    const wrong = [];
    for (const { words } of helpPages(root)) {
      const line = [...words.split(' ').filter(Boolean), '--help'];
      const { stdout } = await cli(line, { columns });
      if (stdout !== printed(line, columns)) wrong.push(line);
    }
    expect(wrong).toEqual([]);
  },
);

test.each([
  ['properties', 'list'],
  ['properties', 'create', 'BER', '--help'],
  ['properties', '--help', '--json'],
  ['--json', '--help'],
  ['--', '--help'],
  ['help', 'nothing'],
  ['help', 'safety'],
  ['help', 'properties list'],
  ['help', 'properties\tlist'],
  ['help', ''],
  ['help', '__proto__'],
  ['properties\t'],
  ['\n'],
  [''],
  ['plan'],
  ['-h', '-h'],
])('there is no prebuilt page for %j %j %j', (...words) => {
  expect(printed(words)).toBeUndefined();
});

test('a truncated or missing file of pages throws', () => {
  writeFileSync(join(folder, 'short.txt'), pagesFileOf(helpPages(root), '{"tree":"ä"}').subarray(0, 8_300));

  expect(() => pageFor(['--help'], join(folder, 'short.txt'), () => 80)).toThrow('truncated');
  expect(() => pageFor(['--help'], join(folder, 'none.txt'), () => 80)).toThrow('ENOENT');
  expect(() => treeIn(join(folder, 'short.txt'))).toThrow('truncated');
});

test('the command tree is read from the same file', () => {
  expect(treeIn(file)).toBe('{"tree":"ä"}');
});
