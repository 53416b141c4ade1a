import { beforeEach, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { flagsOf, hamburg } from '../helpers/hamburg.ts';
import { against as misbehaving } from '../helpers/misbehaving.ts';
import { freshFolder } from '../sandbox/harness.ts';

let folder = '';

beforeEach(async () => {
  folder = await freshFolder();
});

/** The program over undici, with a state folder per test. */
const innctl = (line: string | readonly string[], situation: Situation = {}) =>
  cli(line, { folder, connect: connectUndici, ...situation });

const against = (faults: readonly string[], line: string | readonly string[], situation: Situation = {}) =>
  misbehaving(faults, line, { ...situation, folder });

const emails = async () => {
  const { items } = JSON.parse((await innctl('--sandbox invitations list --all --json')).stdout);
  return items.map(({ email }: { email: string }) => email);
};

const ids = async () => {
  const { items } = JSON.parse((await innctl('--sandbox properties list --all --json')).stdout);
  return items.map(({ id }: { id: string }) => id);
};

const hotel = (code: string, ...more: readonly string[]) => [
  ...['properties', 'create', ...flagsOf({ ...hamburg, code }).flat()],
  ...more,
];

test('the first command of a new installation invites a housekeeper', async () => {
  const invited = await innctl(
    '--sandbox invite create ana@example.com --role Housekeeping --properties BER',
  );

  expect(invited).toEqual(ended(0, 'Invited ana@example.com.\n'));
  expect(await emails()).toContain('ana@example.com');
});

test('a property is created and listed', async () => {
  expect(await innctl(['--sandbox', ...hotel('HAM')])).toEqual(ended(0, 'Created property HAM.\n'));
  expect(await ids()).toEqual(['BER', 'MUC', 'VIE', 'HAM']);
});

test('a terminal prompts for all missing fields', async () => {
  const answers = [
    ...['DE', 'HAM', 'Harbour Hotel', 'Hafenhotel GmbH', 'HRB 1', 'DE1', 'Am Kai 1', '20457', 'Hamburg'],
    ...['25:00', '15:00', '11:00:00', 'y'],
  ];

  const created = await innctl('--sandbox properties create', { answers });

  expect(created.exitCode).toBe(0);
  expect(await ids()).toContain('HAM');
});

test('a duplicate code is rejected, and a repeated key returns the same creation', async () => {
  const first = await innctl(['--sandbox', ...hotel('HAM', '--idempotency-key', 'ham-1', '--json')]);
  const again = await innctl(['--sandbox', ...hotel('HAM', '--idempotency-key', 'ham-1', '--json')]);
  const other = await innctl(['--sandbox', ...hotel('HAM', '--idempotency-key', 'ham-2', '--json')]);
  const changed = await innctl(['--sandbox', ...hotel('HAN', '--idempotency-key', 'ham-1', '--json')]);

  expect([first.exitCode, again.exitCode, other.exitCode, changed.exitCode]).toEqual([0, 0, 6, 6]);
  // The second run finds the property and shows all fields.
  expect(JSON.parse(again.stdout)).toMatchObject(JSON.parse(first.stdout));
  expect(JSON.parse(other.stderr).error.code).toBe('already_exists');
  expect(await ids()).toEqual(['BER', 'MUC', 'VIE', 'HAM']);
});

test('a creation with every answer lost and reads failing is unknown, and the printed command settles it', async () => {
  const created = await against(
    ['drop-after:operation=createProperty', '500:operation=getProperty', '500:operation=listProperties'],
    hotel('HAM', '--idempotency-key', 'ham-1'),
  );

  expect({ exitCode: created.exitCode, stdout: created.stdout }).toEqual({ exitCode: 8, stdout: '' });
  const command = /\nhint: innctl (.*)\n/.exec(created.stderr)?.[1] ?? '';
  expect((await against([], command)).stderr).toBe('Created property HAM.\n');
  expect(await ids()).toEqual(['BER', 'MUC', 'VIE', 'HAM']);
});

test('a dry run does not change the sandbox', async () => {
  const dryRun = await innctl(['--sandbox', ...hotel('HAM', '--dry-run')]);

  expect({ exitCode: dryRun.exitCode, stderr: dryRun.stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(dryRun.stdout).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/inventory\/v1\/properties\n/);
  expect(dryRun.stdout).toContain('authorization: Bearer [redacted]\n');
  expect(await ids()).toEqual(['BER', 'MUC', 'VIE']);
});

test('an unreachable service is one error line with a hint', async () => {
  const env = {
    INNCTL_IDENTITY_URL: 'http://127.0.0.1:9',
    INNCTL_BASE_URL: 'http://127.0.0.1:9',
    INNCTL_TOKEN: 'abc',
  };

  const listed = await innctl('properties list --max-attempts 2', { env });

  expect(listed).toEqual(
    ended(
      7,
      'error: Could not list the properties: 127.0.0.1:9 refused the connection.\n' +
        'hint: Check the address (innctl config list), or try again later.\n',
    ),
  );
});
