import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/cli/ports.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { wordsOf } from '../helpers/shell-words.ts';

/** Hosts without interceptors: any request fails the test. */
async function hintOf(line: string | readonly string[]) {
  const { exitCode, stdout, stderr } = await cli(line, { env: hotels });
  const [, hint = ''] = /^error: .*\nhint: (.*)\n$/s.exec(stderr) ?? [];
  return { exitCode, stdout, hint };
}

/** Parses a line without running it. @throws what commander refuses. */
async function parse(argv: readonly string[]): Promise<void> {
  // Building the tree uses only the version of the context, and pages the width.
  const program = await buildProgram({ version: '0.0.0', stdout: { columns: 80 } } as Context, () => {});
  const disarm = (command: CommandUnknownOpts): void => {
    if (command.commands.length === 0) command.action(() => {});
    command.commands.forEach(disarm);
  };
  disarm(program);
  await program.parseAsync([...argv], { from: 'user' }).catch((error: unknown) => {
    // --help and --version.
    if (!(error instanceof Error && 'exitCode' in error && error.exitCode === 0)) throw error;
  });
}

/** Lines that are natural elsewhere, and the whole hint. */
const lines: readonly (readonly [line: string, hint: string])[] = [
  ['users remove ben', 'innctl users disable ben'],
  ['rooms BER', 'innctl units list --property BER'],
  ['get units', 'innctl units list'],
  ['unit-groups list BER', 'innctl unit-groups list --property BER'],
  ['units retire BER-LIT', 'innctl units archive BER-LIT'],
  ['properties edit BER', 'innctl properties update BER'],
  ['users edit ben@aurora.example', 'innctl users update ben@aurora.example'],
  ['units list --text-search 20', 'innctl units list --search 20'],
  ['users delete ben@example.com --sandbox -n', 'innctl users disable ben@example.com --sandbox -n'],
  ['users lock ben@example.com', 'innctl users disable ben@example.com'],
  ['users activate ben@example.com', 'innctl users enable ben@example.com'],
  ['disable ben@example.com', 'innctl users disable ben@example.com'],
  ['remove user ben', 'innctl users disable ben'],
  ['users add mia@example.com', 'innctl invitations create mia@example.com'],
  [
    'user add mia@example.com --role "Front Desk" BER',
    "innctl invitations create mia@example.com --role 'Front Desk' BER",
  ],
  ['user ben@example.com', 'innctl users get ben@example.com'],
  ['users list ben@example.com', 'innctl users get ben@example.com'],
  ['users list BER', 'innctl users list --property BER'],
  ['access report BER', 'innctl access report --property BER'],
  ['access report hanna@example.com -o csv', 'innctl access report --user hanna@example.com -o csv'],
  ['access list BER', 'innctl access report --property BER'],
  ['access list', 'innctl access report'],
  ['access report ber', 'innctl access report --property ber'],
  ['access ber', 'innctl access report --property ber'],
  ['access ber muc -o csv', 'innctl access report --property ber,muc -o csv'],
  ['access reprot', 'innctl access report'],
  ['access show hanna@example.com', 'innctl access report --user hanna@example.com'],
  ['users list --limit 5 --property BER VIE', 'innctl users list --limit 5 --property BER,VIE'],
  ['users list --property=BER VIE MUC', 'innctl users list --property=BER,VIE,MUC'],
  ['users list --property BER VIE --limit 5', 'innctl users list --property BER,VIE --limit 5'],
  ['users list --property=BER VIE -n', 'innctl users list --property=BER,VIE -n'],
  ['export --property A B C D E F -n', 'innctl export --property A,B,C,D,E,F -n'],
  ['properties list BER MUC', 'innctl properties get BER MUC'],
  ['users grant ben@example.com BER', 'innctl users grant ben@example.com --property BER'],
  ['people list', 'innctl users list'],
  ['find ben@example.com', 'innctl users get ben@example.com'],
  ['users set ben@example.com --enable', 'innctl users update ben@example.com --enable'],
  ['list users', 'innctl users list'],
  ['get property BER', 'innctl properties get BER'],
  ['--sandbox delete property MUC', 'innctl --sandbox properties delete MUC'],
  ['hotels BER', 'innctl properties get BER'],
  ['properties rename BER de=X', 'innctl properties update BER --name de=X'],
  ['hotels rename BER "de=Zum Anker" -n', "innctl properties update BER --name 'de=Zum Anker' -n"],
  ['rename hotel BER de=X', 'innctl properties update BER --name de=X'],
  ['properties copy BER KOL', 'innctl properties clone BER --code KOL'],
  [
    '-p chain property clone BER KOL --city Bonn',
    'innctl -p chain properties clone BER --code KOL --city Bonn',
  ],
  ['hotel duplicate BER --code KOL', 'innctl properties clone BER --code KOL'],
  ['properties publish MUC', 'innctl properties set-live MUC'],
  ['properties go live MUC', 'innctl properties set-live MUC'],
  ['go live MUC', 'innctl properties set-live MUC'],
  ['close hotel BER', 'innctl properties archive BER'],
  ['property add', 'innctl properties create'],
  ['properties remove BER', 'innctl properties delete BER'],
  ['properties view BER', 'innctl properties get BER'],
  ['properties create city=Berlin', 'innctl properties create --city Berlin'],
  ['properties list json', 'innctl properties list --json'],
  ['properties --limit 5 list', 'innctl properties list --limit 5'],
  ['invite revoke mia@example.com', 'innctl invitations delete mia@example.com'],
  [
    'invite BER mia@example.com --role Auditor',
    'innctl invitations create mia@example.com BER --role Auditor',
  ],
  [
    'invite list mia@example.com',
    String.raw`innctl invitations list --query 'items[?email=='\''mia@example.com'\'']'`,
  ],
  ['invite --file ana.yaml', 'innctl invitations create --file ana.yaml'],
  [
    'invitations create mia@example.com -r Housekeeping BER',
    'innctl invitations create mia@example.com --role Housekeeping BER',
  ],
  ['invitations list BER', 'innctl invitations list --property BER'],
  ['role list Auditor', String.raw`innctl roles list --query 'items[?name=='\''Auditor'\'']'`],
  ['countries get DE', String.raw`innctl countries list --query 'items[?code=='\''DE'\'']'`],
  ['-v', 'innctl --version'],
  ['users list -v', 'innctl users list --debug'],
  ['whoami me', 'innctl whoami'],
  ['status', 'innctl auth status'],
  ['login apaleo', 'innctl login --preset apaleo'],
  ['logout all', 'innctl logout --all'],
  ['logout chain', 'innctl logout --profile chain'],
  ['profiles switch chain', 'innctl profiles use chain'],
  ['profiles delete chain', 'innctl profiles remove chain'],
  ['config get', 'innctl config list'],
  ['sandbox start', 'innctl sandbox serve'],
  ['sandbox run --port 8080', 'innctl sandbox serve --port 8080'],
  ['runs continue first-run', 'innctl runs resume first-run'],
  ['import hotels.csv', 'innctl apply hotels.csv'],
  ['apply -f hotels.yaml --yes', 'innctl apply hotels.yaml --yes'],
  ['diff hotels.yaml', 'innctl plan hotels.yaml'],
  ['diff', 'innctl plan --help'],
  ['properties show', 'innctl properties get --help'],
  ['properties rm', 'innctl properties delete --help'],
  ['users list --format json', 'innctl users list --output json'],
  ['users list --filter role=FrontDesk', 'innctl users list --help'],
  ['invitations list --where=state=open', 'innctl invitations list --help'],
  ['users list --no-color', 'innctl users list --color=never'],
  ['properties delete MUC --yse', 'innctl properties delete MUC --yes'],
  ['properties delete MUC --dryrun', 'innctl properties delete MUC --dry-run'],
  [
    'properties create --country DE --zip 01067',
    'innctl properties create --country-code DE --postal-code 01067',
  ],
  ['sandbox reset chain', 'innctl sandbox reset --seed chain'],
  ['export BER', 'innctl export --property BER'],
  ['users find ben', 'innctl users get ben'],
  ['users find "Ben Schuster" --sandbox', "innctl users get 'Ben Schuster' --sandbox"],
  ['properties update BER city=Berlin -n', 'innctl properties update BER --city Berlin -n'],
  ['hotels update BER "name.de=Zum Anker"', "innctl properties update BER --name 'de=Zum Anker'"],
  ['properties rename BER "it\'s new"', String.raw`innctl properties update BER --name 'en=it'\''s new'`],
  [
    'invitations list --property BER VIE',
    String.raw`innctl invitations list --query 'items[?contains(properties,'\''BER'\'')||contains(properties,'\''VIE'\'')]'`,
  ],
  [
    'properties list --city=Berlin',
    String.raw`innctl properties list --query 'items[?location.city=='\''Berlin'\'']'`,
  ],
  ['users list --properties=BER VIE -n -p chain', 'innctl users list --property=BER,VIE -n -p chain'],
  ['hotels list --fields id,name MUC', 'innctl properties get MUC --fields id,name'],
  ['users remove ben@example.com from BER', 'innctl users revoke ben@example.com --property BER'],
  ['users remove ben@example.com --property BER', 'innctl users revoke ben@example.com --property BER'],
  ['users assign ben@example.com --property VIE', 'innctl users grant ben@example.com --property VIE'],
  ['users grant ben@example.com VIE MUC', 'innctl users grant ben@example.com --property VIE,MUC'],
  ['users update ben@example.com --enabled false', 'innctl users disable ben@example.com'],
  ['users undisable ben@example.com', 'innctl users enable ben@example.com'],
  ['uninvite mia@example.com', 'innctl invitations delete mia@example.com'],
  ['reinvite mia@example.com', 'innctl invitations resend mia@example.com'],
  ['disinvite mia@example.com', 'innctl --help'],
  ['users update ben@example.com --disabled=false', 'innctl users enable ben@example.com'],
  ['config unst output', 'innctl config unset output'],
  ['hotels export -o csv', 'innctl export --kind property -o csv'],
  ['export users', 'innctl export --kind user'],
  ['properties undelete BER', 'innctl properties --help'],
  ['invite delete --email=mia@example.com', 'innctl invitations delete mia@example.com'],
  ['properties delete BER --id MUC', 'innctl properties delete --help'],
  ['GET properties BER', 'innctl properties get BER'],
  ['PROPERTIES LIST', 'innctl properties list'],
  ['get hotels -n', 'innctl properties list -n'],
  ['create -f hotel.yaml', 'innctl apply hotel.yaml'],
  ['users list --property=BER,VIE MUC', 'innctl users list --property=BER,VIE,MUC'],
  ['UNINVITE mia@example.com', 'innctl --help'],
  ['get user/ben@example.com', 'innctl --help'],
  ['users ls BER', 'innctl users list --property BER'],
  ['mia@example.com', 'innctl users get mia@example.com'],
  ['benutzer liste', 'innctl users list'],
  ['benutzer anlegen mia@example.com', 'innctl invitations create mia@example.com'],
  ['sandbox reset --seed chian', 'innctl sandbox reset --seed chain'],
];

