import nock from 'nock';
import { expect, test } from 'vitest';
import { Interruption } from '../../src/cli/ports.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const IDENTITY = 'https://identity.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
const SETTLING = '\nhint: innctl invitations delete ana@example.com --yes --ignore-not-found\n';

/** No colours, whoever is there. */
const plain = { ...hotels, NO_COLOR: '1' };

const intercept = () => nock(IDENTITY, AUTH);
const lists = (...emails: readonly string[]) => ({ invitations: emails.map((email) => ({ email })) });

onlyIntercepted();

test('an invitation is withdrawn exactly as the contract writes it, and looked for afterwards', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com', '').reply(204);
  intercept().get('/api/v1/invitations').reply(200, lists('ben@example.com'));

  const result = await cli('invitations delete ana@example.com --yes --json', { env: hotels });

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
    exitCode: 0,
    stdout: { email: 'ana@example.com', deleted: true, verification: 'confirmed' },
    stderr: '',
  });
});

test('without a format for programs only the sentence is told', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(204);
  intercept().get('/api/v1/invitations').reply(204);

  expect(await cli('invite rm ana@example.com -y', { env: hotels })).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'Withdrew the invitation to ana@example.com: confirmed.\n',
  });
});

test('--ignore-not-found ends with 0 where nobody is invited, and says so', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com').times(2).reply(404);
  const line = 'invitations delete ana@example.com --yes --ignore-not-found';

  const sentence = await cli(line, { env: hotels });
  const json = await cli(`${line} --json`, { env: hotels });

  expect(sentence).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'There is no invitation to ana@example.com.\n',
  });
  expect(JSON.parse(json.stdout)).toEqual({ email: 'ana@example.com', deleted: false });
});

test('--no-verify does not look', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(204);
  intercept().delete('/api/v1/invitations/ben%40example.com').reply(204);

  const sentence = await cli('invitations delete ana@example.com --yes --no-verify', { env: hotels });
  const json = await cli('invitations delete ben@example.com --yes --no-verify --json', { env: hotels });

  expect(sentence.stderr).toBe('Withdrew the invitation to ana@example.com.\n');
  expect(JSON.parse(json.stdout)).toEqual({ email: 'ben@example.com', deleted: true });
});

test.each([
  ['ana+berlin@example.com', 'ana%2Bberlin%40example.com'],
  ['a#n?a%b@example.com', 'a%23n%3Fa%25b%40example.com'],
  ['"ana"@example.com', '%22ana%22%40example.com'],
  ['änna@exämple.com', '%C3%A4nna%40ex%C3%A4mple.com'],
  ['ana@localhost', 'ana%40localhost'],
  ['ana..x.@example.com', 'ana..x.%40example.com'],
])('the address %s is one segment of the path', async (email, segment) => {
  const asked = new Set<string>();
  intercept()
    .delete((path) => asked.add(path).size > 0)
    .reply(204);

  const result = await cli(['invitations', 'delete', email, '--yes', '--no-verify'], { env: hotels });

  expect(result.exitCode).toBe(0);
  expect([...asked]).toEqual([`/api/v1/invitations/${segment}`]);
});

test.each([
  'a@b/../../../../inventory/v1/properties/MUC',
  'ana/ber@example.com',
  'ana\\ber@example.com',
  'a@b%2f..%2F..',
  'a@b%255c..',
])('the address %s is refused, with nothing sent', async (email) => {
  for (const dialect of ['contract', 'apaleo']) {
    const env = { ...hotels, INNCTL_DIALECT: dialect };

    expect(await cli(['invitations', 'delete', email, '--yes'], { env })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^error: email: .* has a slash, backslash or control character, plain or encoded\n$/,
      ),
    });
  }
});

test('an address with a dash in front goes behind --', async () => {
  intercept().delete('/api/v1/invitations/-ana%40example.com').reply(204);

  const argv = 'invitations delete --yes --no-verify -- -ana@example.com';

  expect((await cli(argv, { env: hotels })).exitCode).toBe(0);
});

test('what still shows after three looks is not yet visible as gone', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(204);
  intercept().get('/api/v1/invitations').times(3).reply(200, lists('Ana@Example.com'));

  const result = await cli('invitations delete ana@example.com --yes --json', { env: hotels });

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
    exitCode: 0,
    stdout: { email: 'ana@example.com', deleted: true, verification: 'not_yet_visible' },
    stderr: '',
  });
});

