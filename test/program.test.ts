import { describe, expect, test } from 'vitest';
import { commandWords, createRoot } from '../src/cli/flags.ts';
import type { Context } from '../src/cli/ports.ts';
import { buildBranch, buildProgram } from '../src/cli/program.ts';
import { modelOf } from '../src/reference/model.ts';
import { commandTree } from './reference/tree.ts';

// Building the tree uses only the version of the context.
const context = { version: '0.0.0' } as Context;
const branchFor = (...argv: readonly string[]) => buildBranch(argv, createRoot(), context, () => {});

const fullTree = await commandTree();
const names = fullTree.commands.flatMap((child) =>
  [child.name(), ...child.aliases()].map((word) => ({ word, name: child.name() })),
);
const showingOthers = ['completion', 'commands', 'help'];

describe('only the command of the command line is built', () => {
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
    'all commands are built for "%s"',
    async (word) => {
      expect(await branchFor(word)).toBe(undefined);
    },
  );
});

describe('only the verb of the command line is built', () => {
  const verbs = ['properties', 'users', 'invitations', 'profiles'].flatMap((group) =>
    (fullTree.commands.find((child) => child.name() === group)?.commands ?? []).flatMap((verb) =>
      [verb.name(), ...verb.aliases()].map((word) => ({ group, word, name: verb.name() })),
    ),
  );

  test.each(verbs)('$group $word', async ({ group, word, name }) => {
    const branch = await branchFor(group, '--json', word);
    const all = modelOf(fullTree);

    const [built] = branch?.commands ?? [];
    expect(built?.commands.map((child) => child.name())).toEqual([name]);
    expect(branch && modelOf(branch).commands[0]?.commands).toEqual(
      all.commands
        .find(({ path }) => path.join(' ') === group)
        ?.commands.filter(({ path }) => path.join(' ') === `${group} ${name}`),
    );
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
