import nock from 'nock';
import { beforeEach, expect, test } from 'vitest';
import { Interruption } from '../../src/model/ports.ts';
import { AUTH, cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';

/** Without colours. */
const plain = { ...hotels, NO_COLOR: '1' };

const intercept = () => nock(IDENTITY, AUTH);
const lists = (...emails: readonly string[]) => ({ invitations: emails.map((email) => ({ email })) });

onlyIntercepted();

/** What reads of the users show: nobody, unless a test says otherwise. */
let users: readonly object[] = [];

beforeEach(() => {
  users = [];
  const answer = () => [200, { count: users.length, items: users }];
  intercept()
    .persist()
    .get(/^\/api\/v1\/users\?/)
    .optionally()
    .reply(answer);
  intercept()
    .persist()
    .get('/api/v1/identity/users/u-ana')
    .optionally()
    .reply(200, () => users[0]);
  // What the invitation gives is read before it is withdrawn.
  intercept().get('/api/v1/invitations').optionally().reply(200, lists('ben@example.com'));
});

test('a deletion sends exactly the request of the contract and verifies it', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com', '').reply(204);
  intercept().get('/api/v1/invitations').reply(200, lists('ben@example.com'));

  const result = await cli('invitations delete ana@example.com --yes --json', { env: hotels });

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(
    printed({ email: 'ana@example.com', deleted: true, verification: 'confirmed' }),
  );
});

test('it is withdrawn without a list, too', async () => {
  nock.cleanAll();
  intercept().get('/api/v1/invitations').reply(403);
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(204);

  const { exitCode } = await cli('invitations delete ana@example.com --yes --no-verify', { env: hotels });

  expect(exitCode).toBe(0);
});

test('--ignore-not-found exits with 0 and reports a missing invitation', async () => {
  intercept().get('/api/v1/invitations').reply(200, lists());
  intercept().delete('/api/v1/invitations/ana%40example.com').times(2).reply(404);
  const line = 'invitations delete ana@example.com --yes --ignore-not-found';

  const sentence = await cli(line, { env: hotels });
  const json = await cli(`${line} --json`, { env: hotels });

  expect(sentence).toEqual(ended(0, 'There is no invitation to ana@example.com.\n'));
  expect(JSON.parse(json.stdout)).toEqual({ email: 'ana@example.com', deleted: false });
});

test.each([
  'a@b/../../../../inventory/v1/properties/MUC',
  'ana/ber@example.com',
  'ana\\ber@example.com',
  'a@b%2f..%2F..',
  'a@b%255c..',
])('the address %s is rejected, and nothing is sent', async (email) => {
  for (const dialect of ['contract', 'apaleo']) {
    const env = { ...hotels, INNCTL_DIALECT: dialect };

    expect(await cli(['invitations', 'delete', email, '--yes'], { env })).toEqual(
      ended(
        2,
        expect.stringMatching(
          /^error: email: .* has a slash, backslash or control character, plain or encoded\n$/,
        ),
      ),
    );
  }
});

test.each<[string, number, object, number, string]>([
  ['forbids the list', 403, { messages: ['no'] }, 1, 'Could not list the invitations: no (403 from '],
  [
    'counts more than it lists',
    200,
    { count: 2, items: [{ email: 'ben@example.com' }] },
    3,
    'The list is inconclusive: the service counts 2 invitations and listed 1)',
  ],
  [
    'lists no addresses',
    200,
    { invitations: [{ invitee: 'ben@example.com' }] },
    15,
    'is not a whole record: it lacks email (200 from identity.example.com))',
  ],
  [
    'lists invalid data',
    200,
    { people: [] },
    15,
    'is not a list under "items" or "invitations" (200 from identity.example.com))',
  ],
])('a service that %s leaves the deletion unverified', async (_, status, body, times, why) => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(204);
  intercept().get('/api/v1/invitations').times(times).reply(status, body);

  const result = await cli('invitations delete ana@example.com --yes', { env: hotels });

  expect({ ...result, stderr: result.stderr.slice(0, 57) }).toEqual(
    ended(0, 'Withdrew the invitation to ana@example.com: not readable '),
  );
  expect(result.stderr).toContain(why);
});

