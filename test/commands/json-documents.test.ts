import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { beforeUndo, machineLines, serviceCommands } from '../reference/lines.ts';

/** Lines that fail in different ways. */
const failing = [
  'users me too many words',
  'users list --page-size 1e9',
  'users get bne@aurora.example',
  'invitations delete nobody@example.com --yes',
  'properties create --code HAM',
  'properties archive MUC --confirm MUC',
  'properties set-live MUC',
  'apply test/commands/seed.yaml --plan package.json',
  'commands properties',
];

const run = (folder: string, line: string, env = {}) =>
  cli(`--json ${line}`, { folder, connect: connectUndici, env });

/** What is said beside the document: sums and warnings; a grant gives no role. */
const beside: Readonly<Record<string, RegExp>> = {
  'access apply': /^warning: /,
  'access diff': /^20 gained/,
  'access review close': /^warning: Access without a row/,
  drift: /^1 record differs/,
  'units create': /^Created 3 units\.\n$/,
  'users grant': /^\{"error":/,
};

test.each(await serviceCommands())(
  '--json prints one document on stdout: $command',
  async ({ command, rest, env }) => {
    const folder = await temporaryFolder();
    let line = rest;
    if (command === 'unit-attributes delete') {
      // Units have every attribute of the sample data.
      const created = await run(folder, '--sandbox unit-attributes create --name DESK', env);
      const { id } = JSON.parse(created.stdout);
      line = `${id} --confirm ${id}`;
    }
    if (command === 'undo') await run(folder, `--sandbox ${beforeUndo}`);

    const { exitCode, stdout, stderr } = await run(folder, `--sandbox ${command} ${line}`, env);

    expect(exitCode).toBe(command === 'users grant' ? 9 : 0);
    expect(stderr).toMatch(beside[command] ?? /^(Plan: .*\n)?$/);
    expect(['object', 'number']).toContain(typeof JSON.parse(stdout));
  },
);

test('--json prints one document on stdout for each command about innctl itself', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'token'), 'token-of-ana-1234567890\n');
  await run(folder, `--sandbox ${beforeUndo}`);
  const { stdout: history } = await run(folder, 'history list');
  // `help` prints only text, `template` no JSON; `sandbox serve` and `login` have other tests.
  const others = ['help', 'template', 'sandbox serve', 'login'];
  const printed: unknown[] = [];

  const lines = Object.entries(machineLines).filter(([command]) => !others.includes(command));
  for (const [command, words] of lines) {
    const given = command === 'history show' ? JSON.parse(history).items[0].id : words;
    const line = `${command} ${given.replace('-file token', `-file ${folder}/token`)}`;
    const { exitCode, stdout } = await run(folder, line);
    printed.push([command, exitCode, typeof JSON.parse(stdout)]);
  }

  expect(printed).toEqual(lines.map(([command]) => [command, 0, 'object']));
});

test.each(failing)('--json prints one document on stderr on errors: %s', async (line) => {
  const { exitCode, stdout, stderr } = await run(await temporaryFolder(), `--sandbox ${line}`);

  expect({ isFailure: exitCode > 0, stdout }).toEqual({ isFailure: true, stdout: '' });
  expect(JSON.parse(stderr)).toEqual({
    error: expect.objectContaining({
      code: expect.any(String),
      message: expect.any(String),
      details: expect.any(Array),
    }),
  });
});
