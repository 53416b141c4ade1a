import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cli, hotels } from './helpers/cli.ts';
import { ended } from './helpers/ended.ts';

/** One line per command or flag; `npm run generated` checks that it matches the program. */
const lines = readFileSync('docs/surface.txt', 'utf8').trimEnd().split('\n');

const flagsIn = (line: string) => line.match(/(?<=[ ,])--?[a-zA-Z][\w-]*/g) ?? [];

const globalFlags = lines.filter((line) => /^innctl -/.test(line)).flatMap(flagsIn);

test('no command redeclares a global flag: commander would assign its value to the root', () => {
  const own = lines.filter((line) => /^innctl [a-z]/.test(line));
  const again = own.filter((line) => flagsIn(line).some((flag) => globalFlags.includes(flag)));

  expect(globalFlags).toContain('--json');
  expect(own.flatMap(flagsIn)).toContain('--role');
  expect(again).toEqual([]);
});

test.each([
  'properties list --json --sandbox',
  '--json properties list --sandbox',
  '--sandbox --json properties list',
  'property ls --sandbox -o json',
])('global flags are accepted before and after the command: %s', async (line) => {
  const connect = (await import('../src/service/wire/undici.ts')).connectUndici;

  const { exitCode, stdout } = await cli(line, { connect });

  expect({ exitCode, count: JSON.parse(stdout).count }).toEqual({ exitCode: 0, count: 3 });
});

test.each(['', 'invitations', 'properties', 'profiles', 'config', 'sandbox'])(
  'a group without a verb prints its help: innctl %s',
  async (line) => {
    const { exitCode, stdout, stderr } = await cli(line);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^[A-Z](?:.|\n\S)*\n\nUsage: innctl /);
  },
);

test('a long invalid number is quoted partially', async () => {
  const argv = ['properties', 'list', '--limit', '9'.repeat(5_000)];

  expect(await cli(argv, { env: hotels })).toEqual(
    ended(2, `error: --limit: "${'9'.repeat(59)}…" is not a whole number from 1\n`),
  );
});