test('what is gone a little later is confirmed', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(204);
  intercept().get('/api/v1/invitations').reply(200, lists('ana@example.com'));
  intercept().get('/api/v1/invitations').reply(200, lists());

  const result = await cli('invitations delete ana@example.com --yes', { env: hotels });

  expect(result.stderr).toBe('Withdrew the invitation to ana@example.com: confirmed.\n');
});

test.each<[string, number, object, number, string]>([
  ['refuses the list', 403, { messages: ['no'] }, 1, 'Could not list the invitations: no (403 from '],
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
    3,
    'The list is inconclusive: the service lists invitations without their e-mail address)',
  ],
  [
    'lists nothing readable',
    200,
    { people: [] },
    15,
    'is not a list under "items" or "invitations" (200 from identity.example.com))',
  ],
])('a service that %s leaves the withdrawal unread', async (_, status, body, times, why) => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(204);
  intercept().get('/api/v1/invitations').times(times).reply(status, body);

  const result = await cli('invitations delete ana@example.com --yes', { env: hotels });

  expect({ ...result, stderr: result.stderr.slice(0, 57) }).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'Withdrew the invitation to ana@example.com: not readable ',
  });
  expect(result.stderr).toContain(why);
});

test('a person is asked first', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(204);
  intercept().get('/api/v1/invitations').reply(200, lists());
  const questions: string[] = [];
  const answering = {
    env: hotels,
    answers: [],
    prompter: {
      ...nobody,
      confirm: async (question: string) => questions.push(question) > 0,
    },
  };

  const result = await cli('invitations delete ana@example.com', answering);

  expect(questions).toEqual(['Withdraw the invitation to ana@example.com?']);
  expect(result).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'Sending to identity.example.com.\nWithdrew the invitation to ana@example.com: confirmed.\n',
  });
});

const unasked = async () => {
  throw new Error('nobody is to be asked this');
};
const nobody = { text: unasked, secret: unasked, confirm: unasked, choose: unasked, chooseSeveral: unasked };

