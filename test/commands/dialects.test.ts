import { describe, expect, test } from 'vitest';
import { dialectNames } from '../../src/service/operations.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const NOON = Date.UTC(2026, 3, 21, 12);

/** Command lines that run in this order; each may read what earlier ones wrote. */
const lines = [
  'invitations list --fields email,properties,is_account_admin,invited_by,created',
  'invitations list --property BER',
  'invitations list --property NOPE',
  'invitations create zoe@example.com --role Housekeeping --properties BER,VIE',
  'invitations create zoe@example.com --role Housekeeping --properties BER',
  'invitations delete lea.wagner@aurora.example --yes',
  'invitations delete nobody@aurora.example --yes',
  'invitations list --fields email,properties,is_account_admin',
  'roles list',
  'users list --property BER,MUC --fields email,properties',
  'users list --page-number 2 --page-size 5 --fields email,properties',
  'users get karl@aurora.example --fields email,properties,enabled',
  'users get nobody@aurora.example',
  'users update karl@aurora.example --enable --add-properties VIE',
  'users update karl@aurora.example --set-properties MUC',
  'users update karl@aurora.example --set-properties NOPE',
  'users update karl@aurora.example --disable --confirm karl@aurora.example',
  'users me --fields email,is_account_admin',
  'properties list',
  'properties list --page-number 2 --page-size 2',
  'properties list --param status=Live',
  'properties count',
  'properties get BER',
  'properties get BER --languages de',
  'properties get NOPE',
  'properties update VIE --name de="Hotel am Ring 9" --city Graz --tax-id ATU1',
  'properties update VIE --patch \'[{"op":"add","path":"/name/fr","value":"Hôtel"}]\'',
  'properties get VIE',
  'properties delete VIE --confirm VIE',
  'properties delete NOPE --confirm NOPE',
  'countries list',
  'whoami --fields email,type',
  'export --kind user --query "users[].{email: email, enabled: enabled, properties: properties}"',
  'export --kind invitation',
] as const;

async function runLines(dialect: string) {
  const folder = await temporaryFolder();
  const results: Record<string, unknown>[] = [];
  for (const line of lines) {
    const env = { INNCTL_DIALECT: dialect };
    const situation = { env, folder, connect: connectUndici, now: NOON, uuid: 'key' };
    const { exitCode, stdout } = await cli(`--sandbox ${line} --json`, situation);
    // The public service shows whole seconds, and the contract does not say how a date is written.
    const shown = stdout.replaceAll(/:00\.000Z"/g, ':00Z"');
    results.push({ line, exitCode, output: shown === '' ? undefined : JSON.parse(shown) });
  }
  return results;
}

test('the same command line has the same JSON output and exit code in every dialect', async () => {
  const [ours, ...others] = await Promise.all(dialectNames.map(runLines));

  expect(others).toHaveLength(1);
  expect(ours?.map(({ exitCode }) => exitCode)).toContain(0);
  for (const theirs of others) expect(theirs).toEqual(ours);
});

describe('the sandbox', () => {
  test.each([
    ['apaleo', 0],
    ['contract', 2],
  ])('uses the dialect of its profile: %s', async (dialect, exitCode) => {
    const folder = await temporaryFolder();
    const situation = { folder, connect: connectUndici };

    const set = await cli(`config set dialect ${dialect} --profile sandbox`, situation);
    const probed = await cli('units count --sandbox', situation);

    expect(set.exitCode).toBe(0);
    expect([probed.exitCode, probed.stderr.includes('dialect apaleo')]).toEqual([exitCode, exitCode !== 0]);
  });

  test('uses INNCTL_DIALECT, and ignores INNCTL_BASE_URL', async () => {
    const env = { INNCTL_DIALECT: 'apaleo', INNCTL_BASE_URL: 'https://api.example.com' };

    const { exitCode, stderr } = await cli('--sandbox units count', {
      env,
      connect: connectUndici,
    });

    expect(exitCode).toBe(0);
    expect(stderr).toBe('');
  });
});
