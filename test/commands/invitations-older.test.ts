import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { AUTH, cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { freshFolder } from '../sandbox/harness.ts';

const NOW = Date.UTC(2026, 10, 23, 12);
const DAY_MS = 86_400_000;

const daysAgo = (days: number) => new Date(NOW - days * DAY_MS).toISOString();
const withdrawn = (email: string) =>
  nock(IDENTITY, AUTH)
    .delete(`/api/v1/invitations/${encodeURIComponent(email)}`, '')
    .reply(204);

interface Listed {
  readonly email?: unknown;
  readonly created?: unknown;
}

function lists(invitations: readonly Listed[], more: object = {}) {
  nock(IDENTITY, AUTH)
    .get('/api/v1/invitations')
    .reply(200, { invitations, ...more });
}

const older = (line: string) => cli(`invitations ${line}`, { env: hotels, now: NOW });

/** Ana and Ben are invited long ago, Clara is not, and David's date says nothing. */
const four: readonly Listed[] = [
  { email: 'ana@example.com', created: daysAgo(31) },
  { email: 'ben@example.com', created: daysAgo(400) },
  { email: 'clara@example.com', created: daysAgo(29) },
  { email: 'david@example.com' },
];
const aboutDavid = 'warning: 1 invitation without a readable date is not';

onlyIntercepted();

describe('invitations list --older-than', () => {
  test('lists those made longer ago, and says that one has no date', async () => {
    lists(four);

    const { exitCode, stdout, stderr } = await older('list --older-than 30d -q');

    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: 'ana@example.com\nben@example.com\n',
      stderr: `${aboutDavid} listed.\n`,
    });
  });

  test('counts, limits and pages what is older, with the filter of a property', async () => {
    const path = '/api/v1/invitations?property_id=BER';
    for (const _ of [1, 2]) nock(IDENTITY, AUTH).get(path).reply(200, { invitations: four });

    const [limited, paged] = [
      await older('list --older-than 30d --property BER --limit 1 --json'),
      await older('list --older-than 30d --property BER --page-number 2 --page-size 1 --json'),
    ];

    expect(JSON.parse(limited.stdout)).toMatchObject({
      count: 2,
      has_more: true,
      items: [{ email: 'ana@example.com' }],
    });
    expect(JSON.parse(paged.stdout)).toMatchObject({ count: 2, items: [{ email: 'ben@example.com' }] });
  });

  test.each([
    ['12h', 11 / 24, 13 / 24],
    ['1d', 1, 1.001],
    ['2w', 14, 14.001],
  ])('%s is a limit that must be exceeded', async (age, young, old) => {
    lists([
      { email: 'young@example.com', created: daysAgo(young) },
      { email: 'old@example.com', created: daysAgo(old) },
    ]);

    expect((await older(`list --older-than ${age} -q`)).stdout).toBe('old@example.com\n');
  });

  test('ends with an error if the service counts more than it lists', async () => {
    lists(four.slice(0, 3), { count: 4 });

    const { exitCode, stdout, stderr } = await older('list --older-than 30d -q');

    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'error: Could not look for invitations: the service counts 4 invitations and listed 3.\n',
    );
  });
});

