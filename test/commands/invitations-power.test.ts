import nock from 'nock';
import { expect, test } from 'vitest';
import { apaleo, cli, hotels } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { emptyAccount, onlyIntercepted } from '../helpers/interceptors.ts';

const says = 'This invites ana@example.com with full access to every property.';

onlyIntercepted();
emptyAccount();

const invites = (path = '/api/v1/invitations') =>
  nock('https://identity.example.com').post(path).reply(200, { email: 'ana@example.com' });

const ways = [
  ['--is-account-admin', hotels],
  ['--role AccountAdmin', hotels],
  ['--role accountadmin --property BER', hotels],
  ['--roles FrontDesk,AccountAdmin --property BER', apaleo],
] as const;

test.each(ways)('%s: an account admin is not invited without consent', async (flags, env) => {
  expect(await cli(`invitations create ana@example.com ${flags}`, { env })).toEqual(
    ended(
      11,
      `error: This needs consent: ${says} Continue?\n` +
        `hint: To consent: innctl invitations create ana@example.com ${flags} --yes\n`,
    ),
  );
});

test.each(ways)('%s is sent with --yes', async (flags, env) => {
  invites(env === apaleo ? '/api/v1/account/invitations' : undefined);

  expect((await cli(`invitations create ana@example.com ${flags} --yes`, { env })).exitCode).toBe(0);
});

test.each([
  [true, 0],
  [false, 11],
])('the prompt answered with %s exits with %s', async (answer, exitCode) => {
  if (answer) invites();
  const line = 'invitations create ana@example.com --is-account-admin';

  expect((await cli(line, { env: hotels, answers: [answer] })).exitCode).toBe(exitCode);
});

test('an invitation from a file prompts as well', async () => {
  const stdin = 'email: ana@example.com\nis_account_admin: true\n';

  const { exitCode, stderr } = await cli('invitations create --file -', { env: hotels, stdin });

  expect({ exitCode, stderr }).toEqual({ exitCode: 11, stderr: expect.stringContaining(says) });
});

test('an empty list of properties is accepted', async () => {
  nock('https://identity.example.com')
    .post('/api/v1/invitations', { email: 'ana@example.com', role: 'Auditor', properties: [] })
    .reply(200, { email: 'ana@example.com' });

  const { exitCode } = await cli('invitations create ana@example.com --role Auditor --properties []', {
    env: hotels,
  });

  expect(exitCode).toBe(0);
});
