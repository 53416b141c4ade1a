import { beforeEach, describe, expect, test } from 'vitest';
import { cli } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { watched } from '../helpers/watched.ts';
import { freshFolder } from '../sandbox/harness.ts';

const BEN = 'ben@aurora.example';
const BEN_ID = '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01';

let folder = '';
let patches = 0;

beforeEach(async () => {
  folder = await freshFolder();
  patches = 0;
});

const connect = watched(({ method }) => {
  if (method === 'PATCH') patches += 1;
});

const innctl = (line: string) => cli(line, { folder, connect });

const currentUser = async (reference = BEN) =>
  JSON.parse((await innctl(`--sandbox users get ${reference} --json`)).stdout);

test('an unknown address without a near match hints at the list of the same service', async () => {
  expect(await innctl('--sandbox users get zacharias@hotel-zoo.example')).toEqual(
    ended(
      3,
      'error: There is no user with the e-mail address "zacharias@hotel-zoo.example".\n' +
        'hint: innctl --sandbox users list --all\n',
    ),
  );
});

test.each([
  '--enable',
  '--set-properties MUC,BER',
  `--patch '[{"op":"replace","path":"/properties","value":["BER","MUC","BER"]}]'`,
  `--patch '[{"op":"replace","path":"/firstName","value":"Ben"}]' --enable`,
])('an update that changes nothing is not sent and needs no confirmation: users update %s', async (flags) => {
  expect({ ...(await innctl(`--sandbox users update ${BEN} ${flags}`)), patches }).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'Nothing was changed.\n',
    patches: 0,
  });
});

test.each([
  ['--enable --no-verify', 1],
  ['--enable --add-properties BER --no-verify', 1],
  ['--enable --dry-run', 0],
])('an update that changes nothing is not skipped with %s', async (flags, expectedPatches) => {
  const { exitCode, stderr } = await innctl(`--sandbox users update ${BEN} ${flags}`);

  expect({ exitCode, isChanged: stderr !== 'Nothing was changed.\n', patches }).toEqual({
    exitCode: 0,
    isChanged: true,
    patches: expectedPatches,
  });
});

test.each([
  ['--set-properties []', 'BER, MUC', 'FrontDesk at BER; FrontDesk at MUC', []],
  [
    '--patch \'[{"op":"replace","path":"/properties","value":[]}]\'',
    'BER, MUC',
    'FrontDesk at BER; FrontDesk at MUC',
    [],
  ],
  ['--set-properties MUC', 'BER', 'FrontDesk at BER', ['MUC']],
  ['--remove-properties BER,VIE', 'BER', 'FrontDesk at BER', ['MUC']],
  [
    '--patch \'[{"op":"remove","path":"/properties"}]\'',
    'BER, MUC',
    'FrontDesk at BER; FrontDesk at MUC',
    undefined,
  ],
])(
  'users update %s names what it removes and requires confirmation',
  async (flags, lost, roles, properties) => {
    const notice =
      `This takes away ${lost} from user ${BEN}. The roles there are removed too, and cannot be restored ` +
      `through the API: ${roles}.`;

    const refused = await innctl(`--sandbox users update ${BEN} ${flags}`);
    const consented = await innctl(`--sandbox users update ${BEN} ${flags} --yes`);

    expect(refused).toMatchObject({ exitCode: 11, stderr: expect.stringContaining(notice) });
    expect(consented.stderr).toContain(`${notice}\n`);
    expect((await currentUser()).properties).toEqual(properties ?? ['BER', 'MUC']);
  },
);

test('--json reports added and removed properties and missing roles', async () => {
  const line = `users update ${BEN} --add-properties VIE --remove-properties MUC --yes --json`;

  expect(JSON.parse((await innctl(`--sandbox ${line}`)).stdout)).toEqual({
    subject_id: BEN_ID,
    email: BEN,
    updated: true,
    properties: ['BER', 'VIE'],
    added: ['VIE'],
    removed: ['MUC'],
    removed_roles: [{ id: 'MUC', roles: ['FrontDesk'] }],
    without_roles: ['VIE'],
    verification: 'confirmed',
  });
});

describe('--remove-properties', () => {
  test('does nothing for a property that the user does not have', async () => {
    const result = await innctl(`--sandbox users update ${BEN} --remove-properties VIE --json`);

    expect({ ...result, stdout: JSON.parse(result.stdout), patches }).toEqual({
      exitCode: 0,
      stdout: { subject_id: BEN_ID, email: BEN, updated: false, added: [], removed: [] },
      stderr: `warning: User ${BEN} does not have VIE.\n`,
      patches: 0,
    });
  });

  test('rejects an unknown property and suggests the nearest one', async () => {
    const result = await innctl(`--sandbox users update ${BEN} --remove-properties muc --yes`);

    expect({ ...result, patches }).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringContaining('hint: Did you mean MUC?'),
      patches: 0,
    });
  });
});

test.each(['get', 'update --disable'])(
  'an address with an open invitation is reported as invited: %s',
  async (verb) => {
    await innctl('--sandbox invitations create Zoe@example.com --role FrontDesk --property BER');

    expect(await innctl(`--sandbox users ${verb} zoe@example.com`)).toEqual(
      ended(
        3,
        'error: Zoe@example.com has an invitation but is not a user yet.\n' +
          'hint: To see it: innctl --sandbox invitations list --all\n' +
          'To withdraw it: innctl --sandbox invitations delete Zoe@example.com\n',
      ),
    );
  },
);