describe('a line that is natural elsewhere is not run, and the hint is the line that does it', () => {
  test.each(lines)('innctl %s', async (line, hint) => {
    expect(await hintOf(line)).toEqual({ exitCode: 2, stdout: '', hint });
    await parse(wordsOf(hint));
  });

  test('there are more than forty', () => {
    expect(lines.length).toBeGreaterThan(40);
  });
});

describe('the hint names all lines if several may be meant', () => {
  test.each([
    ['archive BER', ['innctl properties archive BER', 'innctl units archive BER']],
    [
      'properties list --page 2 --json',
      ['innctl properties list --page-number 2 --json', 'innctl properties list --page-size 2 --json'],
    ],
  ])('innctl %s', async (line, meant) => {
    const { exitCode, stdout, stderr } = await cli(line, { env: hotels });

    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`Did you mean one of ${meant.join(', ')}?`);
  });
});

test.each(["O'Neil", 'a b', '$(touch x)', '`id`', '"; rm -rf /', 'ä\u202e', 'x\ny', '!!', '*', '~', '{a,b}'])(
  'a word that a shell interprets is quoted in the hint: %j',
  async (word) => {
    const { exitCode, hint } = await hintOf(['users', 'remove', word]);

    expect(exitCode).toBe(2);
    expect(wordsOf(hint)).toEqual(['users', 'disable', word]);
  },
);

