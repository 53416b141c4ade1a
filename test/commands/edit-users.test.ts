import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { administered } from '../helpers/administered.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { editing, openDesk, replacing } from './edit-harness.ts';

const BEN = 'ben@aurora.example';
const BEN_ID = '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01';
const EDIT = `--sandbox users edit ${BEN}`;

const disabled = replacing(['enabled: true', 'enabled: false']);

const stepsIn = (stdout: string) => JSON.parse(stdout).requests[0].body;

describe('in the sandbox', () => {
  test.each([
    {
      edit: replacing(['  - MUC\n', '  - MUC\n  - VIE\n'], ['last_name: Schuster', 'last_name: Novak']),
      steps: [
        { op: 'replace', path: '/lastName', value: 'Novak' },
        { op: 'add', path: '/properties', value: ['BER', 'MUC', 'VIE'] },
      ],
    },
    {
      edit: replacing(['properties:\n  - BER\n  - MUC\n', 'properties: []\n']),
      steps: [{ op: 'add', path: '/properties', value: [] }],
    },
    {
      edit: replacing(['  - BER\n  - MUC\n', '  - 4711\n  - 4711\n']),
      steps: [{ op: 'add', path: '/properties', value: ['4711'] }],
    },
    {
      edit: replacing(
        ['enabled: true', 'enabled: false'],
        ['is_account_admin: false', 'is_account_admin: true'],
      ),
      steps: [
        { op: 'replace', path: '/enabled', value: false },
        { op: 'replace', path: '/isAccountAdmin', value: true },
      ],
    },
  ])('the patch is $steps', async ({ edit, steps }) => {
    await using desk = await openDesk();

    const { exitCode, stdout } = await desk.innctl(`${EDIT} --dry-run --json`, { editor: editing(edit) });

    expect({ exitCode, steps: stepsIn(stdout) }).toEqual({ exitCode: 0, steps });
  });

  test('the change is sent, and the output is that of users update', async () => {
    await using desk = await openDesk();
    const edit = replacing(['  - BER\n', '']);

    const result = await desk.innctl(`--sandbox users edit ${BEN_ID} --yes --json`, {
      editor: editing(edit),
    });

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
      exitCode: 0,
      stdout: {
        subject_id: BEN_ID,
        email: BEN,
        updated: true,
        properties: ['MUC'],
        added: [],
        removed: ['BER'],
        removed_roles: [{ id: 'BER', roles: ['FrontDesk'] }],
        verification: 'confirmed',
      },
      stderr: '',
    });
    expect(await desk.stored('users', BEN)).toMatchObject({ properties: ['MUC'] });
  });

  test('reordered properties are not a change', async () => {
    await using desk = await openDesk();
    const edit = replacing(['  - BER\n  - MUC\n', '  - MUC\n  - BER\n']);

    expect(await desk.innctl(`${EDIT} --yes`, { editor: editing(edit) })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `Nothing was changed in user ${BEN}.\n`,
    });
  });

  test.each([
    { flags: `--confirm ${BEN}`, answers: undefined },
    { flags: `--confirm ${BEN_ID}`, answers: undefined },
    { flags: '', answers: [BEN] },
  ])('a user is disabled with consent by name: "$flags" $answers', async ({ flags, answers }) => {
    await using desk = await openDesk();
    const person = answers === undefined ? {} : { answers };

    const { exitCode } = await desk.innctl(`${EDIT} ${flags}`, { editor: editing(disabled), ...person });

    expect({ exitCode, user: await desk.stored('users', BEN) }).toMatchObject({
      exitCode: 0,
      user: { enabled: false },
    });
  });

  test.each([
    { flags: '--yes', answers: undefined, says: `That needs consent by name.` },
    {
      flags: '--confirm ana@aurora.example',
      answers: undefined,
      says: '--confirm says "ana@aurora.example"',
    },
    { flags: '', answers: ['ben'], says: `"ben" is not ${BEN}; nothing was done.` },
  ])(
    'a user is not disabled without consent by name: "$flags" $answers',
    async ({ flags, answers, says }) => {
      await using desk = await openDesk();
      const person = answers === undefined ? {} : { answers };

      const { exitCode, stderr } = await desk.innctl(`${EDIT} ${flags}`, {
        editor: editing(disabled),
        ...person,
      });

      expect({ exitCode, isReported: stderr.includes(says), kept: await desk.kept() }).toEqual({
        exitCode: 11,
        isReported: true,
        kept: [expect.stringMatching(`^user-${BEN_ID}-`)],
      });
      expect(await desk.stored('users', BEN)).toMatchObject({ enabled: true });
    },
  );

  test('all errors are reported at once', async () => {
    await using desk = await openDesk();
    const edit = replacing(
      ['# email: ben@aurora.example', 'email: ana@aurora.example'],
      ['enabled: true', 'enabled: yes'],
      ['is_account_admin: false', 'is_account_admin: 1\nfirstname: Ben'],
      ['  - MUC\n', '  - a b\n'],
    );

    const { exitCode, stderr } = await desk.innctl(`${EDIT} --yes --json`, { editor: editing(edit) });

    expect({ exitCode, details: JSON.parse(stderr).error.details }).toEqual({
      exitCode: 2,
      details: [
        {
          field: 'email',
          reason: 'cannot be changed here; see innctl --sandbox users update --help (line 9)',
        },
        { field: 'firstname', reason: 'is not a known field; did you mean first_name? (line 24)' },
        { field: 'enabled', reason: '"yes" is neither true nor false (line 22)' },
        { field: 'properties', reason: expect.stringMatching(/^"a b" .* \(line 25\)$/) },
        { field: 'is_account_admin', reason: 'must be true or false (line 23)' },
      ],
    });
  });

  test('an accidentally deleted line does not remove access', async () => {
    await using desk = await openDesk();
    const edit = replacing(['enabled: true\n', ''], ['properties:\n  - BER\n  - MUC\n', '']);

    const { exitCode, stderr } = await desk.innctl(`${EDIT} --confirm ${BEN}`, { editor: editing(edit) });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining(
        'error: 2 values are not valid:\n' +
          '  enabled: must not be missing: write true or false\n' +
          '  properties: must not be missing: for no properties at all write []\n',
      ),
    });
  });

  test('a misspelt property is reported with a suggestion', async () => {
    await using desk = await openDesk();

    const { exitCode, stderr } = await desk.innctl(`${EDIT} --yes`, {
      editor: editing(replacing(['- MUC', '- MCU'])),
    });

    expect({ exitCode, isHinted: stderr.includes('hint: Did you mean MUC for MCU?') }).toEqual({
      exitCode: 6,
      isHinted: true,
    });
  });

  test.each(['bne@aurora.example', '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c00'])(
    'an unknown user is not replaced by a similar one: %s',
    async (reference) => {
      await using desk = await openDesk();

      const { exitCode } = await desk.innctl(`--sandbox users edit ${reference}`, { editor: editing() });

      expect(exitCode).toBe(3);
    },
  );

  test('a user protected by e-mail address is not edited by subject id', async () => {
    await using desk = await openDesk();

    const { exitCode, stderr } = await desk.innctl(`--sandbox users edit ${BEN_ID}`, {
      editor: editing(),
      env: { INNCTL_PROTECT: 'ben@*' },
    });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 11,
      stderr: expect.stringContaining('is protected by ben@*'),
    });
  });
});

