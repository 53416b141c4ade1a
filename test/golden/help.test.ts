import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Context } from '../../src/cli/ports.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { topics } from '../../src/commands/help/help.ts';
import { allOf, modelOf } from '../../src/reference/model.ts';
import { cli } from '../helpers/cli.ts';

// Building the tree uses only the version of the context.
const tree = modelOf(await buildProgram({ version: '0.0.0' } as Context, () => {}));

/** Every help page: its command line and its snapshot file. */
const pages = [
  ...allOf(tree).map(({ path }) => ({
    line: [...path, '--help'].join(' '),
    file: `${path.join('-') || 'innctl'}.txt`,
  })),
  ...Object.keys(topics).map((topic) => ({ line: `help ${topic}`, file: `help-${topic}.txt` })),
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

test.each([60, 160])('every page fits a terminal of %i columns', async (columns) => {
  const results = await Promise.all(
    pages.map(async ({ line }) => ({ line, ...(await cli(line, { columns })) })),
  );

  const lines = results.map(({ line, stdout }) => ({ line, wide: tooWide(stdout, columns) }));
  expect(lines.length).toBeGreaterThan(55);
  expect(lines.filter(({ wide }) => wide.length > 0)).toEqual([]);
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
