import { describe, expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';

/** Hosts without interceptors: any request fails the test. */
async function errorOf(line: string | readonly string[]) {
  const { exitCode, stdout, stderr } = await cli(line, { env: hotels });
  const [, message, hint] = /^error: (.*?)(?:\nhint: (.*))?\n$/s.exec(stderr) ?? [];
  return { exitCode, stdout, message, hint };
}

describe('a misspelt command', () => {
  test.each([
    ['properties lsit', 'innctl properties list'],
    ['properties lss', 'innctl properties list'],
    ['properties creat', 'innctl properties create'],
    ['profiles lst', 'innctl profiles list'],
    ['propertie', 'innctl properties'],
    ['Properties list', 'innctl properties list'],
    ['prop list', 'innctl properties list'],
    ['invitation creat', 'innctl invitations create'],
    ['schema manifst', 'innctl schema manifest'],
    ['sandbox rest', 'innctl sandbox reset'],
    ['properties nonsense', 'innctl properties --help'],
    ['nonsense', 'innctl --help'],
    ['', undefined],
  ])(
    'gets the line with the closest canonical name as a hint, without aliases: innctl %s',
    async (line, hint) => {
      const usageError = await errorOf(line);

      expect([usageError.exitCode, usageError.hint]).toEqual([line === '' ? 0 : 2, hint]);
    },
  );

  test.each([
    ['list properties', 'innctl properties list'],
    ['ls property', 'innctl properties list'],
    ['create invite ana@example.com', 'innctl invitations create ana@example.com'],
    ['list --all properties', 'innctl properties list --all'],
    ['--sandbox delete property MUC', 'innctl --sandbox properties delete MUC'],
    ['-p chain list users', 'innctl -p chain users list'],
    ['property-list', 'innctl properties list'],
    ['list-properties', 'innctl properties list'],
    ['users:list', 'innctl users list'],
    ['serve', 'innctl sandbox serve'],
    ['use chain', 'innctl profiles use chain'],
    ['archive BER', 'Did you mean one of innctl properties archive BER, innctl units archive BER?'],
  ])('in the wrong order or place gets the correct command line as a hint: innctl %s', async (line, hint) => {
    expect(await errorOf(line)).toMatchObject({ exitCode: 2, stdout: '', hint });
  });

  test.each([
    ['users delete ben@example.com', 'innctl users disable ben@example.com'],
    ['--sandbox users remove ben@example.com', 'innctl --sandbox users disable ben@example.com'],
    ['users invite ben@example.com', 'innctl invitations create ben@example.com'],
    ['users create', 'innctl invitations create'],
  ])('that users lacks gets the command with the same effect as a hint: innctl %s', async (line, hint) => {
    expect(await errorOf(line)).toMatchObject({ exitCode: 2, stdout: '', hint });
  });

  test('is not searched for in values of flags', async () => {
    expect(await errorOf('-p users properties get')).toMatchObject({
      exitCode: 2,
      hint: 'innctl properties get --help',
    });
  });
});

describe('a misspelt flag', () => {
  test.each([
    ['properties list --jsn', 'innctl properties list --json'],
    ['properties list --jsn=1', 'Did you mean --json?'],
    ['properties list --limt 5', 'innctl properties list --limit 5'],
    ['properties list --limt=5', 'innctl properties list --limit=5'],
    ['properties delete MUC --dry-rnu', 'innctl properties delete MUC --dry-run'],
    ['--jsn properties list', 'innctl properties list --json'],
    ['properties list --hlep', 'innctl properties list --help'],
    ['properties list --frobnicate', 'innctl properties list --help'],
    ['properties list -x', 'innctl properties list --help'],
    ['properties list --__proto__', 'innctl properties list --help'],
    ['users update b-2 --remove-propertys BER', 'innctl users update b-2 --remove-properties BER'],
    ['users update b-2 --removeproperties BER', 'innctl users update b-2 --remove-properties BER'],
    ['users update b-2 --delete-properties BER', 'innctl users update --help'],
    ['users update b-2 --unset-properties BER', 'innctl users update --help'],
    ['users update b-2 --enabel', 'innctl users update b-2 --enable'],
    [
      'users update b-2 --role FrontDesk',
      expect.stringMatching(/^Roles of users are set in the pages of the service, /),
    ],
    ['users update b-2 --remove-roles FrontDesk', expect.stringMatching(/^Roles of users are set in /)],
    ['properties list --exclude-archived', 'innctl properties list --help'],
  ])('gets the closest flag as a hint, and nothing runs: innctl %s', async (line, hint) => {
    expect(await errorOf(line)).toMatchObject({ exitCode: 2, stdout: '', hint });
  });

  test.each([
    [
      'roles list --property BER',
      '--property belongs to innctl invitations list, innctl users list, innctl unit-groups list, innctl units list.',
    ],
    ['plan hotels.yaml --max-deletes 3', '--max-deletes belongs to innctl apply.'],
    ['users list --disable', '--disable belongs to innctl users update.'],
  ])('of a related command gets a hint to that command: innctl %s', async (line, hint) => {
    expect(await errorOf(line)).toMatchObject({ exitCode: 2, stdout: '', hint });
  });
});

describe('an excess argument', () => {
  test.each([
    ['properties list BER', 'innctl properties get BER'],
    ['--sandbox users list ana@example.com', 'innctl --sandbox users get ana@example.com'],
    ["properties list 'B E'", "innctl properties get 'B E'"],
    ['properties list json', 'innctl properties list --json'],
    ['properties list all', 'innctl properties list --all'],
    ['properties list BER MUC', 'innctl properties get BER MUC'],
    ['properties exists BER MUC', 'innctl properties exists --help'],
  ])('gets the likely intended command or flag as a hint: innctl %s', async (line, hint) => {
    expect(await errorOf(line)).toMatchObject({ exitCode: 2, stdout: '', hint });
  });
});

describe('a misspelt enum value', () => {
  test.each([
    ['properties list --output jsno', '; did you mean json?'],
    ['properties list -o csvv', '; did you mean csv?'],
    ['properties list --color alwyas', '; did you mean always?'],
    ['apply hotels.yaml --progress lines.', '; did you mean lines?'],
    ['export --kind proprty', 'did you mean property?'],
    ['profiles add chain --auth tokn', '; did you mean token?'],
    ['profiles add chain --dialect contrct', '; did you mean contract?'],
    ['config set safety redonly --sandbox', '; did you mean read-only?'],
    ['api GTE /inventory/v1/properties', '; did you mean GET?'],
    ['sandbox serve --seed smal', 'innctl sandbox serve --seed small'],
    ['sandbox reset --seed chian', 'innctl sandbox reset --seed chain'],
    ['sandbox serve --fault dorp-after', 'Did you mean drop-after?'],
    ['sandbox serve --fault hang:rat=0.5', 'Did you mean rate?'],
    ['completion fsh', 'did you mean fish?'],
    ['config get timout', 'Did you mean timeout?'],
  ])('gets the closest value as a hint: innctl %s', async (line, suggestion) => {
    const { exitCode, stdout, message = '', hint = '' } = await errorOf(line);

    expect([exitCode, stdout]).toEqual([2, '']);
    expect(`${message}\n${hint}`).toContain(suggestion);
  });

  test.each([
    [
      'properties list --output x',
      '--output: "x" is not one of table, wide, cards, json, ndjson, csv, tsv, yaml',
    ],
    ['apply hotels.yaml --progress x', '--progress: "x" is not one of auto, bar, lines, jsonl, none'],
  ])('without a close match gets all values: innctl %s', async (line, message) => {
    expect(await errorOf(line)).toMatchObject({ exitCode: 2, stdout: '', message });
  });
});

test.each([
  [['\u001b[2J'], String.raw`unknown command '\u001b[2J'`],
  [['a\nhint: rm'], String.raw`unknown command 'a\nhint: rm'`],
  [['x'.repeat(5_000)], `unknown command '${'x'.repeat(59)}…'`],
  [['properties', 'list', `--${'x'.repeat(5_000)}`], `unknown option '--${'x'.repeat(57)}…'`],
  [
    ['sandbox', 'reset', `--seed=${'x'.repeat(5_000)}`],
    `option '--seed <name>' argument '${'x'.repeat(59)}…' is invalid. Allowed choices are small, chain, people.`,
  ],
  [['$&'], `unknown command '$&'`],
])('a word with control characters or excessive length is escaped and truncated', async (argv, message) => {
  expect(await errorOf(argv)).toMatchObject({ exitCode: 2, stdout: '', message });
});

test('the JSON error contains the hint', async () => {
  const { exitCode, stderr } = await cli('list properties --json');

  expect([exitCode, JSON.parse(stderr)]).toEqual([
    2,
    {
      error: expect.objectContaining({
        code: 'usage',
        message: "unknown command 'list'",
        hint: 'innctl properties list --json',
      }),
    },
  ]);
});