describe('at a service with other fields', () => {
  onlyIntercepted();

  const env = { ...hotels, EDITOR: 'ed' };
  const path = '/api/v1/identity/users/u-1';
  const answering = (user: object, times: number) =>
    nock('https://identity.example.com').get(path).times(times).reply(200, user);

  test('unknown fields are shown, and changed under their own names', async () => {
    const user = {
      subjectId: 'u-1',
      firstName: 'Ben',
      shiftPlan: { from: '06:00', hours: 8 },
      enabled: true,
    };
    answering(user, 2);
    nock('https://identity.example.com')
      .patch(path, [{ op: 'replace', path: '/shiftPlan/hours', value: 6 }])
      .reply(204);

    const result = await cli('users edit u-1 --yes --no-verify', {
      env,
      editor: editing(replacing(['hours: 8', 'hours: 6'])),
    });

    expect({ exitCode: result.exitCode, isDone: result.stderr.endsWith('Updated user u-1.\n') }).toEqual({
      exitCode: 0,
      isDone: true,
    });
  });

  test('properties that the service does not show cannot be set, because that would remove the existing ones', async () => {
    answering({ subjectId: 'u-1', enabled: true }, 1);

    const { exitCode, stderr } = await cli('users edit u-1 --yes', {
      env,
      editor: editing((text) => `${text}properties: [BER]\n`),
    });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^error: properties: cannot be changed here; see innctl users update --help/,
      ),
    });
  });

  test('a concurrent change of an unknown field is a conflict', async () => {
    administered();
    answering({ subjectId: 'u-1', enabled: true, shift: 'early' }, 1);
    answering({ subjectId: 'u-1', enabled: true, shift: 'late' }, 1);

    const { exitCode, stderr } = await cli('users edit u-1 --confirm u-1', {
      env,
      editor: editing(disabled),
    });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 6,
      stderr: expect.stringContaining(
        'error: Somebody else changed user u-1 meanwhile (shift); nothing was sent.\n',
      ),
    });
  });

  test('a record with another subject id is not edited', async () => {
    answering({ subjectId: 'u-2', enabled: true }, 1);

    const { exitCode } = await cli('users edit u-1', { env, editor: editing() });

    expect(exitCode).toBe(1);
  });
});
