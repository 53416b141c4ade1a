import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import type { Context } from '../../src/model/ports.ts';
import { allOf, modelOf } from '../../src/reference/model.ts';
import { createRoot, inOurWords } from '../../src/session/command-line.ts';

/** The program with empty actions: parsing records which command a line selects. */
async function programWithoutActions() {
  // Building the tree reads only the version from the context.
  const program = await buildProgram({ version: '0.0.0' } as Context, () => {});
  const reached: string[] = [];
  const replaceActions = (command: CommandUnknownOpts, path: readonly string[]): void => {
    if (command.commands.length === 0) command.action(() => void reached.push(path.join(' ')));
    for (const child of command.commands) replaceActions(child, [...path, child.name()]);
  };
  replaceActions(program, []);
  return { program, reached };
}

/** The arguments that a shell passes to the program, without pipes and redirections, in the words of the program. */
function argumentsOf(line: string): readonly string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const end = words.findIndex((word) => /^[|<>]/.test(word));
  const typed = words
    .slice(0, end === -1 ? words.length : end)
    .map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double, single) => double ?? single));
  return inOurWords(typed, createRoot());
}

const commands = allOf(modelOf((await programWithoutActions()).program));

test.each(commands.map(({ path, about }) => ({ name: path.join(' ') || 'innctl', about })))(
  'every example of $name parses',
  async ({ about, name }) => {
    expect(about.examples).not.toEqual([]);
    for (const line of about.examples) {
      const { program, reached } = await programWithoutActions();
      await program.parseAsync([...argumentsOf(line)], { from: 'user' });

      expect(reached).toEqual([about.effect === undefined ? expect.any(String) : name]);
    }
  },
);

test.each([
  ['an unknown command', 'properties lst'],
  ['an unknown flag', 'properties list --colour'],
  ['a flag without its value', 'properties list --limit'],
  ['a missing argument', 'properties exists'],
  ['an excess argument', 'properties exists BER MUC'],
])('an example with %s would be rejected', async (_, line) => {
  const { program, reached } = await programWithoutActions();

  await expect(program.parseAsync([...argumentsOf(line)], { from: 'user' })).rejects.toThrow();
  expect(reached).toEqual([]);
});

test('every command has a one-line summary', () => {
  const lines = commands.filter(({ path }) => path.length > 0).map(({ summary }) => summary);

  expect(lines.length).toBeGreaterThan(50);
  expect(lines.filter((line) => !/^[a-zA-Z][^\n]{4,58}[^.\n]$/.test(line))).toEqual([]);
});