test.each<[string, string, readonly (boolean | Error)[] | undefined, number, string]>([
  ['a declined question', '', [false], 11, 'error: Nothing was done.\n'],
  ['^C at the question', '', [new Interruption('SIGINT')], 130, 'error: Interrupted by SIGINT.\n'],
  [
    'nobody to ask',
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

  expect(await cli(`invitations delete ana@example.com ${flags}`.trim(), situation)).toEqual({
    exitCode,
    stdout: '',
    stderr,
  });
});

test.each([
  'invitations delete ana@example.com',
  'invitations create',
  'invitations create --file missing.yaml',
])('where writes are forbidden nobody is asked: %s', async (line) => {
  const env = { ...plain, INNCTL_SAFETY: 'read-only' };

  expect(await cli(line, { env, answers: [] })).toEqual({
    exitCode: 11,
    stdout: '',
    stderr: expect.stringContaining('safety is read-only (INNCTL_SAFETY); nothing was sent.'),
  });
});

test('consent that is missing is told to programs', async () => {
  const result = await cli('invitations delete ana@example.com --json', { env: hotels });

  expect({ ...result, stderr: JSON.parse(result.stderr) }).toEqual({
    exitCode: 11,
    stdout: '',
    stderr: {
      error: {
        code: 'consent_missing',
        message: 'This needs consent: Withdraw the invitation to ana@example.com?',
        hint: 'To consent: innctl invitations delete ana@example.com --json --yes',
        details: [],
      },
    },
  });
});

test('a dry run asks nobody and sends nothing', async () => {
  const result = await cli('invitations delete ana@example.com --dry-run --json', { env: hotels });

  expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual({
    exitCode: 0,
    stderr: '',
    stdout: {
      dry_run: true,
      requests: [
        {
          method: 'DELETE',
          url: 'https://identity.example.com/api/v1/invitations/ana%40example.com',
          headers: {
            accept: 'application/json',
            'accept-encoding': 'identity',
            'user-agent': 'innctl/0.0.0-test',
            authorization: 'Bearer [redacted]',
          },
        },
      ],
    },
  });
});

test.each<[string, readonly string[], string]>([
  ['no address', [], "missing required argument 'email'"],
  ['an empty address', [''], 'email: must not be empty'],
  ['a blank', ['ana b@example.com'], 'email: "ana b@example.com" is not an e-mail address'],
  ['no @', ['ana'], 'email: "ana" is not an e-mail address'],
  ['a path', ['..'], 'email: ".." is not an e-mail address'],
  ['a dash', ['-'], 'email: "-" is not an e-mail address'],
  ['nothing before the @', ['@example.com'], 'email: "@example.com" is not an e-mail address'],
  ['nothing behind the @', ['ana@'], 'email: "ana@" is not an e-mail address'],
  ['two @', ['ana@ben@example.com'], 'email: "ana@ben@example.com" is not an e-mail address'],
  ['dots alone', ['..@..'], 'email: "..@.." is not an e-mail address'],
  ['a gap in the domain', ['ana@example..com'], 'email: "ana@example..com" is not an e-mail address'],
  ['two addresses in one', ['ana@example.com,ben@example.com'], 'is not an e-mail address'],
  ['a name', ['Ana Lima <ana@example.com>'], 'is not an e-mail address; did you mean ana@example.com?'],
  ['a link', ['mailto:ana@example.com'], 'is not an e-mail address; did you mean ana@example.com?'],
  ['the end of a sentence', ['ana@example.com.'], 'is not an e-mail address; did you mean ana@example.com?'],
  ['blanks around', [' ana@example.com '], 'is not an e-mail address; did you mean ana@example.com?'],
  ['a control character', ['ana\u0007@example.com'], 'has control or invisible characters'],
  ['a bidi control', ['ana\u202e@example.com'], 'has control or invisible characters'],
  ['a line break', ['ana@example.com\nben@example.com'], 'has control or invisible characters'],
  ['half a surrogate pair', ['ana\ud800@example.com'], 'has control or invisible characters'],
  ['a huge address', [`${'a'.repeat(100_000)}@example.com`], 'email: is longer than 254 characters'],
  ['two addresses', ['ana@example.com', 'ben@example.com'], 'too many arguments'],
  ['a misspelt flag', ['ana@example.com', '--no-verfy'], "unknown option '--no-verfy'"],
  ['a flag with a value', ['ana@example.com', '--no-verify=1'], '--no-verify'],
])('%s: exit 2 and nothing is sent', async (_, words, message) => {
  const answered = await cli(['invitations', 'delete', ...words], { env: hotels });
  const consented = await cli(['invitations', 'delete', '--yes', ...words], { env: hotels });

  const expected = { exitCode: 2, stdout: '', stderr: expect.stringContaining(message) };
  expect([answered, consented]).toEqual([expected, expected]);
});

test.each([
  ['a letter wrong', 'anna@example.com', 'ana@example.com'],
  ['other capitals', 'ANA@example.com', 'ana@example.com'],
])('an address with %s is not found, and the listed one is named', async (_, typed, meant) => {
  intercept()
    .delete(`/api/v1/invitations/${encodeURIComponent(typed)}`)
    .reply(404, { messages: ['gone'] });
  intercept().get('/api/v1/invitations').reply(200, lists('ben@example.com', meant));

  expect(await cli(`invitations delete ${typed} --yes`, { env: hotels })).toEqual({
    exitCode: 3,
    stdout: '',
    stderr:
      'error: Could not delete the invitation: gone (404 from identity.example.com).\n' +
      `hint: Did you mean ${meant}?\n`,
  });
});

test.each<[string, number, object]>([
  ['lists nobody like that', 200, lists('ben@example.com')],
  ['lists the very same', 200, lists('ana@example.com')],
  ['does not show the list', 403, {}],
])('a service that %s adds nothing to its 404', async (_, status, body) => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(404);
  intercept().get('/api/v1/invitations').reply(status, body);

  expect(await cli('invitations delete ana@example.com --yes', { env: hotels })).toEqual({
    exitCode: 3,
    stdout: '',
    stderr:
      'error: Could not delete the invitation: nothing was found there (404 from identity.example.com).\n',
  });
});