test('a terminal prompts for confirmation', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(204);
  intercept().get('/api/v1/invitations').reply(200, lists());
  const questions: string[] = [];
  const answering = {
    env: hotels,
    answers: [],
    prompter: {
      ...noPrompter,
      confirm: async (question: string) => questions.push(question) > 0,
    },
  };

  const result = await cli('invitations delete ana@example.com', answering);

  expect(questions).toEqual(['Withdraw the invitation to ana@example.com?']);
  expect(result).toEqual(
    ended(0, 'Sending to identity.example.com.\nWithdrew the invitation to ana@example.com: confirmed.\n'),
  );
});

test.each<[string, string, readonly (boolean | Error)[] | undefined, number, string]>([
  ['a declined prompt', '', [false], 11, 'error: Nothing was done.\n'],
  ['^C at the prompt', '', [new Interruption('SIGINT')], 130, 'error: Interrupted by SIGINT.\n'],
  [
    'no terminal',
    '',
    undefined,
    11,
    'error: This needs consent: Withdraw the invitation to ana@example.com?\n' +
      'hint: To consent: innctl invitations delete ana@example.com --yes\n',
  ],
  [
    '--no-input at a terminal',
    '--no-input',
    [],
    11,
    'error: This needs consent: Withdraw the invitation to ana@example.com?\n' +
      'hint: To consent: innctl invitations delete ana@example.com --no-input --yes\n',
  ],
])('%s: nothing is sent', async (_, flags, answers, exitCode, stderr) => {
  const situation = answers === undefined ? { env: plain } : { env: plain, answers };

  expect(await cli(`invitations delete ana@example.com ${flags}`.trim(), situation)).toEqual(
    ended(exitCode, stderr),
  );
});

test.each([
  ['a typo', 'anna@example.com', 'ana@example.com'],
  ['different case', 'ANA@example.com', 'ana@example.com'],
])('an address with %s is not found, and the hint has the listed one', async (_, typed, suggestion) => {
  intercept()
    .delete(`/api/v1/invitations/${encodeURIComponent(typed)}`)
    .reply(404, { messages: ['gone'] });
  intercept().get('/api/v1/invitations').reply(200, lists('ben@example.com', suggestion));

  expect(await cli(`invitations delete ${typed} --yes`, { env: hotels })).toEqual(
    ended(
      3,
      'error: Could not delete the invitation: gone (404 from identity.example.com).\n' +
        `hint: Did you mean ${suggestion}?\n`,
    ),
  );
});

test.each<[string, number, object]>([
  ['lists no similar address', 200, lists('ben@example.com')],
  ['lists the same address', 200, lists('ana@example.com')],
  ['forbids the list', 403, {}],
])('a service that %s adds no hint to its 404', async (_, status, body) => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(404);
  intercept().get('/api/v1/invitations').reply(status, body);

  expect(await cli('invitations delete ana@example.com --yes', { env: hotels })).toEqual(
    ended(
      3,
      'error: Could not delete the invitation: nothing was found there (404 from identity.example.com).\n',
    ),
  );
});

test.each([
  ['a 404', ['404'], ''],
  ['a 404 after a lost answer', ['502', '404'], ''],
  ['a 404 with --ignore-not-found', ['404'], ' --ignore-not-found'],
] as const)('%s for a person who is a user says so', async (_, statuses, flag) => {
  users = [{ subject_id: 'u-ana', email: 'Ana@example.com', enabled: true }];
  for (const status of statuses)
    intercept().delete('/api/v1/invitations/ana%40example.com').reply(Number(status));

  const result = await cli(`invitations delete ana@example.com --yes --no-verify${flag}`, { env: hotels });

  expect(result).toEqual(
    ended(
      3,
      'error: There is no invitation to ana@example.com any more: it was accepted, and the person is a user now.\n' +
        'hint: To disable the user: innctl people offboard ana@example.com\n',
    ),
  );
});
