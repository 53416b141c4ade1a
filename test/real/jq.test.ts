import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, openHome, root } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { environmentOf, machineLines, serviceLines } from '../reference/lines.ts';

/** One home for all: each command finds what those before it left. */
let home: Home;

beforeAll(async () => {
  setup();
  home = await openHome();
  for (const file of ['test/reference/people.yaml', 'test/reference/seed.yaml']) {
    await cp(join(root, file), join(home.folder, file));
  }
  await writeFile(join(home.folder, 'token'), 'token-of-ana-1234567890\n');
  // Whoever edits changes the zone of a property and the name of a user.
  await writeFile(
    join(home.folder, 'editor'),
    '#!/bin/sh\nsed -i "s/Europe.Berlin/Europe\\/Vienna/; s/^first_name: .*/first_name: Benno/" "$1"\n',
    { mode: 0o755 },
  );
});

afterAll(async () => {
  await home[Symbol.asyncDispose]();
});

/** What jq makes of a text; it fails on anything that is not JSON. */
async function jq(filter: string, text: string): Promise<string> {
  const child = spawn('jq', ['-c', filter]);
  const said: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (part: string) => said.push(part));
  child.stdin.end(text);
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`jq ended with ${exitCode} on ${text.slice(0, 200)}`);
  return said.join('');
}

/** Lines that say more here: the run that is looked at later, and a request that is answered with something. */
const said: Readonly<Record<string, string>> = {
  apply: `${serviceLines.apply} --run-id first-run`,
  api: 'GET /inventory/v1/properties',
};

const serviceCommands = Object.entries(serviceLines).map(([command, rest]) => ({
  command,
  line: `--sandbox --json ${command} ${said[command] ?? rest}`,
}));

/** `help` prints texts alone; `sandbox serve` and `login` have tests of their own. */
const machineCommands = Object.entries(machineLines)
  .filter(([command]) => !['help', 'sandbox serve', 'login'].includes(command))
  .map(([command, rest]) => ({ command, line: `--json ${command} ${rest}` }));

/** A run changes something while nothing was created yet. */
const ordered = [
  ...serviceCommands.filter(({ command }) => command === 'apply'),
  ...serviceCommands.filter(({ command }) => command !== 'apply'),
  ...machineCommands,
];

test('every command of docs/surface.txt is among those below', () => {
  const words = readFileSync(join(root, 'docs/surface.txt'), 'utf8')
    .split('\n')
    .map((line) => /^innctl ([a-z]+(?: [a-z]+)*)(?= [<[(]|$)/.exec(line)?.[1] ?? '')
    .filter(Boolean);
  const commands = words.filter((each) => !words.some((other) => other.startsWith(`${each} `)));

  expect(Object.keys({ ...serviceLines, ...machineLines }).toSorted()).toEqual(commands.toSorted());
});

test.each(ordered)('jq reads one document of $command', async ({ command, line }) => {
  const { exitCode, stdout, stderr } = await home.innctl(line.trim().split(/ +/), {
    EDITOR: join(home.folder, 'editor'),
    ...environmentOf(command),
  });

  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(await jq('type', stdout)).toMatch(/^"(object|array|number)"\n$/);
});

test('jq reads what the sandbox says when it is served', async () => {
  const parts: string[] = [];
  await home.run([process.execPath, join(root, 'bin/innctl.js'), 'sandbox', 'serve', '--json'], {
    started: (child) => {
      child.stdout?.on('data', (part: string) => {
        parts.push(part);
        if (part.endsWith('}\n')) child.kill('SIGINT');
      });
    },
  });

  expect(await jq('.profile.dialect', parts.join(''))).toBe('"contract"\n');
});

test('jq picks from commands what a script may run without harm', async () => {
  const { stdout } = await home.innctl(['commands', '--json']);

  expect(await jq('[.items[] | select(.command | startswith("users ")) | {command, effect}]', stdout)).toBe(
    `${JSON.stringify([
      { command: 'users list', effect: 'reads' },
      { command: 'users get', effect: 'reads' },
      { command: 'users me', effect: 'reads' },
      { command: 'users update', effect: 'destroys' },
      { command: 'users edit', effect: 'destroys' },
    ])}\n`,
  );
});

test('jq reads errors as well', async () => {
  const { stdout, stderr } = await home.innctl(['--sandbox', '--json', 'properties', 'get', 'BRE']);

  expect(stdout).toBe('');
  expect(await jq('.error.code', stderr)).toBe('"not_found"\n');
});
