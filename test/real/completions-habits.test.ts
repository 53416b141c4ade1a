import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scripts } from '../../src/reference/completions/scripts.ts';
import { openHomeWith, type Person, type ShellName, typed } from './shells.ts';

const left = {
  profiles: 'chain\t\n',
  active: 'chain\t\n',
  'by-profile/chain/properties': 'BER\tGrand Hotel\nBEL\tBellevue\nMUC\tInn: the old one\nVIE\t\n',
  'by-profile/chain/roles': 'Front Desk\t\n',
};

/** Lines that use all there is, and what they become. */
const lines = {
  'innctl prop\tg\tM\t': 'innctl properties get MUC ',
  'innctl invite create --role=Fr\t': 'innctl invite create --role=Front\\ Desk ',
  'innctl invite create --property BER,V\t': 'innctl invite create --property BER,VIE ',
  'innctl users list -oj\t': 'innctl users list -ojson ',
  'innctl api --field x=y G\t': 'innctl api --field x=y GET ',
};

async function completed(shell: ShellName, person: Person) {
  await using home = await openHomeWith(left);
  const shown = await typed(shell, home, Object.keys(lines), person);
  return shown.map(({ line }) => line);
}

describe('the person has made the shell their own', () => {
  test.each([
    'set -u',
    'set -e',
    'set -f',
    'set -o posix',
    'IFS=,',
    'IFS=',
    'shopt -s nullglob dotglob extglob',
    'shopt -s failglob',
    'shopt -u progcomp_alias; shopt -s direxpand',
    "COMP_WORDBREAKS=$' \\t\\n'",
    'COMP_WORDBREAKS="$COMP_WORDBREAKS,"',
    '. /usr/share/bash-completion/bash_completion',
    'children=(a b) flags=x words=y prefix=z',
  ])('bash: %s', async (rc) => {
    expect(await completed('bash', { rc })).toEqual(Object.values(lines));
  });

  test.each([
    'setopt ksh_arrays',
    'setopt sh_word_split',
    'setopt null_glob',
    'setopt no_unset',
    'setopt err_return',
    'setopt no_glob',
    'setopt extended_glob glob_subst',
    'setopt rc_expand_param',
    'setopt complete_in_word',
    'setopt menu_complete',
    "zstyle ':completion:*' menu select; zstyle ':completion:*:descriptions' format '%B%d%b'",
    "zstyle ':completion:*' matcher-list 'm:{a-z}={A-Z}'",
    'IFS=,',
    'children=(a b) flags=x row=y found=z',
  ])('zsh: %s', async (rc) => {
    expect(await completed('zsh', { rc })).toEqual(Object.values(lines));
  });

  test.each(['set -g children a b; set -g flags x; set -g typed y', 'set -g IFS ,'])(
    'fish: %s',
    async (rc) => {
      expect(await completed('fish', { rc })).toEqual(Object.values(lines));
    },
  );

  test.each([
    [
      'bash',
      'set -o; shopt; printf "%q\\n" "$IFS"; declare -p | grep -v -e COMP -e BASH -e READLINE -e "_="',
    ],
    ['zsh', 'setopt; print -r -- $#IFS; typeset +m "[a-z]*"'],
    ['fish', 'set --names --global'],
  ] as const)('%s keeps its options and its variables', async (shell, asking) => {
    await using home = await openHomeWith(left);
    const state = async (keys: readonly string[]) => {
      // What the shell itself loads for its first completion is there in both.
      const all = ['cd \t', ...keys, `${asking} >../state-${keys.length}\r`, 'innctl prop\t'];
      const shown = await typed(shell, home, all);
      return shown.at(-1)?.line;
    };

    expect(await state([])).toBe('innctl properties ');
    expect(await state(Object.keys(lines))).toBe('innctl properties ');
    const { stdout } = await home.run(['diff', 'state-0', `state-${Object.keys(lines).length}`]);
    expect(stdout).toBe('');
  });
});

