import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Situation } from '../helpers/cli.ts';
import { hotelsYaml } from '../helpers/seeding.ts';
import { type AccountName, type Me, type TwoAccounts, twoAccounts } from './two-accounts.ts';

/** One way to show whose account is meant, with a new token each time; all ways are in test/auth/account.test.ts. */
interface Way {
  readonly name: string;
  readonly me: Me;
  /** Whether the token of each account is known to be that of the same account later. */
  readonly isKnown: boolean;
  readonly as: (of: AccountName, world: TwoAccounts) => Situation & { readonly profile?: string };
}

const urlsOf = ({ origin }: TwoAccounts) => ({ INNCTL_IDENTITY_URL: origin, INNCTL_BASE_URL: origin });
const withToken = (token: string, world: TwoAccounts) => ({ env: { ...urlsOf(world), INNCTL_TOKEN: token } });

/** Writes a profile in place of the one of that name. */
function profiled(
  name: string,
  { origin, folder }: TwoAccounts,
  auth: string,
  credential: object,
  more = {},
) {
  const config = join(folder, 'config');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const idempotency_header = 'Idempotency-Key';
  const profile = { identity_url: origin, base_url: origin, auth, idempotency_header, ...more };
  const write = (file: string, profiles: object) =>
    writeFileSync(join(config, file), JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
  write('config.json', { [name]: profile });
  write('credentials.json', { [name]: { origins: [origin], ...credential } });
  return { profile: name };
}

const claimsOf = (of: AccountName) => ({ account_code: of, sub: '7', client_id: 'INNCTL' });

const ways: readonly Way[] = [
  {
    name: 'opaque tokens, of whom users/me tells the user',
    me: 'subject',
    isKnown: true,
    as: (of, world) => withToken(world.token(of), world),
  },
  {
    name: 'opaque tokens that may not users/me',
    me: 'forbidden',
    isKnown: false,
    as: (of, world) => withToken(world.token(of), world),
  },
  {
    name: 'JSON web tokens of one person',
    me: 'forbidden',
    isKnown: true,
    as: (of, world) => withToken(world.jwt(of, claimsOf(of)), world),
  },
  {
    name: 'client credentials of a profile',
    me: 'forbidden',
    isKnown: true,
    as: (of, world) => {
      const secret = { client_secret: `secret-of-${of}-1234` };
      return profiled('chain', world, 'client-credentials', secret, { client_id: `${of}-ci` });
    },
  },
  {
    name: 'one profile whose token is replaced',
    me: 'subject',
    isKnown: true,
    as: (of, world) => profiled('chain', world, 'token', { token: world.token(of) }),
  },
  {
    name: 'people who log in to one profile',
    me: 'forbidden',
    isKnown: true,
    as: (of, world) => {
      const login = { method: 'web', client_id: 'INNCTL', who: { subject: `${of}-7` } };
      const cached_token = { access_token: world.token(of) };
      return profiled('chain', world, 'user', { cached_token, login }, { client_id: 'INNCTL' });
    },
  },
];

/** Runs a command line as an account, with another token each time. */
function runner(way: Way, world: TwoAccounts) {
  return (of: AccountName, line: readonly string[]) => {
    const { profile, ...situation } = way.as(of, world);
    const flags = profile === undefined ? [] : ['--profile', profile];
    return world.innctl([...line, '--json', '--max-attempts', '2', ...flags], {
      uuid: crypto.randomUUID(),
      ...situation,
    });
  };
}

const apply = (path: string, ...more: readonly string[]) => ['apply', path, '--yes', ...more];
const prune = ['--prune', '--max-deletes', '9'];
const codeOf = ({ stderr }: { readonly stderr: string }) =>
  JSON.parse(stderr.split('\n').at(-2) ?? '').error.code;
const keysOf = ({ writes }: TwoAccounts, of: AccountName) =>
  new Set(writes.filter(({ account, key }) => account === of && key !== undefined).map(({ key }) => key));
const deletionsOf = ({ writes }: TwoAccounts) => writes.filter(({ what }) => what.startsWith('DELETE'));

describe.each(ways)('two accounts behind one URL: $name', (way) => {
  test('--prune of the one takes nothing of the other, and of its own what it created', async () => {
    const world = await twoAccounts(way.me);
    const innctl = runner(way, world);
    const path = await world.file('hotels.yaml', hotelsYaml('HAM', 'KIE'));
    const other = await world.file('others.yaml', hotelsYaml('KIE'));
    await innctl('aurora', apply(path));
    await innctl('boreal', apply(other));
    await world.file('hotels.yaml', hotelsYaml('HAM'));

    const planned = await innctl('boreal', ['plan', path, '--prune']);
    const applied = await innctl('boreal', apply(path, ...prune));
    const ofBoreal = deletionsOf(world);
    const own = await innctl('aurora', apply(path, ...prune));

    expect(ofBoreal).toEqual([]);
    expect([planned, applied, own].map(({ exitCode }) => exitCode)).toEqual(
      Array(3).fill(way.isKnown ? 0 : 11),
    );
    expect(await world.hotels('boreal')).toEqual(expect.arrayContaining(['KIE']));
    expect(await world.hotels('aurora')).toEqual(way.isKnown ? ['HAM'] : ['HAM', 'KIE']);
    if (!way.isKnown) expect([planned, applied, own].map(codeOf)).toEqual(Array(3).fill('unknown_account'));
  });

  test('what the one left in doubt is continued by itself alone, and no key of it is used for the other', async () => {
    const world = await twoAccounts(way.me);
    const innctl = runner(way, world);
    const path = await world.file('hotels.yaml', hotelsYaml('HAM', 'KIE'));
    world.lose('aurora');
    const left = await innctl('aurora', apply(path));
    const { run_id: id, journal } = JSON.parse(left.stdout);
    world.lose(undefined);

    const other = await innctl('boreal', apply(path));
    const own = await innctl('aurora', apply(path));

    expect([left, other, own].map(({ exitCode }) => exitCode)).toEqual([8, 0, 0]);
    expect(JSON.parse(other.stdout).run_id).not.toBe(id);
    expect(JSON.parse(own.stdout).journal === journal).toBe(way.isKnown);
    expect([...keysOf(world, 'boreal')].filter((key) => keysOf(world, 'aurora').has(key))).toEqual([]);
    expect(await world.hotels('boreal')).toEqual(['HAM', 'KIE']);
    expect(await world.hotels('aurora')).toEqual(['HAM', 'KIE']);
  });

  test('a plan of the one is refused for the other', async () => {
    const world = await twoAccounts(way.me);
    const innctl = runner(way, world);
    const path = await world.file('hotels.yaml', hotelsYaml('HAM', 'KIE'));
    const plan = await world.file('plan.json', (await innctl('aurora', ['plan', path])).stdout);

    const { exitCode, stderr } = await innctl('boreal', apply(path, '--plan', plan));

    expect([exitCode, stderr.includes('was made for')]).toEqual([2, true]);
    expect(await world.hotels('boreal')).toEqual([]);
  });
});

describe('what it costs to know the account', () => {
  /** Runs a command, and counts what was asked for it. */
  const costOf = async (me: Me, as: Way['as'], line: readonly string[], more: readonly string[] = []) => {
    const world = await twoAccounts(me);
    const path = await world.file('hotels.yaml', hotelsYaml('HAM'));
    const { exitCode } = await world.innctl([...line, path, ...more], as('aurora', world));
    return { exitCode, asked: world.asked() };
  };
  const opaque: Way['as'] = (of, world) => withToken(world.token(of), world);
  const telling: Way['as'] = (of, world) => withToken(world.jwt(of, claimsOf(of)), world);
  const expecting = ['--expect-account', 'aurora-7'];

  test.for<[string, Way['as'], readonly string[], readonly string[], number]>([
    ['one question for an opaque token', opaque, ['apply', '--yes'], [], 1],
    ['one where somebody is expected, too', opaque, ['apply', '--yes'], expecting, 1],
    ['one in a plan', opaque, ['plan'], [], 1],
    ['one in a dry run', opaque, ['apply', '--dry-run'], [], 1],
    ['none for a token that tells', telling, ['apply', '--yes'], [], 0],
  ])('%s', async ([, as, line, more, asked]) => {
    expect(await costOf('subject', as, line, more)).toEqual({ exitCode: 0, asked });
  });

  test.each<[Me, number]>([
    ['forbidden', 1],
    ['missing', 1],
    ['a page', 5],
  ])('one question where nothing tells, repeated while the answer cannot be read: %s', async (me, asked) => {
    expect(await costOf(me, opaque, ['apply', '--yes'])).toEqual({ exitCode: 0, asked });
  });

  test('nothing where the files are wrong, or nothing is to be sent', async () => {
    const world = await twoAccounts('subject');
    const bad = await world.file('hotels.yaml', 'properties: [{ code: BER, rooms: 7 }]');
    const situation = opaque('aurora', world);

    const applied = await world.innctl(['apply', bad, '--yes'], situation);
    const listed = await world.innctl(['runs', 'list'], situation);

    expect([applied.exitCode, listed.exitCode, world.asked()]).toEqual([2, 0, 0]);
  });
});

test.each([
  [500, 1],
  [503, 7],
  [429, 7],
  [401, 4],
])('where users/me answers %i nothing is planned or sent, exit %i', async (status, exitCode) => {
  const world = await twoAccounts(status);
  const path = await world.file('hotels.yaml', hotelsYaml('HAM'));

  const ended = await world.innctl(['apply', path, '--yes'], withToken(world.token('aurora'), world));

  expect([
    ended.exitCode,
    world.writes,
    existsSync(join(world.folder, 'config', 'state', 'journal')),
  ]).toEqual([exitCode, [], false]);
});
