import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { manualPages } from '../../src/reference/manual.ts';
import { type CommandModel, modelOf } from '../../src/reference/model.ts';
import { commandModel, commandTree } from '../reference/tree.ts';

const execute = promisify(execFile);

/** Texts that mean something to roff wherever they stand. */
const nasty = [
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

const hostile: CommandModel = {
  ...(await commandModel()),
  commands: [
    {
      ...(await commandModel()),
      path: ['strange'],
      commands: [],
      aliases: ['odd'],
      summary: 'a summary with a \\fBback\\fP slash',
      description: nasty.join(' '),
      about: { effect: 'reads', examples: nasty },
    },
  ],
};

/** Pages in a folder of their own, in which they find each other. */
async function written(root: CommandModel): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-man-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of manualPages(root, '1.2.3')) await writeFile(join(folder, name), text);
  return folder;
}

async function mandoc(args: readonly string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await execute('mandoc', args, { cwd });
  return `${stdout}${stderr}`;
}

test.each([
  ['of the program', modelOf(await commandTree())],
  ['of a command that is full of roff', hostile],
])('mandoc finds nothing to say about any page: %s', async (_, root) => {
  const folder = await written(root);
  const pages = await readdir(folder);

  expect(pages.length).toBeGreaterThan(1);
  expect(await mandoc(['-T', 'lint', '-W', 'all', ...pages], folder)).toBe('');
});

test('every example comes out of the page as it is typed', async () => {
  const folder = await written(hostile);

  const lines = (await mandoc(['-T', 'utf8', '-O', 'width=200', 'innctl-strange.1'], folder))
    .split('\n')
    .map((line) => line.trim());

  expect(lines).toEqual(expect.arrayContaining(nasty.map((example) => `innctl ${example}`)));
});

test('a flag can be copied from a page', async () => {
  const folder = await written(await commandModel());

  const page = await mandoc(['-T', 'html', 'innctl.1'], folder);

  expect(page).toContain('<code class="Fl">-o</code>');
  expect(page).toContain('<code class="Fl">--output</code> <var class="Ar">format</var>');
});
