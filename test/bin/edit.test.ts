import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keys, openTerminal, type Terminal } from '../helpers/terminal.ts';
import { binary, type Home, openHome } from './home.ts';

const EDIT = ['--sandbox', 'properties', 'edit', 'BER'];

/** The built innctl on a pseudo-terminal. */
function innctlAt(home: Home, args: readonly string[], env: Home['env']): Terminal {
  return openTerminal([process.execPath, binary, ...args], {
    cwd: home.folder,
    env: { ...home.env, ...env },
  });
}

/** Writes an editor: a shell script with the file as its first argument. */
async function editorIn(home: Home, name: string, script: string): Promise<string> {
  const path = join(home.folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

async function cityOf(home: Home): Promise<unknown> {
  const { stdout } = await home.innctl(['--sandbox', 'properties', 'get', 'BER', '--json']);
  return JSON.parse(stdout).location.city;
}

const editsOf = (home: Home) =>
  readdir(join(home.folder, '.local', 'state', 'innctl', 'edits')).catch(() => []);

const CITY = 's/city: Berlin/city: Potsdam/';

describe('on a real terminal', () => {
  test('vi owns the terminal, then innctl shows the diff and prompts', async () => {
    await using home = await openHome();
    using terminal = innctlAt(home, EDIT, { EDITOR: 'vi -u NONE -N' });

    await terminal.sees('Grand Hotel Berlin');
    terminal.types(`:%${CITY}${keys.enter}`);
    await terminal.sees('Potsdam');
    terminal.types(`:wq${keys.enter}`);
    await terminal.sees('+  city: Potsdam');
    await terminal.sees('Send this change to property BER?');
    terminal.types(`y${keys.enter}`);
    const { exitCode, screen } = await terminal.leaves();

    expect({ exitCode, isDone: screen.includes('Updated property BER: confirmed.') }).toEqual({
      exitCode: 0,
      isDone: true,
    });
    expect({ city: await cityOf(home), edits: await editsOf(home) }).toEqual({ city: 'Potsdam', edits: [] });
  });

  test.each([{ TERM: 'xterm-256color' }, { TERM: 'dumb' }])(
    'after a prompt the editor owns the terminal again, with %s',
    async (env) => {
      await using home = await openHome();
      const script = `sed -i "s/city: .*/city: '$(printf "\\007city? " >&2; read city; printf %s "$city")'/" "$1"`;
      const editor = await editorIn(home, 'asking', script);
      using terminal = innctlAt(home, EDIT, { ...env, EDITOR: editor });

      await terminal.sees('city?');
      terminal.types(keys.enter);
      await terminal.sees('location.city: must not be empty');
      await terminal.sees('Edit again?');
      terminal.types(`y${keys.enter}`);
      await terminal.sees('city?');
      terminal.types(`Potsdam${keys.enter}`);
      await terminal.sees('Send this change to property BER?');
      terminal.types(`y${keys.enter}`);
      const { exitCode } = await terminal.leaves();

      expect({ exitCode, city: await cityOf(home) }).toEqual({ exitCode: 0, city: 'Potsdam' });
    },
  );

  // A shell that is about to read would handle a signal only after the read.
  const trapping = (home: Home) => {
    const listening = `process.on('SIGINT', () => console.error('heard'));
process.stdin.once('data', () => process.exit());
console.error('ready');`;
    return editorIn(home, 'trapping', `sed -i '${CITY}' "$1"\nexec '${process.execPath}' -e "${listening}"`);
  };

  test.each([{ EDITOR: 'trapping' }, { EDITOR: 'FLAG=1 trapping' }])(
    '^C does not end the run if the editor handles it, even repeatedly: %s',
    async ({ EDITOR }) => {
      await using home = await openHome();
      const editor = await trapping(home);
      using terminal = innctlAt(home, EDIT, { EDITOR: EDITOR.replace('trapping', editor) });

      await terminal.sees('ready');
      terminal.types(keys.ctrlC);
      await terminal.sees('heard');
      terminal.types(keys.ctrlC);
      await terminal.sees('heard');
      terminal.types(keys.enter);
      await terminal.sees('Send this change to property BER?');
      terminal.types(`y${keys.enter}`);
      const { exitCode } = await terminal.leaves();

      expect({ exitCode, city: await cityOf(home) }).toEqual({ exitCode: 0, city: 'Potsdam' });
    },
  );

  test('^C that the editor handled and its end are reported together, in any order', async () => {
    await using home = await openHome();
    using terminal = innctlAt(home, [...EDIT, '--yes'], { EDITOR: await trapping(home) });

    await terminal.sees('ready');
    await terminal.stopsUntil(['SIGINT', 'SIGCHLD'], async () => {
      terminal.types(keys.ctrlC);
      await terminal.sees('heard');
      terminal.types(keys.enter);
    });
    const { exitCode } = await terminal.leaves();

    expect({ exitCode, city: await cityOf(home) }).toEqual({ exitCode: 0, city: 'Potsdam' });
  });

  test.each([{ EDITOR: 'waiting' }, { EDITOR: 'FLAG=1 waiting' }])(
    '^C that ends the editor ends the run, and the edited text is kept: %s',
    async ({ EDITOR }) => {
      await using home = await openHome();
      const editor = await editorIn(home, 'waiting', `sed -i '${CITY}' "$1"\necho ready >&2\nexec sleep 60`);
      using terminal = innctlAt(home, [...EDIT, '--yes'], { EDITOR: EDITOR.replace('waiting', editor) });

      await terminal.sees('ready');
      terminal.types(keys.ctrlC);
      const { exitCode, screen } = await terminal.leaves();

      expect({ exitCode, isReported: screen.includes('Your text is kept; to continue:') }).toEqual({
        exitCode: 130,
        isReported: true,
      });
      expect({ city: await cityOf(home), edits: await editsOf(home) }).toEqual({
        city: 'Berlin',
        edits: [expect.stringMatching(/^property-BER-.*\.yaml$/)],
      });
    },
  );

  test('SIGTERM to innctl ends the editor', async () => {
    await using home = await openHome();
    const open = join(home.folder, 'open');
    await home.run(['mkfifo', open]);
    // When innctl ends, the terminal sends SIGHUP; that must not be what ends the editor.
    const editor = await editorIn(
      home,
      'waiting',
      `trap '' HUP\nexec 9>'${open}'\necho ready >&2\nexec sleep 60`,
    );
    // The read ends when no process has the pipe open.
    const ended = readFile(open, 'utf8');
    using terminal = innctlAt(home, EDIT, { EDITOR: editor });

    await terminal.sees('ready');
    terminal.terminates();
    const { exitCode, screen } = await terminal.leaves();

    expect({ exitCode, isLate: screen.includes('late'), left: await ended }).toEqual({
      exitCode: 143,
      isLate: false,
      left: '',
    });
    expect(await editsOf(home)).toEqual([]);
  });

  test('^C at the prompt sends nothing', async () => {
    await using home = await openHome();
    using terminal = innctlAt(home, EDIT, { EDITOR: `sed -i '${CITY}'` });

    await terminal.sees('Send this change to property BER?');
    terminal.types(keys.ctrlC);
    const { exitCode, screen } = await terminal.leaves();

    expect({ exitCode, isReported: screen.includes('Your text is kept; to continue:') }).toEqual({
      exitCode: 130,
      isReported: true,
    });
    expect(await cityOf(home)).toBe('Berlin');
  });
});

describe('in a script', () => {
  test('EDITOR may have arguments and quotes; the file is one more argument', async () => {
    await using home = await openHome();
    const editor = await editorIn(
      home,
      "Ana's editor",
      `echo "$2" > "$HOME/seen"; sed -i "$1" "$2"; echo on stdout`,
    );
    const command = `FLAG=1 '${editor.replace("'", `'\\''`)}' '${CITY}'`;

    const { exitCode, stdout } = await home.innctl([...EDIT, '--yes', '--json'], { EDITOR: command });

    expect({ exitCode, facts: JSON.parse(stdout), city: await cityOf(home) }).toEqual({
      exitCode: 0,
      facts: { id: 'BER', updated: true, verification: 'confirmed' },
      city: 'Potsdam',
    });
    expect(await readFile(join(home.folder, 'seen'), 'utf8')).toMatch(
      /\/edits\/property-BER-[\da-f-]+\.yaml\n$/,
    );
  });

  test('after SIGINT nothing is sent, even if the editor succeeds', async () => {
    await using home = await openHome();
    const editor = await editorIn(home, 'interrupting', `sed -i '${CITY}' "$1"\nkill -INT $PPID`);

    const { exitCode, stderr } = await home.innctl([...EDIT, '--yes'], { EDITOR: editor });

    // If innctl sees the exit of the editor first, it prints the diff before the error.
    expect({ exitCode, stderr }).toEqual({
      exitCode: 130,
      stderr: expect.stringMatching(
        /(?:^|\n)error: Interrupted by SIGINT\.\nhint: Your text is kept; to continue: innctl \S+ properties edit BER --file \/\S+\.yaml\n$/,
      ),
    });
    expect(await cityOf(home)).toBe('Berlin');
  });

  test('a partly written text is deleted', async () => {
    await using home = await openHome();
    await cityOf(home);
    const limited = ['sh', '-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, binary, ...EDIT];

    // Node itself hits the limit at exit, so its exit code is meaningless.
    const { stderr } = await home.run(limited, { env: { EDITOR: 'true' } });

    expect(stderr).toMatch(/^error: Could not write \S+\.yaml: .*\n$/);
    expect(await editsOf(home)).toEqual([]);
  });

  test('a missing editor is reported', async () => {
    await using home = await openHome();

    const { exitCode, stderr } = await home.innctl(EDIT, { EDITOR: '/nowhere/editor' });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(
        /\nerror: The editor ended with exit code 127: \/nowhere\/editor; nothing was sent\.\nhint: Set EDITOR to the command line of an installed editor\.\n$/,
      ),
    });
    expect(await editsOf(home)).toEqual([]);
  });
});

test.each(['EDITOR', 'VISUAL'])(
  'the editor of %s inherits the environment without our secrets',
  async (variable) => {
    await using home = await openHome();
    const seen = join(home.folder, 'seen');
    const editor = await editorIn(home, 'editor', `env > ${seen}`);
    const secrets = {
      INNCTL_TOKEN: 'token-of-ana-1234567890',
      INNCTL_CLIENT_SECRET: 'secret-of-the-chain-42',
    };

    await home.innctl([...EDIT, '--yes'], { ...secrets, [variable]: editor, INNCTL_TIMEOUT: '30' });

    const names = (await readFile(seen, 'utf8')).split('\n').map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['HOME', 'PATH', 'INNCTL_TIMEOUT']));
    expect(names).not.toContain('INNCTL_TOKEN');
    expect(names).not.toContain('INNCTL_CLIENT_SECRET');
  },
);
