import { mkdir, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Home } from '../bin/home.ts';
import { openHomeWith, type ShellName, typed, valuesAt } from './shells.ts';

const shells: readonly ShellName[] = ['bash', 'zsh', 'fish'];

const file = 'by-profile/chain/properties';

const MEGABYTE = 1_000_000;

/** Values that a shell would execute, each with a different first character. */
const hostile = [
  '1$(touch pwned)',
  '2`touch pwned`',
  '3; touch pwned',
  '4 && touch pwned',
  '5|touch pwned',
  '6>pwned',
  "7'; touch pwned; '",
  '8"; touch pwned; "',
  '9*',
  'a?[a-z]{b,c}',
  'b~/x',
  'c$HOME',
  'd\\$(touch pwned)',
  'e!x #y',
  'f:%F{red}(e)',
  'g\\',
  "h$IFS'x'=~",
];

/** The arguments that a program gets for the completed words. */
async function received(shell: ShellName, home: Home, lines: readonly string[]) {
  const shown = await typed(
    shell,
    home,
    lines.map((line) => `innctl properties get -p chain ${line}\t`),
  );
  // The shell parses the line again, and prints its last word.
  const script = shown.map(({ line }) => line.replace('innctl properties get -p chain', "printf '%s\\n'"));
  const { stdout } = await home.run([shell, '-c', script.join('\n')]);
  return stdout.trimEnd().split('\n');
}

describe.each(shells)('values with shell syntax, in %s', (shell) => {
  test('are inserted quoted, and never executed', async () => {
    await using home = await openHomeWith({
      [file]: hostile.map((value) => `${value}\t$(touch pwned)\n`).join(''),
    });

    const words = await received(
      shell,
      home,
      hostile.map(([first]) => first ?? ''),
    );

    expect(words).toEqual(hostile);
    expect([...(await readdir(home.folder)), ...(await readdir(join(home.folder, 'here')))]).not.toContain(
      'pwned',
    );
  });

  test('are not executed after an open quote or in a list', async () => {
    await using home = await openHomeWith({
      [file]: hostile.map((value) => `${value}\t\`touch pwned\`\n`).join(''),
    });
    const opened = ["'1", '"3', "'8", '"7', "'d"];

    const words = await received(shell, home, [...opened, '--yes \t']);

    expect(words.slice(0, 5)).toEqual([0, 2, 7, 6, 12].map((at) => hostile[at]));
    expect(await readdir(join(home.folder, 'here'))).not.toContain('pwned');
  });

  test('are quoted in file names, too', async () => {
    await using home = await openHomeWith({});
    const name = '$(touch pwned) `touch pwned`; touch pwned.yaml';
    await mkdir(join(home.folder, 'here'), { recursive: true });
    await writeFile(join(home.folder, 'here', name), '');

    const [shown] = await typed(shell, home, ['innctl apply \\$\t']);
    const { stdout } = await home.run([
      shell,
      '-c',
      (shown?.line ?? '').replace('innctl apply', 'printf %s'),
    ]);

    expect(stdout).toBe(name);
    expect(await readdir(join(home.folder, 'here'))).toEqual([name]);
  });
});

/** Damaged files of values. */
const strange: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'a folder': async (path) => void (await mkdir(path)),
  'a dangling link': (path) => symlink('/nowhere', path),
  'a link to itself': (path) => symlink(path, path),
  'an unreadable file': (path) => symlink('/proc/self/mem', path),
  'an endless device': (path) => symlink('/dev/zero', path),
  'an empty file': (path) => writeFile(path, ''),
  'a line without a tab': (path) => writeFile(path, 'VIE\n'),
  'a very long line': (path) => writeFile(path, `V${'x'.repeat(2 * MEGABYTE)}\t\n`),
  'a line without an end': (path) => writeFile(path, 'V'.repeat(60 * MEGABYTE)),
  'only newlines': (path) => writeFile(path, '\n'.repeat(4 * MEGABYTE)),
  'only NULs': fillWithNuls,
  'a very long value': (path) => writeFile(path, `V${'x'.repeat(1_000)}\t\n`),
  'invalid UTF-8': (path) =>
    writeFile(path, Buffer.from([0, 0xff, 0xfe, 0x56, 0, 0x80, 10, 9, 9, 10, 0xc3, 10])),
  'escape sequences': (path) => writeFile(path, 'V\u001b[2J\t\nVIE\t\u001b]0;x\u0007\nV\r\t\n'),
};

describe.each(shells)('a damaged file of values, in %s', (shell) => {
  test.each(Object.keys(strange))('%s: no candidates and no message', async (name) => {
    await using home = await openHomeWith({});
    await mkdir(dirname(valuesAt(home, file)), { recursive: true });
    await strange[name]?.(valuesAt(home, file));
    const line = 'innctl properties get -p chain V';

    const [shown, next] = await typed(shell, home, [`${line}\t`, 'innctl prop\t']);
    await rm(valuesAt(home, file), { recursive: true });

    expect([shown?.line, next?.line]).toEqual([line, 'innctl properties ']);
    expect(shown?.screen).not.toMatch(/error|cannot|bash:|zsh:|fish:|_innctl/i);
  });

  test('the first 5,000 lines are searched, later ones are ignored', async () => {
    const lines = Array.from(
      { length: 5_001 },
      (_, index) => `H${String(index + 1).padStart(4, '0')}\tHotel\n`,
    );
    await using home = await openHomeWith({ [file]: lines.join('') });
    const line = 'innctl properties get -p chain';

    const shown = await typed(shell, home, [`${line} H4999\t`, `${line} H5001\t`, `${line} H500\t`]);

    expect(shown.map((each) => each.line)).toEqual([`${line} H4999 `, `${line} H5001`, `${line} H5000 `]);
  });
});

/** A sparse file, larger than a shell could read during a test. */
async function fillWithNuls(path: string): Promise<void> {
  await writeFile(path, '');
  await truncate(path, 100_000 * MEGABYTE);
}