test.each<[string, number, string, number, string]>([
  ['forbidden', 403, 'forbidden', 5, 'Ask for the missing right or scope, or use another profile.'],
  ['in conflict', 409, 'conflict', 6, ''],
])('a withdrawal that is %s is refused as such', async (_, status, code, exitCode, hint) => {
  intercept()
    .delete('/api/v1/invitations/ana%40example.com')
    .reply(status, { messages: ['no'] });

  const result = await cli('invitations delete ana@example.com --yes --json', { env: hotels });

  expect({ ...result, stderr: JSON.parse(result.stderr) }).toEqual({
    exitCode,
    stdout: '',
    stderr: {
      error: {
        code,
        status,
        message: `Could not delete the invitation: no (${status} from identity.example.com).`,
        ...(hint === '' ? {} : { hint }),
        details: [],
      },
    },
  });
});

test.each([
  [200, '{"Email":"Ana@Example.com","deleted":true}'],
  [202, '{}'],
  [204, ''],
])('%i with the body "%s" is done', async (status, body) => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(status, body);

  const result = await cli('invitations delete ana@example.com --yes --no-verify', { env: hotels });

  expect(result).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'Withdrew the invitation to ana@example.com.\n',
  });
});

const unconfirmed = [
  ['nothing', 200, ''],
  ['nothing, as created', 201, ''],
  ['null', 200, 'null'],
  ['a list', 200, '[]'],
  ['an object that does not name it', 200, '{"deleted":true}'],
  ['an object about another', 200, '{"email":"ben@example.com"}'],
  ['an object about an object', 200, '{"email":{"toString":1}}'],
  ['a text', 200, 'OK'],
  ['a page of HTML', 200, '<html>Please log in</html>'],
] as const;

test.each(unconfirmed)(
  '%s for an answer says nothing: while the list still shows the invitation, the outcome is unknown',
  async (_, status, body) => {
    intercept().delete('/api/v1/invitations/ana%40example.com').times(5).reply(status, body);
    intercept().get('/api/v1/invitations').times(3).reply(200, lists('ana@example.com'));

    const result = await cli('invitations delete ana@example.com --yes', { env: hotels });

    expect(result).toEqual({ exitCode: 8, stdout: '', stderr: expect.stringContaining(SETTLING) });
  },
);

test.each(unconfirmed)(
  '%s for an answer is settled by a list that does not show the invitation',
  async (_, status, body) => {
    intercept().delete('/api/v1/invitations/ana%40example.com').times(5).reply(status, body);
    intercept().get('/api/v1/invitations').reply(200, lists());

    const result = await cli('invitations delete ana@example.com --yes --no-verify', { env: hotels });

    expect(result).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'There is no invitation to ana@example.com now: confirmed.\n',
    });
  },
);

test('a list that is not whole settles nothing', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com').times(5).reply(500);
  intercept()
    .get('/api/v1/invitations')
    .times(3)
    .reply(200, { count: 2, items: [{ email: 'ben@example.com' }] });

  const result = await cli('invitations delete ana@example.com --yes', { env: hotels });

  expect(result).toEqual({ exitCode: 8, stdout: '', stderr: expect.stringContaining(SETTLING) });
});

test('a refusal after a lost answer is no verdict, and nobody is suggested', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(502);
  intercept()
    .delete('/api/v1/invitations/ana%40example.com')
    .reply(422, { messages: ['no'] });
  intercept().get('/api/v1/invitations').times(3).reply(200, lists('ana@example.com', 'anna@example.com'));

  const result = await cli('invitations delete ana@example.com --yes', { env: hotels });

  expect(result).toEqual({ exitCode: 8, stdout: '', stderr: expect.stringContaining(SETTLING) });
});

test('an address that nobody lists and that is not found after a lost answer may never have been invited', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(502);
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(404);
  intercept().get('/api/v1/invitations').reply(200, lists());

  const result = await cli('invitations delete ana@example.com --yes', { env: hotels });

  expect(result).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'There is no invitation to ana@example.com now: confirmed.\n',
  });
});

test('an escape sequence in a listed address does not reach the terminal', async () => {
  intercept().delete('/api/v1/invitations/ana%40example.com').reply(404);
  intercept().get('/api/v1/invitations').reply(200, lists('ana\u001b@example.com'));

  const result = await cli('invitations delete ana@example.com --yes', { env: plain, answers: [] });

  expect(result.stderr).toContain('hint: Did you mean ana\\u{1b}@example.com?');
});
