import { describe, expect, test } from 'vitest';
import type { Context } from '../src/context.ts';
import { createRoot, firstWord } from '../src/global-options.ts';
import { buildBranch, buildProgram } from '../src/program.ts';
import { modelOf } from '../src/reference/model.ts';
import { commandTree } from './reference/tree.ts';

// Building the tree touches nothing of the context but the version.
const context = { version: '0.0.0' } as Context;
const branchFor = (...argv: readonly string[]) => buildBranch(argv, createRoot(), context, () => {});

const whole = await commandTree();
const names = whole.commands.flatMap((child) =>
  [child.name(), ...child.aliases()].map((word) => ({ word, name: child.name() })),
);
const showingOthers = ['completion', 'commands', 'help'];

describe('a command line builds the command that it names, and no other', () => {
  test.each(names.filter(({ name }) => !showingOthers.includes(name)))('$word', async ({ word, name }) => {
    const branch = await branchFor(word);
    const all = modelOf(await buildProgram(context, () => {}));

    expect(branch && modelOf(branch)).toEqual({
      ...all,
      commands: all.commands.filter(({ path }) => path.join(' ') === name),
    });
    expect(branch?.commands.map((child) => child.name())).toEqual([name]);
  });

  test.each([...showingOthers, 'propertys', '', '--help', '-h', '--version'])(
    'not for "%s"',
    async (word) => {
      expect(await branchFor(word)).toBe(undefined);
    },
  );
});

describe('the word that names the command', () => {
  test.each([
    [['users', 'list'], 'users'],
    [['-p', 'chain', 'users'], 'users'],
    [['-pchain', '--json', 'users'], 'users'],
    [['-qn', '--output=json', '--fields', 'id', 'users', '--all'], 'users'],
    [['--profile', '--json', 'users'], 'users'],
    [['-'], undefined],
    [['--unknown', 'users'], undefined],
    [['-qx', 'users'], undefined],
    [['--json=1', 'users'], undefined],
    [['--', 'users'], undefined],
    [['--profile'], undefined],
    [[], undefined],
  ])('of %j is %s', (argv, word) => {
    expect(firstWord(argv, createRoot())).toBe(word);
  });
});
