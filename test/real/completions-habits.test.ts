import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { completionFiles } from '../../src/reference/values.ts';
import { activeChain, openHomeWith, type ShellName, type ShellSetup, typed } from './shells.ts';

const cachedValues = {
  'config.json': activeChain,
  'by-profile/chain/properties': 'BER\tGrand Hotel\nBEL\tBellevue\nMUC\tInn: the old one\nVIE\t\n',
  'by-profile/chain/roles': 'Front Desk\t\n',
};

/** Typed lines, and what Tab completes them to. */
const lines = {
  'innctl prop\tg\tM\t': 'innctl properties get MUC ',
  'innctl invite create --role=Fr\t': 'innctl invite create --role=Front\\ Desk ',
  'innctl invite create --property BER,V\t': 'innctl invite create --property BER,VIE ',
  'innctl api --field x=y G\t': 'innctl api --field x=y GET ',
};

async function completed(shell: ShellName, shellSetup: ShellSetup) {
  await using home = await openHomeWith(cachedValues);
  const shown = await typed(shell, home, Object.keys(lines), shellSetup);
  return shown.map(({ line }) => line);
}

describe('shell options and variables do not affect completion', () => {
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
  ] as const)('completion does not change options and variables of %s', async (shell, listing) => {
    await using home = await openHomeWith(cachedValues);
    const state = async (keys: readonly string[]) => {
      // Both lists include what the shell itself loads for its first completion.
      const all = ['cd \t', ...keys, `${listing} >../state-${keys.length}\r`, 'innctl prop\t'];
      const shown = await typed(shell, home, all);
      return shown.at(-1)?.line;
    };

    expect(await state([])).toBe('innctl properties ');
    expect(await state(Object.keys(lines))).toBe('innctl properties ');
    const { stdout } = await home.run(['diff', 'state-0', `state-${Object.keys(lines).length}`]);
    expect(stdout).toBe('');
  });
});

test.each<[ShellName, string]>([
  ['bash', 'alias i=innctl; complete -F _innctl i; innctl() { false; }'],
  ['zsh', 'alias i=innctl; innctl() { false; }'],
  ['fish', 'alias i=innctl'],
])('%s asks the typed program, and for an alias or a function innctl', async (shell, rc) => {
  await using home = await openHomeWith(cachedValues);
  await mkdir(join(home.folder, 'own'));
  const own = join(home.folder, 'own/innctl');
  await writeFile(own, "#!/bin/sh\nprintf 'mine\\n:nothing\\t\\n'\n", { mode: 0o755 });

  const shown = await typed(
    shell,
    home,
    ['i prop\t', 'innctl prop\t', '../own/innctl m\t', '~/own/innctl m\t'],
    {
      rc,
    },
  );

  expect(shown.map(({ line }) => line)).toEqual([
    'i properties ',
    'innctl properties ',
    '../own/innctl mine ',
    '~/own/innctl mine ',
  ]);
});

describe('candidates', () => {
  test.each(['zsh', 'fish'] as const)('%s lists values that have no descriptions', async (shell) => {
    await using home = await openHomeWith({
      ...cachedValues,
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
      await using home = await openHomeWith(cachedValues);

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
        expect.stringMatching(/--ca-file.*PEM file/),
      ]);
    },
  );
});

describe('loading the scripts', () => {
  test('zsh loads _innctl from fpath', async () => {
    const load = 'fpath=(.. $fpath); autoload -Uz compinit; compinit -u -D';

    expect(await completed('zsh', { load })).toEqual(Object.values(lines));
  });

  test('bash without compopt, as in old versions, completes files', async () => {
    await using home = await openHomeWith(cachedValues);
    await mkdir(join(home.folder, 'here/seeds'), { recursive: true });
    await writeFile(join(home.folder, 'here/seeds/all.yaml'), '');

    const shown = await typed(
      'bash',
      home,
      [...Object.keys(lines), 'innctl apply s\ta\t', 'innctl -- \t', 'innctl users get \t'],
      { load: `enable -n compopt; . ../${completionFiles.bash}` },
    );

    expect(shown.map(({ line }) => line)).toEqual([
      ...Object.values(lines),
      'innctl apply seeds/all.yaml ',
      'innctl -- ',
      'innctl users get ',
    ]);
  });

  test('bash completes with only COMP_WORDS and COMP_CWORD set, as other completions call it', async () => {
    await using home = await openHomeWith(cachedValues);
    const script = `
      . ./${completionFiles.bash}
      for words in 'innctl --output = j' 'innctl properties get B' 'innctl invite create --property = BER,V'; do
        COMP_WORDS=($words) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        _innctl
        echo "\${COMPREPLY[*]}"
      done`;

    const ended = await home.run(['bash', '-euc', script]);

    expect(ended).toEqual({ exitCode: 0, stdout: 'json\nBER BEL\nBER,VIE\n', stderr: '' });
  });

  test.each([
    ['bash', ['bash', '-n', completionFiles.bash]],
    ['zsh', ['zsh', '-n', completionFiles.zsh]],
    ['fish', ['fish', '--no-execute', completionFiles.fish]],
    ['bash, executed', ['bash', '--posix', '-euc', `. ./${completionFiles.bash}`]],
    ['zsh, executed without the completion system', ['zsh', '-efuc', `. ./${completionFiles.zsh}`]],
    ['fish, executed', ['fish', '--no-config', completionFiles.fish]],
  ])('%s loads its script without output', async (_, command) => {
    await using home = await openHomeWith({});

    expect(await home.run(command)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });
});
