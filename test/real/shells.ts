import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { completionFiles, shells } from '../../src/reference/values.ts';
import { binary, type Home, openHome } from '../bin/home.ts';
import { stubs } from '../helpers/stubs.ts';
import { openTerminal } from '../helpers/terminal.ts';

/** Shells whose completions are tested in the shell itself. */
export type ShellName = 'bash' | 'zsh' | 'fish';

/** The command line after some keys, and everything that the screen showed meanwhile. */
export interface Shown {
  readonly line: string;
  readonly screen: string;
}

/** The setup of a shell. */
export interface ShellSetup {
  readonly env?: Readonly<Record<string, string>>;
  /** Lines that the shell executes after it loaded the completions. */
  readonly rc?: string;
  /** A command that starts the shell: `strace` and its flags. */
  readonly under?: readonly string[];
  /** How the shell loads the completions; the scripts are in the parent folder. */
  readonly load?: string;
}

/** How each shell loads its completions; it loads no configuration of the system. */
const loading: Readonly<Record<ShellName, string>> = {
  bash: `. ../${completionFiles.bash}`,
  zsh: `autoload -Uz compinit; compinit -u -D; . ../${completionFiles.zsh}`,
  fish: `source ../${completionFiles.fish}`,
};

/** Ctrl-G prints the line between two unusual brackets, and clears it; the prompt without a blank follows. */
const showing: Readonly<Record<ShellName, string>> = {
  bash: `PS1='>'; bind -x '"\\C-g": printf "\\n\\u27e6%s\\u27e7\\n" "$READLINE_LINE"; READLINE_LINE=""'; bind 'set enable-bracketed-paste off'`,
  zsh: `PS1='>'; show() { zle -I; print -r -- $'\\u27e6'"$BUFFER"$'\\u27e7'; BUFFER='' }; zle -N show; bindkey '^G' show`,
  fish: `function fish_prompt; echo '>'; end; function fish_greeting; end; function show; printf '\\n\\u27e6%s\\u27e7\\n' (commandline); commandline ''; commandline -f repaint; end; bind \\cg show`,
};

const starting: Readonly<Record<ShellName, readonly string[]>> = {
  bash: ['bash', '--noprofile', '--rcfile', 'rc', '-i'],
  zsh: ['zsh', '-i', '--no-global-rcs'],
  fish: ['fish', '--no-config', '--interactive', '--init-command', 'source rc'],
};

/** A config.json whose active profile is `chain`. */
export const activeChain = JSON.stringify({ version: 1, active_profile: 'chain', profiles: { chain: {} } });

/**
 * A home folder with the scripts, with `innctl` on the PATH, and with stored values, by their paths in the folder of completion
 * values, or `config.json`.
 */
export async function openHomeWith(values: Readonly<Record<string, string>>): Promise<Home> {
  const home = await openHome();
  for (const shell of shells) await writeFile(join(home.folder, completionFiles[shell]), stubs[shell]);
  await mkdir(join(home.folder, 'bin'));
  await symlink(binary, join(home.folder, 'bin/innctl'));
  for (const [path, text] of Object.entries(values)) await writeValues(home, path, text);
  const env = { ...home.env, PATH: `${join(home.folder, 'bin')}:${home.env['PATH']}` };
  return {
    ...home,
    env,
    run: (command, options) => home.run(command, { ...options, env: { ...env, ...options?.env } }),
  };
}

/** The path of a file of completion values, or of config.json. */
function valuesAt({ folder }: Home, path: string): string {
  return path === 'config.json'
    ? join(folder, '.config/innctl', path)
    : join(folder, '.local/state/innctl/completion', path);
}

/** Types each line into one shell. @returns the results. */
export async function typed(
  shell: ShellName,
  home: Home,
  lines: readonly string[],
  { env = {}, rc = '', under = [], load = loading[shell] }: ShellSetup = {},
): Promise<readonly Shown[]> {
  const cwd = join(home.folder, 'here');
  await mkdir(cwd, { recursive: true });
  const text = `${load}\n${rc}\n${showing[shell]}\n`;
  await writeFile(join(cwd, 'rc'), text);
  await writeFile(join(home.folder, '.zshrc'), text);
  using terminal = openTerminal([...under, ...starting[shell]], {
    cwd,
    env: { ...home.env, LANG: 'C.UTF-8', ...env },
  });
  await terminal.sees('>');
  await rm(join(cwd, 'rc'));
  for (const line of lines) {
    terminal.types(`${line}\u0007`);
    await terminal.sees('\u27e7');
    // Before the next prompt the terminal may still be in a mode that handles Ctrl-D itself.
    await terminal.sees('>');
  }
  terminal.types('\u0004');
  return shownIn((await terminal.leaves()).screen);
}

async function writeValues(home: Home, path: string, text: string): Promise<void> {
  await mkdir(dirname(valuesAt(home, path)), { recursive: true });
  await writeFile(valuesAt(home, path), text);
}

function shownIn(screen: string): readonly Shown[] {
  return [...screen.matchAll(/([^\u27e6]*)\u27e6([^\u27e7]*)\u27e7/g)].map(([, before = '', line = '']) => ({
    screen: before,
    line,
  }));
}
