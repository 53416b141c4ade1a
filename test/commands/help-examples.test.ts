import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import type { Context } from '../../src/cli/ports.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { allOf, modelOf } from '../../src/reference/model.ts';

/** The program with nothing behind its commands: parsing tells which one a line reaches. */
async function openTree() {
  // Building the tree touches nothing of the context but the version.
  const program = await buildProgram({ version: '0.0.0' } as Context, () => {});
  const reached: string[] = [];
  const hollow = (command: CommandUnknownOpts, path: readonly string[]): void => {
    if (command.commands.length === 0) command.action(() => void reached.push(path.join(' ')));
    for (const child of command.commands) hollow(child, [...path, child.name()]);
  };
  hollow(program, []);
  return { program, reached };
}

/** The words that a shell gives to the program, without what it does with the output. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const end = words.findIndex((word) => /^[|<>]/.test(word));
  return words
    .slice(0, end === -1 ? words.length : end)
    .map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
}

const commands = allOf(modelOf((await openTree()).program));

test.each(commands.map(({ path, about }) => ({ name: path.join(' ') || 'innctl', about })))(
  'every example of $name is a line that the program reads',
  async ({ about, name }) => {
    expect(about.examples).not.toEqual([]);
    for (const line of about.examples) {
      const { program, reached } = await openTree();
      await program.parseAsync([...wordsOf(line)], { from: 'user' });

      expect(reached).toEqual([about.effect === undefined ? expect.any(String) : name]);
    }
  },
);

test.each([
  ['a command that there is not', 'properties lst'],
  ['a flag that the command has not', 'properties list --colour'],
  ['a flag without its value', 'properties list --limit'],
  ['an argument that is missing', 'properties get'],
  ['an argument too many', 'properties get BER MUC'],
])('a line with %s would not pass for an example', async (_, line) => {
  const { program, reached } = await openTree();

  await expect(program.parseAsync([...wordsOf(line)], { from: 'user' })).rejects.toThrow();
  expect(reached).toEqual([]);
});

test('every command says in one line what it is or does', () => {
  const lines = commands.filter(({ path }) => path.length > 0).map(({ summary }) => summary);

  expect(lines.length).toBeGreaterThan(50);
  expect(lines.filter((line) => !/^[a-zA-Z][^\n]{4,58}[^.\n]$/.test(line))).toEqual([]);
});
