import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { administered } from '../helpers/administered.ts';
import { type Answer, AUTH, apaleo, cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { user } from '../helpers/records.ts';

const BEN = '/api/v1/users/b-2';
const shownBen = {
  ...user,
  subjectId: 'b-2',
  firstName: 'Ben',
  lastName: 'Schuster',
  email: 'ben@example.com',
  enabled: true,
  isAccountAdmin: false,
  properties: ['BER'],
};

const name = (path: '/firstName' | '/lastName', value: string) => ({ op: 'replace', path, value });
const admin = (value: boolean) => ({ op: 'replace', path: '/isAccountAdmin', value });

onlyIntercepted();

/** The service expects exactly these operations in this order and answers 204. */
const expectPatch = (...steps: readonly object[]) =>
  nock(IDENTITY, AUTH)
    .patch(BEN, (body) => JSON.stringify(body) === JSON.stringify(steps))
    .reply(204);

const showsBen = (changes: object = {}) =>
  nock(IDENTITY, AUTH)
    .get(BEN)
    .reply(200, { ...shownBen, ...changes });

const update = (line: string, answers?: readonly Answer[]) =>
  cli(`users update b-2 ${line}`, { env: apaleo, ...(answers === undefined ? {} : { answers }) });

describe('users update in the dialect apaleo', () => {
  test.each([
    ['--first-name Ana', [name('/firstName', 'Ana')]],
    ['--is-account-admin --yes', [admin(true)]],
    [
      '--enable --set-properties BER,VIE --first-name Ana --last-name Ode --is-account-admin --patch \'[{"op":"replace","path":"/nickName","value":1}]\' -y',
      [
        { op: 'replace', path: '/enabled', value: true },
        { op: 'replace', path: '/properties', value: ['BER', 'VIE'] },
        name('/firstName', 'Ana'),
        name('/lastName', 'Ode'),
        admin(true),
        { op: 'replace', path: '/nickName', value: 1 },
      ],
    ],
  ])('%s', async (flags, steps) => {
    if (flags.includes('admin')) showsBen();
    expectPatch(...steps);

    expect(await update(`--no-verify ${flags}`)).toEqual(ended(0, 'Updated user b-2.\n'));
  });

  test('full access is removed with --yes', async () => {
    showsBen({ isAccountAdmin: true });
    administered();
    expectPatch(admin(false));

    expect(await update('--is-account-admin=false --no-verify --yes')).toEqual(
      ended(0, 'Updated user b-2.\n'),
    );
  });

  test.each([
    ['--is-account-admin', 'This gives user b-2 full access to every property.'],
    ['--is-account-admin true', 'This gives user b-2 full access to every property.'],
    ['--is-account-admin=false', 'This takes full access away from user b-2.'],
  ])('changing the admin flag requires confirmation: %s', async (flags, sentence) => {
    showsBen({ isAccountAdmin: flags.endsWith('false') });
    if (flags.endsWith('false')) administered();

    expect(await update(flags)).toEqual(
      ended(
        11,
        `error: This needs consent: ${sentence} Continue?\n` +
          `hint: To consent: innctl users update b-2 ${flags} --yes\n`,
      ),
    );
  });

  test('disabling an account admin requires --confirm with the name', async () => {
    const both = '--disable --is-account-admin false';
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      showsBen();
      administered();
    }

    expect((await update(`${both} --yes`)).exitCode).toBe(11);
    expectPatch({ op: 'replace', path: '/enabled', value: false }, admin(false));
    expect((await update(`${both} --no-verify --confirm b-2`)).exitCode).toBe(0);
  });
});

describe('the prompts of users update in the dialect apaleo', () => {
  test('include names and the admin flag, with the current values as defaults', async () => {
    showsBen();
    expectPatch(name('/firstName', 'Benno'), name('/lastName', 'Ode'), admin(true));

    expect(
      await update('--no-verify', [
        ['first_name', 'last_name', 'is_account_admin'],
        ' ',
        ' Benno ',
        'Ode',
        'yes',
        true,
      ]),
    ).toEqual(
      ended(
        0,
        `This will be sent to identity.example.com:
First name:    Ben -> Benno
Last name:     Schuster -> Ode
Account admin: no -> yes
Updated user b-2.
Equivalent command: innctl users update b-2 --no-verify --first-name Benno --last-name Ode --is-account-admin true
`,
      ),
    );
  });
});

describe('users update in the dialect contract', () => {
  test('prompts only for fields of the contract', async () => {
    nock(IDENTITY, AUTH).get('/api/v1/identity/users/b-2').reply(200, shownBen);

    const asked = cli('users update b-2', { env: hotels, answers: [['first_name']] });

    expect(await asked).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is not offered: enabled, properties'),
    });
  });
});
