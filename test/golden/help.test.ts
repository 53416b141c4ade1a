import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import type { Context } from '../../src/model/ports.ts';
import { allOf, modelOf } from '../../src/reference/model.ts';
import { topicNames } from '../../src/session/command-line.ts';
import { cli } from '../helpers/cli.ts';

// Building the tree uses only the version of the context.
const tree = modelOf(await buildProgram({ version: '0.0.0' } as Context, () => {}));

/** Every help page: its command line and its snapshot file. */
const pages = [
  ...allOf(tree).map(({ path }) => ({
    line: [...path, '--help'].join(' '),
    file: `${path.join('-') || 'innctl'}.txt`,
  })),
  ...topicNames.map((topic) => ({ line: `help ${topic}`, file: `help-${topic}.txt` })),
];

/** Lines wider than the terminal, except for examples, which stay on one line. */
function tooWide(page: string, columns: number): readonly string[] {
  return page.split('\n').filter((line) => line.length > columns && !/^ +(\$ )?innctl /.test(line));
}

test.each(pages)('innctl $line', async ({ line, file }) => {
  const { exitCode, stdout, stderr } = await cli(line, { columns: 80 });

  expect({ exitCode, stderr, wide: tooWide(stdout, 80) }).toEqual({ exitCode: 0, stderr: '', wide: [] });
  await expect(stdout).toMatchFileSnapshot(join('help', file));
});

test.each([60, 160])('every page of a command fits a terminal of %i columns', async (columns) => {
  const commands = pages.filter(({ line }) => line.endsWith('--help'));
  const results = await Promise.all(
    commands.map(async ({ line }) => ({ line, ...(await cli(line, { columns })) })),
  );

  const lines = results.map(({ line, stdout }) => ({ line, wide: tooWide(stdout, columns) }));
  expect(lines.length).toBeGreaterThan(55);
  expect(lines.filter(({ wide }) => wide.length > 0)).toEqual([]);
});

test('the root page fits a terminal of 80x24 whole, with the prompt', async () => {
  const { stdout } = await cli('--help', { columns: 80 });

  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(23);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('the root page names every command and every topic', async () => {
  const { stdout } = await cli('--help', { columns: 80 });

  const [, commands = '', foot = ''] = /^Commands:\n(.*?)\n\nExamples:(.*)$/ms.exec(stdout) ?? [];
  const rows = commands.split(/\n(?! {3})/).map((row) => row.split(/ {2,}(?=\S)/).slice(1));
  expect(rows.filter(([job = '']) => !/^[A-Z][a-z ]+$/.test(job))).toEqual([]);
  const named = rows.flatMap(([, ...names]) => names.join(' ').split(/,\s+/));
  expect(named.map((name) => name.replace(' (apaleo)', ''))).toEqual(
    tree.commands.map(({ path }) => path.join(' ')),
  );
  expect(named.filter((name) => name.endsWith(' (apaleo)')).length).toBe(3);
  expect(foot).toContain(`Topics: ${topicNames.join(', ')}\n`);
});

/** Commands whose pages may be longer than 40 lines. */
const long = ['login', 'apply'];

/** Pages that are longer only because of a flag for each field of a property. */
const withFields = ['properties create', 'properties clone'];

test.each(
  allOf(tree)
    .map(({ path }) => path.join(' '))
    .filter((name) => name !== '' && !long.includes(name)),
)('the page of innctl %s has at most 40 lines', async (name) => {
  const { stdout } = await cli(`${name} --help`, { columns: 80 });

  const page = withFields.includes(name) ? stdout.replace(/^Fields:\n.*?\n\n/ms, '') : stdout;
  expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('Global flags: innctl help flags');
});

test('no page of a command describes global flags', async () => {
  const stated = await Promise.all(
    allOf(tree).map(async ({ path }) => ({ path, ...(await cli([...path, '--help'], { columns: 80 })) })),
  );

  const withFlag = stated.filter(({ stdout }) => /^ +(-o, )?--(output|sandbox|help)\b/m.test(stdout));
  expect(withFlag.map(({ path }) => path)).toEqual([]);
});

test.each([1, 20, 35])('a terminal of %i columns shows every word of a page', async (columns) => {
  const words = (page: string) => page.split(/\s+/).filter(Boolean);
  const wide = await cli('properties create --help', { columns: 160 });
  const narrow = await cli('properties create --help', { columns });

  expect(words(narrow.stdout)).toEqual(words(wide.stdout));
});

test('every snapshot file belongs to a page', () => {
  const files = readdirSync(join(import.meta.dirname, 'help'));

  expect(files.toSorted()).toEqual(pages.map(({ file }) => file).toSorted());
});
