import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, test } from 'vitest';
import { buildProgram } from '../src/cli/program.ts';
import type { Context } from '../src/model/ports.ts';
import { allOf, modelOf } from '../src/reference/model.ts';
import { commandWords, createRoot } from '../src/session/command-line.ts';
import { commandTree } from './reference/tree.ts';

// Building the tree uses only the version of the context.
const context = { version: '0.0.0' } as Context;
const branchFor = (...argv: readonly string[]) => buildProgram(context, () => {}, argv);

const fullTree = await commandTree();
const all = modelOf(fullTree);
const bare = (command: CommandUnknownOpts) => command.commands.length + command.options.length === 0;

describe('only the command of the command line is built', () => {
  const words = fullTree.commands.flatMap((child) => [child.name(), ...child.aliases()]);

  test.each(words.filter((word) => word !== 'commands'))('%s', async (word) => {
    const branch = await branchFor(word);

    const [built = branch] = branch.commands.filter((child) =>
      [child.name(), ...child.aliases()].includes(word),
    );
    const name = built.name();
    expect(modelOf(branch).commands.find(({ path }) => path[0] === name)).toEqual(
      all.commands.find(({ path }) => path[0] === name),
    );
    expect(branch.commands.filter((child) => child !== built && !bare(child))).toEqual([]);
    expect(branch.commands.map((child) => [child.name(), ...child.aliases()])).toEqual(
      fullTree.commands.map((child) => [child.name(), ...child.aliases()]),
    );
  });

  test.each(['propertys', '', '--help', '-h', '--version'])('no command is built for "%s"', async (word) => {
    const branch = await branchFor(word);

    expect(branch.commands.every(bare)).toBe(true);
  });

  test.each([['commands'], ['--', 'users', 'list']])('all commands are built for %j', async (...argv) => {
    expect(modelOf(await branchFor(...argv))).toEqual(all);
  });
});

describe('only the verb of the command line is built', () => {
  const verbs = ['properties', 'users', 'invitations', 'profiles'].flatMap((group) =>
    (fullTree.commands.find((child) => child.name() === group)?.commands ?? []).flatMap((verb) =>
      [verb.name(), ...verb.aliases()].map((word) => ({ group, word, name: verb.name() })),
    ),
  );

  test.each(verbs)('$group $word', async ({ group, word, name }) => {
    for (const line of [
      [group, '--json', word],
      ['help', group, word],
    ]) {
      const built = modelOf(await branchFor(...line)).commands.find(({ path }) => path[0] === group);

      const path = [group, name];
      expect(built?.commands).toEqual(allOf(all).filter((each) => each.path.join() === path.join()));
    }
  });
});

describe('the words of the command path', () => {
  test.each([
    [
      ['users', 'list'],
      ['users', 'list'],
    ],
    [
      ['users', '--json', 'get', '-p', 'chain', 'ana', '--all', 'ben'],
      ['users', 'get', 'ana'],
    ],
    [['-p', 'chain', 'users'], ['users']],
    [['-pchain', '--json', 'users'], ['users']],
    [['-qn', '--output=json', '--fields', 'id', 'users', '--all'], ['users']],
    [['--profile', '--json', 'users'], ['users']],
    [['-'], []],
    [['--unknown', 'users'], []],
    [['-qx', 'users'], []],
    [['--json=1', 'users'], []],
    [['--', 'users'], []],
    [['--profile'], []],
    [[], []],
  ])('of %j are %j', (argv, words) => {
    expect(commandWords(argv, createRoot())).toEqual(words);
  });
});
