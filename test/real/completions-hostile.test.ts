import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Home } from '../bin/home.ts';
import { openHomeWith, type ShellName, typed } from './shells.ts';

const shells: readonly ShellName[] = ['bash', 'zsh', 'fish'];

const file = 'by-profile/chain/properties';

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
