import { beforeEach, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { against as misbehaving } from '../helpers/misbehaving.ts';
import { freshFolder } from '../sandbox/harness.ts';

/** The invitations of a new sandbox. */
const seeded = [
  'jonas.keller@aurora.example',
  'lea.wagner@aurora.example',
  'nora.fuchs@aurora.example',
  'paul.steiner@aurora.example',
];
const JONAS = 'jonas.keller@aurora.example';
const others = seeded.slice(1);

let folder = '';

beforeEach(async () => {
  folder = await freshFolder();
});

/** The program over undici, with the sandbox of one test. */
const innctl = (line: string | readonly string[], situation: Situation = {}) =>
  cli(typeof line === 'string' ? `--sandbox ${line}` : ['--sandbox', ...line], {
    folder,
    connect: connectUndici,
    ...situation,
  });

const against = (faults: readonly string[], line: string) => misbehaving(faults, line, { folder });

async function listed(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return JSON.parse((await innctl('invitations list --all --json')).stdout).items;
}

const emails = async () => (await listed()).map(({ email }) => email);

test('an invitation is deleted', async () => {
  expect(await innctl(`invitations delete ${JONAS} --yes`)).toEqual(
    ended(0, `Withdrew the invitation to ${JONAS}: confirmed.\n`),
  );
  expect(await emails()).toEqual(others);
});

test.each(['ana+ber1?#%@example.com', "o'hara&co=x!$*~@example.com"])(
  'an invitation to %s can be deleted',
  async (email) => {
    await innctl(['invitations', 'create', '--is-account-admin', '--yes', email]);
    expect(await emails()).toContain(email);

    await innctl(['invitations', 'delete', '--yes', email]);

    expect(await emails()).toEqual(seeded);
  },
);

test('a missing address is not found, and the hint has the similar one', async () => {
  expect(await innctl('invitations delete jonas.kellner@aurora.example --yes')).toEqual(
    ended(3, expect.stringMatching(/^error: .*\nhint: Did you mean jonas\.keller@aurora\.example\?\n/)),
  );
  expect(await emails()).toEqual(seeded);
});

test('a lost answer stays unknown if the list cannot settle it', async () => {
  const faults = ['drop-after:operation=deleteInvitation', '500:operation=listInvitations'];

  expect((await against(faults, `invitations delete ${JONAS} --yes`)).exitCode).toBe(8);
});

test('a list error after the deletion does not fail the deletion', async () => {
  const withdrawn = await against(
    ['500:operation=listInvitations'],
    `invitations delete ${JONAS} --yes --json`,
  );

  expect({ ...withdrawn, stdout: JSON.parse(withdrawn.stdout) }).toEqual(
    printed({
      email: JONAS,
      deleted: true,
      verification: 'not_readable',
      request_id: expect.any(String),
      reason: expect.stringContaining('Could not list the invitations'),
    }),
  );
  expect(await emails()).toEqual(others);
});

test('an unknown field is sent to the service and rejected there', async () => {
  const stdin = 'email: ana@example.com\nis_account_admin: true\nextra: { language: de }\n';

  const invited = await innctl('invitations create --file - --yes', { stdin });

  expect(invited).toEqual(ended(6, expect.stringContaining('language')));
  expect(await emails()).toEqual(seeded);
});
