import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, openHome, root } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { environmentOf, machineLines, serviceLines } from '../reference/lines.ts';

/** One home for all commands, in which their data accumulates. */
let home: Home;

beforeAll(async () => {
  setup();
  home = await openHome();
  const names = ['people.yaml', 'seed.yaml', 'policy.yaml', 'review.csv', 'access.json', 'evidence'];
  for (const file of names.map((name) => join('test/reference', name)))
    await cp(join(root, file), join(home.folder, file), { recursive: true });
  await writeFile(join(home.folder, 'token'), 'token-of-ana-1234567890\n');
});

afterAll(async () => {
  await home[Symbol.asyncDispose]();
});

/** The output of jq; throws if the input is not JSON. */
async function jq(filter: string, text: string): Promise<string> {
  const child = spawn('jq', ['-c', filter]);
  const parts: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (part: string) => parts.push(part));
  child.stdin.end(text);
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0) throw new Error(`jq ended with ${exitCode} on ${text.slice(0, 200)}`);
  return parts.join('');
}

/** Command lines with other arguments here: a run id used by later commands, and a request whose response has a body. */
const replacements: Readonly<Record<string, string>> = {
  apply: `${serviceLines.apply} --run-id first-run`,
  api: 'GET /inventory/v1/properties',
};

/** Units have every attribute of the sample data, so that the one to delete is created first. */
const DELETES_ATTRIBUTE = 'unit-attributes delete';

const serviceCommands = Object.entries(serviceLines)
  .filter(([command]) => command !== DELETES_ATTRIBUTE)
  .map(([command, rest]) => ({
    command,
    line: `--sandbox --json ${command} ${replacements[command] ?? rest}`,
  }));

/** `help` prints only text, `template` no JSON; `sandbox serve` and `login` have other tests. */
const machineCommands = Object.entries(machineLines)
  .filter(([command]) => !['help', 'template', 'sandbox serve', 'login'].includes(command))
  .map(([command, rest]) => ({ command, line: `--json ${command} ${rest}` }));

/** `apply` runs first, because it must change something. */
const ordered = [
  ...serviceCommands.filter(({ command }) => command === 'apply'),
  ...serviceCommands.filter(({ command }) => command !== 'apply'),
  ...machineCommands,
];

test('every command of docs/surface.txt is tested below', () => {
  const words = readFileSync(join(root, 'docs/surface.txt'), 'utf8')
    .split('\n')
    .map((line) => /^innctl ([a-z][a-z-]*(?: [a-z][a-z-]*)*)(?= [<[(]|$)/.exec(line)?.[1] ?? '')
    .filter(Boolean);
  const commands = words.filter((each) => !words.some((other) => other.startsWith(`${each} `)));

  expect(Object.keys({ ...serviceLines, ...machineLines }).toSorted()).toEqual(commands.toSorted());
});

test.each(ordered)('jq parses one document from $command', async ({ command, line }) => {
  const args = line.trim().split(/ +/);
  if (command === 'history show') {
    const [request] = JSON.parse((await home.innctl(['--json', 'history'])).stdout).items;
    args[args.length - 1] = request.id;
  }
  const { exitCode, stdout, stderr } = await home.innctl(args, environmentOf(command));

  // A grant gives no role, which it says.
  const wanted = command === 'users grant' ? 9 : 0;
  expect({ exitCode, stderr: exitCode === wanted ? '' : stderr }).toEqual({ exitCode: wanted, stderr: '' });
  expect(await jq('type', stdout)).toMatch(/^"(object|array|number)"\n$/);
});

test(`jq parses one document from ${DELETES_ATTRIBUTE}`, async () => {
  const environment = environmentOf(DELETES_ATTRIBUTE);
  const create = '--sandbox --json unit-attributes create --name DESK'.split(' ');
  const { id } = JSON.parse((await home.innctl(create, environment)).stdout);

  const { stdout } = await home.innctl(
    ['--sandbox', '--json', ...DELETES_ATTRIBUTE.split(' '), id, '--confirm', id],
    environment,
  );

  expect(await jq('{id, deleted}', stdout)).toBe(`${JSON.stringify({ id, deleted: true })}\n`);
});
