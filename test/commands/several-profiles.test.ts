import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type TwoAccounts, twoAccounts } from '../faults/two-accounts.ts';

const POLICY = 'version: 1\nadmins: { only: [ana@aurora.example] }\n';

/** Two accounts in three profiles, of which the last has a token that is not valid, and one with guards alone. */
async function threeProfiles() {
  const world = await twoAccounts('subject');
  const config = join(world.folder, 'config');
  const profile = { identity_url: world.origin, base_url: world.origin, auth: 'token' };
  const credential = (token: string) => ({ origins: [world.origin], token });
  const write = (file: string, profiles: object) =>
    writeFileSync(join(config, file), JSON.stringify({ version: 1, profiles }), { mode: 0o600 });
  mkdirSync(config, { recursive: true, mode: 0o700 });
  write('config.json', { aurora: profile, boreal: profile, lost: profile, guards: { safety: 'no-delete' } });
  write('credentials.json', {
    aurora: credential(world.token('aurora')),
    boreal: credential(world.token('boreal')),
    lost: credential('not-a-token-1234567890'),
  });
  const boreal = await world.innctl(
    ['-p', 'boreal', 'users', 'disable', 'ben@aurora.example', '--confirm', 'ben@aurora.example'],
    {},
  );
  expect(boreal.exitCode).toBe(0);
  const json = async (...line: readonly string[]) => {
    const { exitCode: code, stdout, stderr } = await world.innctl([...line, '--json'], {});
    return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) };
  };
  return { ...world, json };
}

const enabledOf = (items: readonly Record<string, unknown>[]) =>
  items.map(({ profile, enabled }) => ({ profile, enabled }));

test('lists and records of several profiles are one list with the column profile, in their order', async () => {
  const { json, innctl } = await threeProfiles();
  const both = ['--profiles', 'boreal,aurora'];

  const got = await json('users', 'get', 'ben@aurora.example', ...both);
  expect({ code: got.code, items: enabledOf(got.items) }).toEqual({
    code: 0,
    items: [
      { profile: 'boreal', enabled: false },
      { profile: 'aurora', enabled: true },
    ],
  });
  const listed = await innctl(['properties', 'list', ...both, '-o', 'csv', '--fields', 'profile,id'], {});
  expect(listed.stdout.trim().split('\n')).toEqual([
    'profile,id',
    ...['boreal', 'aurora'].flatMap((name) => ['BER', 'MUC', 'VIE'].map((id) => `${name},${id}`)),
  ]);
  const some = await json('users', 'list', '--limit', '1', ...both);
  expect([some.count, some.has_more]).toEqual([2, true]);
  const access = await json('access', 'ben@aurora.example', ...both);
  expect(access.items.map((each: Record<string, unknown>) => [each['profile'], each['state']])).toEqual([
    ['boreal', 'disabled'],
    ['boreal', 'disabled'],
    ['aurora', 'active'],
    ['aurora', 'active'],
  ]);
});

test('a profile that fails is an error beside the others, with exit 9', async () => {
  const { json } = await threeProfiles();

  const { code, count, stderr } = await json('properties', 'list', '--profiles', 'all');
  const { error } = JSON.parse(stderr);
  expect({ code, count, error }).toEqual({
    code: 9,
    count: 6,
    error: expect.objectContaining({
      message: '1 of 3 profiles could not be read.',
      details: [{ field: 'lost', reason: expect.stringContaining('401') }],
    }),
  });
});

test('findings of one of them are the exit code of a check; drift says what each has', async () => {
  const world = await threeProfiles();
  const policy = await world.file('policy.yaml', POLICY);
  const line = ['-p', 'aurora', 'invitations', 'delete', 'nora.fuchs@aurora.example', '--yes'];
  expect((await world.innctl(line, {})).exitCode).toBe(0);

  const { code, items } = await world.json('access', 'check', policy, '--profiles', 'aurora,boreal');
  expect([code, items.map(({ profile }: { profile: string }) => profile)]).toEqual([10, ['boreal']]);
  const stdin = 'properties: [{ code: BER }]\n';
  const drift = await world.innctl(['drift', '-', '--profiles', 'aurora,boreal', '-o', 'md'], { stdin });
  const same = 'No drift: 1 record is as the files say.';
  expect(drift.stdout).toContain(`aurora: ${same} boreal: ${same}`);
});

const loop =
  'for name in aurora boreal lost; do innctl users disable ben@aurora.example --yes --profile "$name"; done';

test.each([
  ['users disable ben@aurora.example --profiles all --yes', `hint: ${loop}`, {}],
  ['users disable --profiles=aurora,boreal,lost ben@aurora.example --yes', `hint: ${loop}`, {}],
  ['plan a.yaml --profiles all', 'is for lists', {}],
  ['config list --profiles all', 'is for lists', {}],
  ['users list --profiles aurora,nope', 'there is no profile "nope"', {}],
  ['users list --profiles all,aurora', 'all cannot be combined', {}],
  ['users list --profiles aurora -p boreal', 'contradicts --profile boreal', {}],
  ['users list --profiles aurora --sandbox', 'contradicts --profile sandbox', {}],
  ['users list --profiles aurora', 'INNCTL_TOKEN: is set, and would', { INNCTL_TOKEN: 'a-token-1234567890' }],
  ['access report --html a.html --profiles aurora', 'without --profiles', {}],
])('%s is refused: %s', async (line, reason, env) => {
  const world: TwoAccounts = await threeProfiles();
  const before = world.writes.length;

  const { exitCode: code, stdout, stderr } = await world.innctl(line.split(' '), { env });
  expect([code, stdout, world.writes.length]).toEqual([2, '', before]);
  expect(stderr).toContain(reason);
});
