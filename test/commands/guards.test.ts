import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { test } from '../config/with-folder.ts';
import { cli, hotels, type Situation } from '../helpers/cli.ts';
import { emptyAccount, onlyIntercepted } from '../helpers/interceptors.ts';

const IDENTITY = 'https://identity.example.com';
const API = 'https://api.example.com';
const NEW_YEAR = Date.parse('2026-12-31T12:00:00Z');

onlyIntercepted();
emptyAccount();

const writes = {
  invite: 'invitations create ana@example.com --role Housekeeping --properties BER',
  create:
    'properties create --code HAM --name "en=Harbour Hotel" --company-name "Hafenhotel GmbH" --commercial-register-entry "HRB 1" --tax-id DE1 --address-line1 "Am Kai 1" --postal-code 20457 --city Hamburg --country-code DE --time-zone Europe/Berlin --default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --currency-code EUR',
  update: 'properties update BER --name "en=City Hotel" --no-verify',
  delete: 'properties delete BER --confirm BER --no-verify',
} as const;

const actions = {
  invite: 'create the invitation',
  create: 'create the property',
  update: 'update the property',
  delete: 'delete the property',
} as const;

const answers = {
  invite: () => nock(IDENTITY).post('/api/v1/invitations').reply(200, { email: 'ana@example.com' }),
  create: () => nock(API).post('/inventory/v1/properties').reply(201, { id: 'HAM' }),
  update: () => nock(API).patch('/inventory/v1/properties/BER').reply(204),
  delete: () => nock(API).delete('/inventory/v1/properties/BER').reply(204),
} as const;

type Write = keyof typeof writes;

/** Runs one write against a reachable service, with these guards in the environment. */
const attempt = (write: Write, env: Record<string, string>, situation: Situation = {}) =>
  cli(writes[write], { ...situation, env: { ...hotels, ...env } });

describe('safety', () => {
  test.for<[string, Write]>([
    ['none', 'invite'],
    ['none', 'create'],
    ['none', 'update'],
    ['none', 'delete'],
    ['no-delete', 'invite'],
    ['no-delete', 'create'],
    ['no-delete', 'update'],
    ['no-update', 'invite'],
    ['no-update', 'create'],
  ])('%s allows %s', async ([safety, write]) => {
    answers[write]();

    expect((await attempt(write, { INNCTL_SAFETY: safety })).exitCode).toBe(0);
  });

  test.for<[string, Write]>([
    ['no-delete', 'delete'],
    ['no-update', 'update'],
    ['no-update', 'delete'],
    ['read-only', 'invite'],
    ['read-only', 'create'],
    ['read-only', 'update'],
    ['read-only', 'delete'],
  ])('%s blocks %s', async ([safety, write]) => {
    expect(await attempt(write, { INNCTL_SAFETY: safety })).toEqual({
      exitCode: 11,
      stdout: '',
      stderr: `error: Could not ${actions[write]}: safety is ${safety} (INNCTL_SAFETY); nothing was sent.\nhint: innctl config explain safety\n`,
    });
  });

  test('read-only allows reads', async () => {
    nock.cleanAll();
    nock(IDENTITY).get('/api/v1/invitations').reply(200, { invitations: [] });

    const { exitCode } = await cli('invitations list', { env: { ...hotels, INNCTL_SAFETY: 'read-only' } });

    expect(exitCode).toBe(0);
  });

  test('the stricter of profile and environment applies', async ({ folder }) => {
    await cli('config set safety no-delete', { folder });

    const weakened = await attempt('delete', { INNCTL_SAFETY: 'none' }, { folder });
    const tightened = await attempt('invite', { INNCTL_SAFETY: 'read-only' }, { folder });

    expect([weakened, tightened].map(({ exitCode, stderr }) => [exitCode, stderr.split('\n')[0]])).toEqual([
      [11, 'error: Could not delete the property: safety is no-delete (profile default); nothing was sent.'],
      [11, 'error: Could not create the invitation: safety is read-only (INNCTL_SAFETY); nothing was sent.'],
    ]);
  });
});

test('with --json a blocked write prints one JSON error and nothing on stdout', async () => {
  const { exitCode, stdout, stderr } = await cli(`${writes.delete} --json`, {
    env: { ...hotels, INNCTL_PROTECT: 'MUC,B*' },
  });

  expect({ exitCode, stdout, error: JSON.parse(stderr).error }).toEqual({
    exitCode: 11,
    stdout: '',
    error: {
      code: 'blocked',
      message: 'Could not delete the property: BER is protected by B* (INNCTL_PROTECT); nothing was sent.',
      hint: 'innctl config explain protect',
      details: [],
    },
  });
});