describe('what is shown', () => {
  test('bash lists values with their descriptions, and inserts them without', async () => {
    await using home = await openHomeWith(left);

    const [list, inserted] = await typed('bash', home, [
      'innctl properties get BE\t\t',
      'innctl properties get BER\t',
    ]);

    expect(list).toEqual({
      line: 'innctl properties get BE',
      screen: expect.stringMatching(/BEL {2}\(Bellevue\)\s+BER {2}\(Grand Hotel\)/),
    });
    expect(inserted).toEqual({
      line: 'innctl properties get BER ',
      screen: expect.not.stringContaining('('),
    });
  });

  test.each(['zsh', 'fish'] as const)('%s lists values without descriptions as they are', async (shell) => {
    await using home = await openHomeWith({
      ...left,
      'by-profile/chain/countries': 'CH\t\nCL\t\nCN\t\nCY\t\n',
    });

    const [list, some] = await typed(shell, home, [
      'innctl properties create --country-code C\t\t',
      'innctl invite create --property VIE,V\t',
    ]);

    expect(list?.screen.replaceAll(/\s+/g, ' ')).toMatch(/CH CL CN CY/);
    expect(list?.screen).not.toMatch(/\s--\s/);
    expect(some?.line).toBe('innctl invite create --property VIE,V');
  });

  test.each(['zsh', 'fish'] as const)(
    '%s shows descriptions of values, commands and flags',
    async (shell) => {
      await using home = await openHomeWith(left);

      const shown = await typed(shell, home, [
        'innctl properties get \t',
        'innctl profiles \t',
        'innctl profiles use --o\t',
        'innctl runs list --\t',
      ]);

      expect(shown.map(({ screen }) => screen.replaceAll(/\s+/g, ' '))).toEqual([
        expect.stringMatching(/MUC.*Inn: the old one/),
        expect.stringMatching(/add.*use/),
        expect.anything(),
        expect.stringMatching(/--journal.*journal/),
      ]);
    },
  );

  test.each(['bash', 'zsh', 'fish'] as const)(
    '%s offers neither aliases, nor a flag twice, nor what a list has already',
    async (shell) => {
      await using home = await openHomeWith(left);

      const [verbs, flags, list] = await typed(shell, home, [
        'innctl roles l\t',
        'innctl properties list --json --js\t',
        'innctl invite create --property BER,BEL,MUC,\t',
      ]);

      expect([verbs?.line, flags?.line, list?.line]).toEqual([
        'innctl roles list ',
        'innctl properties list --json --js',
        'innctl invite create --property BER,BEL,MUC,VIE ',
      ]);
    },
  );
});

describe('ways to load the scripts', () => {
  test('zsh finds _innctl in a folder of fpath', async () => {
    const load = 'fpath=(.. $fpath); autoload -Uz compinit; compinit -u -D';

    expect(await completed('zsh', { load })).toEqual(Object.values(lines));
  });

  test('bash without compopt, as on old machines, knows files as well', async () => {
    await using home = await openHomeWith(left);
    await mkdir(join(home.folder, 'here/seeds'), { recursive: true });
    await writeFile(join(home.folder, 'here/seeds/all.yaml'), '');

    const shown = await typed(
      'bash',
      home,
      [...Object.keys(lines), 'innctl apply s\ta\t', 'innctl -- \t', 'innctl users get \t'],
      { load: `enable -n compopt; . ../${scripts.bash.file}` },
    );

    expect(shown.map(({ line }) => line)).toEqual([
      ...Object.values(lines),
      'innctl apply seeds/all.yaml ',
      'innctl -- ',
      'innctl users get ',
    ]);
  });

  test('bash with the words alone, as other completions call it', async () => {
    await using home = await openHomeWith(left);
    const script = `
      . ./${scripts.bash.file}
      for words in 'innctl --output = j' 'innctl properties get B' 'innctl invite create --property = BER,V'; do
        COMP_WORDS=($words) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        _innctl
        echo "\${COMPREPLY[*]}"
      done`;

    const ended = await home.run(['bash', '-euc', script]);

    expect(ended).toEqual({ exitCode: 0, stdout: 'json\nBER BEL\nBER,VIE\n', stderr: '' });
  });

  test.each([
    ['bash', ['bash', '-n', scripts.bash.file]],
    ['zsh', ['zsh', '-n', scripts.zsh.file]],
    ['fish', ['fish', '--no-execute', scripts.fish.file]],
    ['bash, run', ['bash', '--posix', '-euc', `. ./${scripts.bash.file}`]],
    ['zsh, run without the completion system', ['zsh', '-efuc', `. ./${scripts.zsh.file}`]],
    ['fish, run', ['fish', '--no-config', scripts.fish.file]],
  ])('%s reads its script without a word', async (_, command) => {
    await using home = await openHomeWith({});

    expect(await home.run(command)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  test('a folder that nobody may enter says nothing', async () => {
    await using home = await openHomeWith(left);
    const state = join(home.folder, '.local/state');
    await rename(state, `${state}-away`);
    await writeFile(state, '');
    await chmod(state, 0);

    const [shown] = await typed('bash', home, ['innctl properties get B\t']);

    expect(shown?.line).toBe('innctl properties get B');
  });
});
