import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { environmentOf, machineLines, serviceLines } from '../reference/lines.ts';

/** For each command a line that fails, at the service where possible. */
const failing: Readonly<Record<string, string>> = {
  'invitations list': '--limit 0',
  'invitations create': 'jonas.keller@aurora.example --role Housekeeping --properties BER',
  'invitations delete': 'nobody@example.com --yes',
  'invitations resend': 'nobody@example.com --yes',
  'people offboard': 'nobody@example.com --confirm nobody@example.com',
  'people onboard': 'mia@example.com --role Housekeeping --properties BRE',
  'people sync': 'test/reference/staff.csv --jobs test/reference/jobs.yaml --max-leavers none',
  'roles list': '--page-number 0',
  'users list': '--page-size 1e9',
  'users get': 'bne@aurora.example',
  'users update': 'karl@aurora.example --set-properties NOWHERE',
  'users grant': 'ben@aurora.example --property VEI',
  'users revoke': 'ben@aurora.example --property VEI',
  'users enable': 'kral@aurora.example',
  'users disable': 'kral@aurora.example --confirm kral@aurora.example',
  'users me': 'too many words',
  'properties list': '--limit none',
  'properties create': '--code HAM',
  'properties count': '--nonsense',
  'properties exists': 'not/an/id',
  'properties get': 'BRE',
  'properties update': 'BER --name fr=Berlin',
  'properties clone': 'NOPE --code KIE',
  'properties set-live': 'MUC',
  'properties archive': 'MUC --confirm MUC',
  'properties reset': 'MUC',
  'properties delete': 'BER --confirm BER',
  'countries list': '--limit -1',
  plan: 'test/commands/nowhere.yaml',
  apply: 'test/commands/seed.yaml --plan package.json',
  undo: '000000 --yes',
  export: '--property NOWHERE',
  api: 'GET /inventory/v1/nothing',
  whoami: 'too many words',
  'auth status': 'chain',
  commands: 'properties',
  doctor: 'properties',
};

const run = (folder: string, command: string, words: string) =>
  cli(`--json ${command} ${words}`, {
    folder,
    connect: connectUndici,
    env: environmentOf(command.replace('--sandbox ', '')),
  });

test('the tables contain every command of docs/surface.txt', () => {
  const words = readFileSync('docs/surface.txt', 'utf8')
    .split('\n')
    .map((line) => /^innctl ([a-z][a-z-]*(?: [a-z][a-z-]*)*)(?= [<[(]|$)/.exec(line)?.[1] ?? '')
    .filter(Boolean);
  const commands = words.filter((each) => !words.some((other) => other.startsWith(`${each} `)));

  expect(Object.keys({ ...serviceLines, ...machineLines }).toSorted()).toEqual(commands.toSorted());
});

/** What is said beside the document: sums and warnings; a grant gives no role. */
const beside: Readonly<Record<string, RegExp>> = {
  'access apply': /^warning: /,
  'access diff': /^20 gained/,
  'access review close': /^warning: Access without a row/,
  drift: /^1 record differs/,
  'units create': /^Created 3 units\.\n$/,
  'users grant': /^\{"error":/,
};

test.each(Object.entries(serviceLines))(
  '--json prints one document on stdout: %s',
  async (command, words) => {
    const folder = await temporaryFolder();
    let line = words;
    if (command === 'unit-attributes delete') {
      // Units have every attribute of the sample data.
      const created = await run(folder, '--sandbox unit-attributes create', '--name DESK');
      const { id } = JSON.parse(created.stdout);
      line = `${id} --confirm ${id}`;
    }
    if (command === 'undo') await run(folder, '--sandbox apply', `${serviceLines.apply} --run-id first-run`);

    const { exitCode, stdout, stderr } = await run(folder, `--sandbox ${command}`, line);

    expect(exitCode).toBe(command === 'users grant' ? 9 : 0);
    expect(stderr).toMatch(beside[command] ?? /^(Plan: .*\n)?$/);
    expect(['object', 'number']).toContain(typeof JSON.parse(stdout));
  },
);

test('--json prints one document on stdout for each command about innctl itself', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'token'), 'token-of-ana-1234567890\n');
  await run(folder, '--sandbox apply', `${serviceLines.apply} --run-id first-run`);
  const { stdout: history } = await run(folder, 'history list', '');
  // `help` prints only text, `template` no JSON; `sandbox serve` and `login` have other tests.
  const others = ['help', 'template', 'sandbox serve', 'login'];
  const printed: unknown[] = [];

  const lines = Object.entries(machineLines).filter(([command]) => !others.includes(command));
  for (const [command, words] of lines) {
    const given = command === 'history show' ? JSON.parse(history).items[0].id : words;
    const { exitCode, stdout } = await run(
      folder,
      command,
      given.replace('-file token', `-file ${folder}/token`),
    );
    printed.push([command, exitCode, typeof JSON.parse(stdout)]);
  }

  expect(printed).toEqual(lines.map(([command]) => [command, 0, 'object']));
});

test.each(Object.entries(failing))(
  '--json prints one document on stderr on errors: %s',
  async (command, words) => {
    const { exitCode, stdout, stderr } = await run(await temporaryFolder(), `--sandbox ${command}`, words);

    expect({ isFailure: exitCode > 0, stdout }).toEqual({ isFailure: true, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({
      error: expect.objectContaining({
        code: expect.any(String),
        message: expect.any(String),
        details: expect.any(Array),
      }),
    });
  },
);