describe('invitations delete --older-than', () => {
  test('withdraws those made longer ago, and no other', async () => {
    lists(four);
    withdrawn('ana@example.com');
    withdrawn('ben@example.com');

    const { exitCode, stdout, stderr } = await older('delete --older-than 30d --yes --max-deletes 2 --json');

    const { items, summary } = JSON.parse(stdout);
    expect(exitCode).toBe(0);
    expect(stderr).toBe(`${aboutDavid} withdrawn.\n`);
    expect(summary).toMatchObject({ done: 2 });
    expect(items.map(({ name, outcome }: Record<string, unknown>) => [name, outcome])).toEqual([
      ['ana@example.com', 'done'],
      ['ben@example.com', 'done'],
    ]);
  });

  test('shows what it would withdraw, and since when, without consent', async () => {
    lists(four);

    const { exitCode, stdout } = await older('delete --older-than 30d --dry-run --json');

    const { items } = JSON.parse(stdout);
    expect(exitCode).toBe(0);
    expect(items).toMatchObject([
      { action: 'delete', name: 'ana@example.com', reason: 'invited 31 days ago' },
      { action: 'delete', name: 'ben@example.com', reason: 'invited 13 months ago' },
    ]);
  });

  test.each([
    [
      '',
      'that needs --max-deletes 2; nothing was sent.',
      'invitations delete --older-than 30d --max-deletes 2',
    ],
    ['--yes', 'that needs --max-deletes 2; nothing was sent.', '--yes --max-deletes 2'],
    ['--yes --max-deletes 1', 'that needs --max-deletes 2, not 1; nothing was sent.', '--dry-run'],
    ['--max-deletes 2', 'Nothing was sent.', '--yes'],
  ])('with %j needs more consent, exit 11', async (flags, sentence, hint) => {
    lists(four);

    const { exitCode, stderr } = await older(`delete --older-than 30d ${flags}`);

    expect(exitCode).toBe(11);
    expect(stderr).toContain(sentence);
    expect(stderr).toContain(hint);
  });

  test('sends nothing if the list is incomplete', async () => {
    lists(four, { count: 5 });

    expect(await older('delete --older-than 30d --yes --max-deletes 9')).toEqual(
      ended(1, 'error: Could not look for old invitations: the service counts 5 invitations and listed 4.\n'),
    );
  });

  test('keeps an address that is also invited more recently, or without a date', async () => {
    lists([
      { email: 'ana@example.com', created: daysAgo(31) },
      { email: 'Ana@Example.com', created: daysAgo(1) },
      { email: 'ben@example.com', created: daysAgo(31) },
      { email: 'ben@example.com', created: 'soon' },
    ]);

    const { exitCode, stderr } = await older('delete --older-than 30d --yes --max-deletes 9');

    expect(exitCode).toBe(0);
    expect(stderr).toContain(
      'warning: Not withdrawn: 2 older addresses that cannot be named, or that are also invited more recently.',
    );
  });

  test.each([
    ['a number', 1_700_000_000_000],
    ['a short text', '5'],
    ['the first moment of a calendar', '0001-01-01T00:00:00Z'],
    ['the first moment of clocks', '1970-01-01T00:00:00Z'],
    ['no date', '2026-99-99T00:00:00Z'],
    ['a date to come', daysAgo(-4_000)],
    ['null', null],
  ])('withdraws nobody whose date is %s', async (_, created) => {
    lists([{ email: 'ana@example.com', created }]);

    const { exitCode, stdout } = await older('delete --older-than 30d --yes --max-deletes 9 --json');

    expect([exitCode, JSON.parse(stdout).count]).toEqual([0, 0]);
  });

  test.each([['../users'], ['a/b@example.com'], [''], ['\u202eana@example.com']])(
    'sends nothing for the address %j, and says so',
    async (email) => {
      lists([{ email, created: daysAgo(31) }]);

      const { exitCode, stderr } = await older('delete --older-than 30d --yes --max-deletes 9');

      expect(exitCode).toBe(0);
      expect(stderr).toContain('Not withdrawn: 1 older address that cannot be named');
    },
  );

  test.each([
    [
      'delete ana@example.com --older-than 30d',
      '--older-than and e-mail addresses cannot be given together.',
    ],
    ['delete ana@example.com --max-deletes 1', '--max-deletes is for --older-than.'],
    ['delete --older-than 30d --max-deletes x', '--max-deletes'],
    ['list --older-than 1m', '--older-than: "1m" is not a duration such as 12h, 30d or 2w'],
  ])('%s is exit 2, and nothing is sent', async (line, sentence) => {
    const { exitCode, stderr } = await older(line);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(sentence);
  });
});

test.each(['contract', 'apaleo'])(
  'under the dialect %s a month passes in the sandbox, and the old invitations are withdrawn',
  async (dialect) => {
    const situation = {
      folder: await freshFolder(),
      connect: connectUndici,
      env: { INNCTL_DIALECT: dialect },
    };
    const innctl = (line: string) => cli(line, situation);
    await innctl('sandbox reset --seed people');
    const listOld = async () => (await innctl('--sandbox invitations list --older-than 30d -q')).stdout;

    expect(await listOld()).toBe(
      '=1+1@aurora.example\npaul.steiner@aurora.example\nnora.fuchs@audit-partner.example\n',
    );
    await innctl('sandbox advance 1w');
    const { exitCode } = await innctl('--sandbox invitations delete --older-than 30d --yes --max-deletes 4');

    expect([exitCode, await listOld()]).toEqual([0, '']);
    expect((await innctl('--sandbox invitations list -q')).stdout).toBe(
      'jonas.keller@aurora.example\nBen@Aurora.example\n',
    );
  },
);
