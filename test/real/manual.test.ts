import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { manualPage } from '../../scripts/build/manual.mts';
import { type CommandModel, modelOf } from '../../src/reference/model.ts';
import { commandTree } from '../reference/tree.ts';

const execute = promisify(execFile);

/** Texts with roff syntax. */
const roffTexts = [
  '.Sh BROKEN',
  "'br",
  '\\fBbold\\fP',
  '\\',
  '-- -',
  '"quoted" \'here\' `there`',
  '^~',
  'Grand Hôtel 東京',
  '.',
];

const tree = modelOf(await commandTree());

/** The root and one command, with roff syntax in their texts. */
const hostile: CommandModel = {
  ...tree,
  summary: 'a summary with a \\fBback\\fP slash',
  description: roffTexts.join(' '),
  about: { examples: roffTexts },
  commands: [
    {
      ...tree,
      path: ['strange'],
      commands: [],
      summary: roffTexts.join(' '),
      about: { effect: 'reads', examples: roffTexts },
    },
  ],
};

/** Writes the page. @returns its folder. */
async function written(root: CommandModel): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-man-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'innctl.1'), manualPage(root, '1.2.3'));
  return folder;
}

async function mandoc(args: readonly string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await execute('mandoc', args, { cwd });
  return `${stdout}${stderr}`;
}

test.each([
  ['of the program', tree],
  ['with roff syntax in its texts', hostile],
])('mandoc finds no problem in the page: %s', async (_, root) => {
  const folder = await written(root);

  expect(await mandoc(['-T', 'lint', '-W', 'all', 'innctl.1'], folder)).toBe('');
});

test('the page shows every example unchanged', async () => {
  const folder = await written(hostile);

  const lines = (await mandoc(['-T', 'utf8', '-O', 'width=200', 'innctl.1'], folder))
    .split('\n')
    .map((line) => line.trim());

  expect(lines).toEqual(expect.arrayContaining(roffTexts.map((example) => `innctl ${example}`)));
});

test('a flag can be copied from the page', async () => {
  const folder = await written(tree);

  const page = await mandoc(['-T', 'html', 'innctl.1'], folder);

  expect(page).toContain('<code class="Fl">-o</code>');
  expect(page).toContain('<code class="Fl">--output</code> <var class="Ar">format</var>');
});
