import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';

/** The section headings of a page. */
function headingsOf(page: string): readonly string[] {
  return page
    .split('\n')
    .filter((line) => /^[A-Z]\S*( codes| flags)?:/.test(line))
    .map((line) => line.replace(/:.*/, ''));
}

test('the page of a command has description, usage, its own flags and examples', async () => {
  const { stdout } = await cli('properties get --help');

  expect(stdout).toMatch(
    /^Show a property, optionally with its texts in other languages and related data\.\n\nUsage: /,
  );
  expect(headingsOf(stdout)).toEqual([
    'Usage',
    'Arguments',
    'Flags',
    'Examples',
    'Exit codes',
    'Global flags',
  ]);
});

test('a group page lists its commands first, one line each, without exit codes', async () => {
  const { stdout } = await cli('sandbox');

  expect(headingsOf(stdout)).toEqual(['Usage', 'Commands', 'Examples', 'Global flags']);
  expect(stdout).toMatch(/\n {2}reset +reset the sandbox\n/);
});

test('an example stays on one line at any terminal width', async () => {
  const { stdout } = await cli('sandbox serve --help', { columns: 60 });

  expect(stdout).toContain(
    '\n  $ innctl sandbox serve --fault drop-after:method=POST,rate=0.05 --fault 429:nth=3,retry-after=2\n',
  );
});

test('the page of properties update only names the flags that the page of properties create describes', async () => {
  const { stdout } = await cli('properties update --help');

  expect(stdout).toContain('\nFields (innctl help properties create):\n  --code, --name, --company-name, ');
  expect((await cli('properties create --help')).stdout).toMatch(
    /^ +--company-name <text> +operating company$/m,
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

test.each([
  ['environment', 'INNCTL_BASE_URL'],
  ['exit-codes', 'ambiguous reference'],
  ['faults', '  429          nothing is carried out; Retry-After'],
  ['flags', '  --sandbox  '],
  ['formatting', '--query'],
  ['safety', 'INNCTL_FREEZE'],
])('%s is a topic', async (topic, text) => {
  const { exitCode, stdout, stderr } = await cli(['help', topic]);

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain(text);
});

test('the topic environment lists all variables, including those of other programs', async () => {
  const { stdout } = await cli('help environment');

  expect(stdout).toMatch(/\n {2}INNCTL_BASE_URL +URL of the inventory API\n/);
  for (const name of ['NO_COLOR', 'HTTPS_PROXY', 'ACCESSIBLE=1', 'XDG_STATE_HOME'])
    expect(stdout).toContain(name);
});

test('the topic exit-codes lists all exit codes', async () => {
  expect((await cli('help exit-codes')).stdout).toBe(`Exit codes

    0  done
    1  failed (an error of the service or of innctl)
    2  invalid usage or input; nothing was sent
    3  not found
    4  not logged in
    5  forbidden
    6  rejected or in conflict with existing data (409, 412, 415, 422)
    7  unavailable or rate limited after retries; try again later
    8  outcome unknown; run the command in the hint to find out
    9  partially done
   10  changes pending (with --exit-code), or findings
   11  blocked (not confirmed, or forbidden by a guard)
   12  ambiguous reference
  130  interrupted (SIGINT)
  143  terminated (SIGTERM)
`);
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
  expect(await cli(['help', ...words.split(' ')])).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `error: There is no command or topic "${words}".\nhint: ${hint}\n`,
  });
});

test.each([
  ['', '""'],
  [' ', '" "'],
  ['\u001b[2J\n', String.raw`"\u001b[2J\n"`],
  ['$(touch x)', '"$(touch x)"'],
  ['say "hi"', String.raw`"say \"hi\""`],
  ['x'.repeat(5_000), `"${'x'.repeat(59)}…"`],
])('an unknown topic is escaped, truncated and not executed', async (word, quoted) => {
  expect(await cli(['help', word])).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `error: There is no command or topic ${quoted}.\nhint: innctl help\n`,
  });
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
