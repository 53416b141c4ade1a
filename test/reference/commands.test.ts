import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';

interface Flag {
  readonly flags: string;
  readonly type: string;
}

interface Command {
  readonly command: string;
  readonly flags: readonly Flag[];
  readonly arguments: readonly { readonly type: string }[];
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly exit_codes: readonly { readonly meaning: string }[];
}

interface Commands {
  readonly count: number;
  readonly items: readonly Command[];
  readonly global_flags: readonly Flag[];
}

const commands = async (): Promise<Commands> => JSON.parse((await cli('commands --json')).stdout);

test('commands lists all commands with effect and summary', async () => {
  const { exitCode, stdout, stderr } = await cli('commands -o csv');

  expect({ exitCode, stderr, lines: stdout.split('\n').slice(0, 3) }).toEqual({
    exitCode: 0,
    stderr: '',
    lines: [
      'command,effect,summary',
      'invitations list,reads,list invitations',
      'invitations create,writes,invite a person',
    ],
  });
});

test('commands --json has all details of a command', async () => {
  const { items } = await commands();

  expect(items.find(({ command }) => command === 'users get')).toEqual({
    command: 'users get',
    aliases: ['show'],
    summary: 'show a user',
    description: 'Show a user by subject id or e-mail address.',
    effect: 'reads',
    on: 'service',
    arguments: [
      {
        name: 'subject-id|e-mail',
        required: false,
        variadic: true,
        type: 'string',
        values_from: 'users list',
        description: 'subject id or full e-mail; at a terminal also a name',
      },
    ],
    flags: [],
    examples: ['innctl users get ana@example.com', 'innctl users get ana@example.com --json'],
    exit_codes: [
      { code: 0, meaning: 'done' },
      { code: 1, meaning: 'failed (an error of the service or of innctl)' },
      { code: 2, meaning: 'invalid usage or input; nothing was sent' },
      { code: 3, meaning: 'not found' },
      { code: 4, meaning: 'not logged in' },
      { code: 5, meaning: 'forbidden' },
      { code: 6, meaning: 'rejected or in conflict with existing data (409, 412, 415, 422)' },
      { code: 7, meaning: 'unavailable or rate limited after retries; try again later' },
      { code: 12, meaning: 'ambiguous reference' },
      { code: 130, meaning: 'interrupted (SIGINT)' },
      { code: 143, meaning: 'terminated (SIGTERM)' },
    ],
  });
});

test.each([
  [
    'export --kind',
    {
      flags: '--kind <kinds>',
      name: '--kind',
      placeholder: 'kinds',
      type: 'string',
      choices: ['property', 'invitation', 'user'],
      repeatable: true,
      separator: ',',
      description: 'export only property, invitation or user (repeatable)',
    },
  ],
  [
    'api --include',
    {
      flags: '-i, --include',
      name: '--include',
      short: '-i',
      type: 'boolean',
      repeatable: false,
      description: 'include the response status and headers in the output',
    },
  ],
  [
    'plan --concurrency',
    {
      flags: '--concurrency <n>',
      name: '--concurrency',
      placeholder: 'n',
      type: 'number',
      repeatable: false,
      default: 4,
      description: 'maximum rows in parallel (default: 4)',
    },
  ],
  [
    'users list --enabled',
    {
      flags: '--enabled [true|false]',
      name: '--enabled',
      placeholder: 'true|false',
      type: 'string',
      choices: ['true', 'false'],
      value_required: false,
      repeatable: false,
      description: 'filter by enabled users, or with false by disabled ones',
    },
  ],
  [
    'properties get --expand',
    {
      flags: '--expand <names>',
      name: '--expand',
      placeholder: 'names',
      type: 'string',
      suggestions: ['unitGroups', 'actions'],
      repeatable: true,
      separator: ',',
      description: 'include related data: unitGroups, or actions in the dialect apaleo (repeatable)',
    },
  ],
])('commands --json describes the value of a flag: %s', async (place, record) => {
  const { items } = await commands();
  const flags = items.flatMap(({ command, flags: own }) =>
    own.map((flag) => ({ place: `${command} ${/--[\w-]+/.exec(flag.flags)}`, flag })),
  );

  expect(flags.find((each) => each.place === place)?.flag).toEqual(record);
});

test('an argument that the command checks itself is marked as required', async () => {
  const { items } = await commands();

  expect(items.find(({ command }) => command === 'api')?.arguments).toMatchObject([
    { name: 'method', required: true, choices: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] },
    { name: 'path', required: true, type: 'string' },
  ]);
});

test('commands --json has exactly the commands and flags of docs/surface.txt', async () => {
  const { count, items, global_flags: shared } = await commands();
  const names = new Set(items.map(({ command }) => command));
  const surface = readFileSync('docs/surface.txt', 'utf8').trimEnd().split('\n');
  const flagLines = surface.filter((line) => /^innctl( [a-z-]+)* -/.test(line));
  const commandLines = surface
    .filter((line) => !flagLines.includes(line))
    .map((line) => /^innctl ?([a-z-]+(?: [a-z-]+)*)?/.exec(line)?.[1] ?? '');
  const groups = commandLines.filter((words) => commandLines.some((other) => other.startsWith(`${words} `)));

  expect([...names, ...new Set(groups)].toSorted()).toEqual(commandLines.filter(Boolean).toSorted());
  expect(
    [
      ...shared.map(({ flags }) => `innctl ${flags}`),
      ...items.flatMap(({ command, flags }) => flags.map((flag) => `innctl ${command} ${flag.flags}`)),
    ].toSorted(),
  ).toEqual(flagLines.toSorted());
  expect(count).toBe(names.size);
});

test('no type, summary, description, example or exit code is empty', async () => {
  const { items, global_flags: shared } = await commands();
  const types = [...items.flatMap((item) => [...item.flags, ...item.arguments]), ...shared].map(
    ({ type }) => type,
  );

  expect([...new Set(types)].toSorted()).toEqual(['boolean', 'file', 'folder', 'number', 'string']);
  expect(
    items.filter(
      ({ summary, description, examples, exit_codes: exits }) =>
        summary === '' ||
        !/^[A-Z].*\.$/.test(description) ||
        examples.length === 0 ||
        examples.some((example) => !example.startsWith('innctl ')) ||
        exits.some(({ meaning }) => meaning === ''),
    ),
  ).toEqual([]);
});

test('commands works with an invalid settings file', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'config.json'), '{ "broken');

  expect((await cli('commands --json', { folder })).stdout).toBe((await cli('commands --json')).stdout);
});

test('an excess argument is rejected', async () => {
  expect((await cli('commands properties')).exitCode).toBe(2);
});
