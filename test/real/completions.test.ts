import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { activeChain, openHomeWith, type ShellName, type ShellSetup, typed } from './shells.ts';

const shells: readonly ShellName[] = ['bash', 'zsh', 'fish'];

/** Completion values as list commands of three profiles write them. */
const cachedValues = {
  'config.json': activeChain,
  'by-profile/chain/properties': 'BER\tGrand Hotel\nBEL\tBellevue\nMUC\tInn: the old one\nVIE\t\n',
  'by-profile/chain/roles': 'Front Desk\tGuests\nHousekeeping\t\n',
  'by-profile/chain/user-emails': 'ana@example.com\tAna\n',
  'by-profile/chain/invitation-emails': 'ben@example.com\t\n',
  'by-profile/sandbox/properties': 'SBX\tStand-in\n',
  'by-profile/_environment/properties': 'ENV\t\n',
};

/** The lines after Tab. */
async function completed(shell: ShellName, lines: readonly string[], shellSetup: ShellSetup = {}) {
  await using home = await openHomeWith(cachedValues);
  await mkdir(join(home.folder, 'here/seeds'), { recursive: true });
  await writeFile(join(home.folder, 'here/seeds/hotel chain.yaml'), '');
  const shown = await typed(
    shell,
    home,
    lines.map((line) => `${line}\t`),
    shellSetup,
  );
  return shown.map(({ line }) => line);
}

/** Typed lines, and the lines after Tab, in every shell; test/reference/completions has the others. */
const everywhere = {
  'innctl prop': 'innctl properties ',
  'innctl help prop\tcr': 'innctl help properties create ',
  'innctl help env': 'innctl help environment ',
  'innctl --output js': 'innctl --output json ',
  'innctl --output=js': 'innctl --output=json ',
  'innctl properties get M': 'innctl properties get MUC ',
  'innctl properties get BER M': 'innctl properties get BER MUC ',
  'innctl invite mia@example.com BER,M': 'innctl invite mia@example.com BER,MUC ',
  'innctl -p sandbox properties get S': 'innctl -p sandbox properties get SBX ',
  'innctl -p ch': 'innctl -p chain ',
  'innctl invite create --role H': 'innctl invite create --role Housekeeping ',
  'innctl invite create --role Fr': 'innctl invite create --role Front\\ Desk ',
  'innctl invite create --role Front\\ D': 'innctl invite create --role Front\\ Desk ',
  'innctl invite create --role "Front D': 'innctl invite create --role "Front Desk" ',
  'innctl invite create --role=Fr': 'innctl invite create --role=Front\\ Desk ',
  'innctl invite create --property BER,V': 'innctl invite create --property BER,VIE ',
  'innctl invite create --property=BER,V': 'innctl invite create --property=BER,VIE ',
  'innctl apply s\t': 'innctl apply seeds/hotel\\ chain.yaml ',
  'innctl apply x.yaml s\t': 'innctl apply x.yaml seeds/hotel\\ chain.yaml ',
  'innctl apply --plan=s\t': 'innctl apply --plan=seeds/hotel\\ chain.yaml ',
  'innctl users list --enabled=t': 'innctl users list --enabled=true ',
  'innctl users get a': 'innctl users get a',
  'innctl -- prop': 'innctl -- prop',
  'innctl properties list s': 'innctl properties list s',
};

describe.each(shells)('completion in %s', (shell) => {
  test('completes commands, flags, choices, values, lists and files', async () => {
    const lines = await completed(shell, Object.keys(everywhere));

    expect(lines).toEqual(Object.values(everywhere));
  });

  test.each([
    ['INNCTL_CONFIG_DIR', 'settings', 'settings/state/completion'],
    ['XDG_STATE_HOME', 'state', 'state/innctl/completion'],
  ])('%s sets the folder of the values', async (variable, folder, place) => {
    await using home = await openHomeWith({});
    await mkdir(join(home.folder, place, 'by-profile/chain'), { recursive: true });
    await writeFile(join(home.folder, place, 'by-profile/chain/properties'), 'VIE\t\n');
    const env = { [variable]: join(home.folder, folder) };

    const [shown] = await typed(shell, home, ['innctl properties get -p chain \t'], { env });

    expect(shown?.line).toBe('innctl properties get -p chain VIE ');
  });

  test('only innctl is started, and it connects to nothing', async () => {
    await using home = await openHomeWith(cachedValues);
    const under = ['strace', '-f', '-qq', '-e', 'trace=execve,connect', '-o', '../trace'];
    const lines = ['innctl prop\tg\tM\t', 'innctl -p s\t', 'innctl apply r\t'];
    const env = { INNCTL_BASE_URL: 'https://api.example.com' };

    await typed(shell, home, lines, { under, env });

    const trace = (await readFile(join(home.folder, 'trace'), 'utf8')).trim().split('\n');
    const started = trace.flatMap((line) => /execve\("[^"]*\/([^"/]+)".* = 0$/.exec(line)?.[1] ?? []);
    expect([...new Set(started)]).toEqual([shell, 'innctl', 'node']);
    expect(trace.filter((line) => /sa_family=AF_INET/.test(line))).toEqual([]);
  });
});

describe.each(['bash', 'zsh'] as const)('%s, with the cursor inside the line', (shell) => {
  test('flags after the cursor are respected', async () => {
    const back = '\u0002'.repeat(' -p sandbox'.length);

    expect(
      await completed(shell, [
        `innctl properties get S -p sandbox${back}`,
        `innctl properties get  -p sandbox${back}`,
        `innctl properties list --profi -p sandbox${back}`,
      ]),
    ).toEqual([
      expect.stringMatching(/^innctl properties get SBX +-p sandbox$/),
      expect.stringMatching(/^innctl properties get SBX +-p sandbox$/),
      // The other flag that begins like that is given.
      expect.stringMatching(/^innctl properties list --profiles +-p sandbox$/),
    ]);
  });
});