test('a quote in a query is escaped in JMESPath too', async () => {
  const { hint } = await hintOf(['roles', 'list', String.raw`O'Neil\x`]);

  expect(wordsOf(hint)).toEqual(['roles', 'list', '--query', String.raw`items[?name=='O\'Neil\\x']`]);
});

describe('a secret that is typed as an argument is not shown', () => {
  const SECRET = 'hunter2-hunter2';

  test.each([
    [['login', '--token', SECRET], 'Did you mean --with-token?'],
    [['login', `--token=${SECRET}`], 'Did you mean --with-token?'],
    [['login', '--client-secret', SECRET], 'Did you mean --client-secret-file?'],
    [['profiles', 'add', 'chain', '--token', SECRET], 'Did you mean --token-file?'],
    [['login', '--wbe', '--client-secret', SECRET], 'Did you mean --web?'],
    [['config', 'set', 'token', SECRET, '--jsn'], 'Did you mean --json?'],
    [['api', 'POST', '/x', '-f', `password=${SECRET}`, '--jsn'], 'Did you mean --json?'],
    [['login', `eyJ${SECRET}`], 'innctl login --help'],
    [['logout', `eyJ${SECRET}`], 'innctl logout --help'],
    [['users', 'list', `--pass=${SECRET}`], 'innctl users list --help'],
    [['profiles', 'create', 'x', '--base-url', `https://u:${SECRET}@h`], 'innctl profiles --help'],
    [['users', 'list', '-H', `Authorization: Bearer ${SECRET}`], 'innctl users list --help'],
  ])('innctl %j', async (argv, hint) => {
    const { exitCode, stdout, stderr } = await cli(argv, { env: hotels });

    expect({ exitCode, stdout, isShown: stderr.includes(SECRET) }).toEqual({
      exitCode: 2,
      stdout: '',
      isShown: false,
    });
    expect(stderr).toContain(`hint: ${hint}\n`);
  });
});

test.each([
  ['users', '--', 'remove', 'ben'],
  ['-qx', 'users', 'list'],
  ['users', 'list', '-qx'],
  ['__proto__'],
  ['users', 'constructor', 'ben'],
  ['users', 'list', '--toString'],
  ['users', ''],
  ['users', 'list', '-n', '5'],
  ['users', 'list', '--disabled', '--role', 'Auditor'],
  ['users', 'list', '--property', 'BER', 'VIE', '-n', 'MUC'],
])('nothing is guessed for innctl %j %j %j', async (...argv) => {
  const { exitCode, hint } = await hintOf(argv.filter((word) => word !== undefined));

  expect(exitCode).toBe(2);
  expect(hint).toMatch(/^innctl (\S+ )*--help$/);
});