test('a dry run of a blocked write is blocked, and --yes does not override the guard', async () => {
  const env = { ...hotels, INNCTL_SAFETY: 'read-only' };

  expect((await cli(`${writes.invite} --dry-run`, { env })).exitCode).toBe(11);
  expect((await cli(`${writes.delete} --yes`, { env })).exitCode).toBe(11);
});

test('a blocked write does not prompt for confirmation', async () => {
  const { exitCode, stderr } = await cli('properties delete BER', {
    env: { ...hotels, INNCTL_PROTECT: 'ber', NO_COLOR: '1' },
    answers: [],
  });

  expect({ exitCode, stderr }).toEqual({
    exitCode: 11,
    stderr:
      'error: Could not delete the property: BER is protected by ber (INNCTL_PROTECT); nothing was sent.\nhint: innctl config explain protect\n',
  });
});

describe('protect', () => {
  test.for([
    ['invitations delete ana@example.com --yes --no-verify', '*@EXAMPLE.com', 'ana@example.com'],
    ['users update ana@example.com --disable --confirm ana@example.com', 'ana@*', 'ana@example.com'],
    ['properties update BER --name en=X', 'BER', 'BER'],
    ['api DELETE /inventory/v1/properties/%42ER', 'BER', 'BER'],
  ] as const)('%s', async ([line, pattern, id]) => {
    const { exitCode, stderr } = await cli(line, { env: { ...hotels, INNCTL_PROTECT: pattern } });

    expect(exitCode).toBe(11);
    expect(stderr).toContain(`${id} is protected by ${pattern} (INNCTL_PROTECT); nothing was sent.`);
  });

  test('does not block other ids', async () => {
    answers.delete();

    expect((await attempt('delete', { INNCTL_PROTECT: 'BER2,MUC,LIVE-*' })).exitCode).toBe(0);
  });
});

describe('freeze', () => {
  test('blocks writes on a frozen day', async ({ folder }) => {
    await cli('config set freeze 2026-12-20..2027-01-06', { folder });

    expect(await attempt('invite', {}, { folder, now: NEW_YEAR })).toEqual({
      exitCode: 11,
      stdout: '',
      stderr:
        'error: Could not create the invitation: writes are frozen 2026-12-20..2027-01-06 (profile default); nothing was sent.\nhint: innctl config explain freeze\n',
    });
  });

  test('allows writes on other days', async () => {
    answers.invite();

    const { exitCode } = await attempt(
      'invite',
      { INNCTL_FREEZE: '2026-12-20..2026-12-26' },
      { now: NEW_YEAR },
    );

    expect(exitCode).toBe(0);
  });
});

test('an invalid guard blocks reads, too', async ({ folder }) => {
  const inn = { safety: 'readonly', freeze: ['2026-02-30'], protect: 'BER' };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ active_profile: 'inn', profiles: { inn } }));

  expect(await cli('properties list', { folder, env: { ...hotels, INNCTL_SAFETY: 'read-only' } })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: [
      'error: 2 values are not valid:',
      '  config.json: profiles.inn.safety: "readonly" is not one of none, no-delete, no-update, read-only; did you mean read-only?',
      '  config.json: profiles.inn.freeze: "2026-02-30" is not a day of the calendar',
      '',
    ].join('\n'),
  });
});

describe('the sandbox', () => {
  const innctl = (line: string, situation: Situation) => cli(line, { connect: connectUndici, ...situation });

  test('applies its own guards', async ({ folder }) => {
    await cli('config set safety no-delete --sandbox', { folder });
    await cli('config set protect VIE --sandbox', { folder });

    const deleted = await innctl('--sandbox properties delete BER --confirm BER', { folder });
    const updated = await innctl('--sandbox properties update VIE --name en=X', { folder });
    const invited = await innctl(`--sandbox ${writes.invite}`, { folder });
    const { stdout } = await innctl('--sandbox properties list --all', { folder });

    expect([deleted, updated, invited]).toEqual([
      {
        exitCode: 11,
        stdout: '',
        stderr:
          'error: Could not delete the property: safety is no-delete (profile sandbox); nothing was sent.\nhint: innctl config explain safety --profile sandbox\n',
      },
      {
        exitCode: 11,
        stdout: '',
        stderr:
          'error: Could not update the property: VIE is protected by VIE (profile sandbox); nothing was sent.\nhint: innctl config explain protect --profile sandbox\n',
      },
      { exitCode: 0, stdout: '', stderr: 'Invited ana@example.com.\n' },
    ]);
    expect(stdout).toMatch(/^BER\t/m);
  });

  test('applies guards from the environment, although it ignores URLs there', async ({ folder }) => {
    const env = { INNCTL_SAFETY: 'read-only' };

    expect((await innctl(`--sandbox ${writes.invite}`, { folder, env })).exitCode).toBe(11);
  });
});
