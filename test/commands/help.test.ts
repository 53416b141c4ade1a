import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';

test('an example stays on one line at any terminal width', async () => {
  const { stdout } = await cli('sandbox serve --help', { columns: 60 });

  expect(stdout).toContain(
    '\n  $ innctl sandbox serve --fault drop-after:method=POST,rate=0.05 --fault 429:nth=3,retry-after=2\n',
  );
});

test.each([
  ['help invite create', 'invitations create --help'],
  ['help property ls', 'properties list --help'],
  ['help help', 'help --help'],
  ['help users', 'users'],
  ['help', '--help'],
  ['properties get --help', 'help properties get'],
  ['properties get BER MUC VIE -h', 'help properties get'],
  ['properties --help nonsense', 'help properties'],
  ['properties get --nonsense --help', 'help properties get'],
])('innctl %s prints the same page as innctl %s', async (line, same) => {
  const page = await cli(same);

  expect(await cli(line)).toEqual({ ...page, exitCode: 0, stderr: '' });
  expect(page.stdout).toContain('Usage: innctl');
});

test.each(['help', '--help', 'help safety', 'properties create --help', 'properties', 'version'])(
  'innctl %s works with invalid settings',
  async (line) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'config.json'), '{ broken');
    const refused = await cli('config list', { folder });

    const { exitCode, stderr } = await cli(line, { folder, env: { INNCTL_OUTPUT: 'nonsense' } });

    expect(refused.exitCode).toBe(2);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  },
);

test.each([
  ['nonsense', 'innctl help'],
  ['exit-codes 3', 'innctl help'],
  ['properties nonsense', 'innctl help properties'],
  ['properties creat', 'innctl help properties'],
  ['properties get BER', 'innctl help properties get'],
  ['constructor', 'innctl help'],
  ['__proto__', 'innctl help'],
  ['toString', 'innctl help'],
])('innctl help %s is rejected with the page of the last command as a hint', async (words, hint) => {
  expect(await cli(['help', ...words.split(' ')])).toEqual(
    ended(2, `error: There is no command or topic "${words}".\nhint: ${hint}\n`),
  );
});

test.each([
  ['', '""'],
  [' ', '" "'],
  ['\u001b[2J\n', String.raw`"\u001b[2J\n"`],
  ['$(touch x)', '"$(touch x)"'],
  ['say "hi"', String.raw`"say \"hi\""`],
  ['x'.repeat(5_000), `"${'x'.repeat(59)}…"`],
])('an unknown topic is escaped, truncated and not executed', async (word, quoted) => {
  expect(await cli(['help', word])).toEqual(
    ended(2, `error: There is no command or topic ${quoted}.\nhint: innctl help\n`),
  );
});

test.each(['help safety', 'help users list', 'properties', 'users list --help'])(
  'with --json a page is one document: %s',
  async (line) => {
    const page = await cli(line);

    const { exitCode, stdout, stderr } = await cli(`${line} --json`);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ text: page.stdout });
  },
);
