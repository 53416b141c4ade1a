import nock from 'nock';
import { expect, test } from 'vitest';
import { Interruption } from '../../src/cli/ports.ts';
import { administered } from '../helpers/administered.ts';
import { type Answer, cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const API = 'https://api.example.com';
const IDENTITY = 'https://identity.example.com';
const AUTH = { reqheaders: { authorization: 'Bearer token-of-ana-1234567890' } };
const BEN = '/api/v1/identity/users/b-2';

onlyIntercepted();

const update = (answers: readonly Answer[], ...more: readonly string[]) =>
  cli(['users', 'update', 'b-2', '--no-verify', ...more], { env: hotels, answers });

/** The service shows Ben, so often. */
function showsBen(changes: object = {}, times = 1): void {
  nock(IDENTITY, AUTH)
    .get(BEN)
    .times(times)
    .reply(200, {
      subjectId: 'b-2',
      email: 'ben@example.com',
      enabled: true,
      properties: ['BER', 'MUC'],
      ...changes,
    });
}

function listsProperties(): void {
  nock(API, AUTH)
    .get('/inventory/v1/properties?page_size=100&page_number=1')
    .reply(200, { count: 3, items: [{ id: 'BER', name: 'Berlin' }, { id: 'VIE' }, { id: 'A,B' }] });
}

const taken = (...steps: readonly object[]) =>
  nock(IDENTITY, AUTH)
    .patch(BEN, (body) => JSON.stringify(body) === JSON.stringify(steps))
    .reply(204);

const add = (...value: readonly string[]) => ({ op: 'add', path: '/properties', value });

test('asks what is to change, shows before and after, sends exactly that, and tells it as one line', async () => {
  showsBen({}, 2);
  listsProperties();
  taken(add('BER', 'VIE'));

  const result = await update([['properties'], ['BER', 'VIE'], true]);

  expect(result).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `This will be sent to identity.example.com:
Properties: BER, MUC -> BER, VIE
Updated user b-2.
Equivalent command: innctl users update b-2 --no-verify --add-properties VIE --remove-properties MUC
`,
  });
});

test('properties that are only added leave what somebody else adds meanwhile', async () => {
  showsBen();
  listsProperties();
  showsBen({ properties: ['BER', 'MUC', 'HAM'] });
  taken(add('BER', 'MUC', 'HAM', 'VIE'));

  const { exitCode, stderr } = await update([['properties'], ['BER', 'VIE', 'MUC'], true]);

  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining('--add-properties VIE\n'),
  });
});

test('all properties can be taken away, as the contract writes them', async () => {
  showsBen({}, 2);
  listsProperties();
  taken(add());

  expect(await update([['properties'], [], true])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: `This will be sent to identity.example.com:
Properties: BER, MUC -> none
Updated user b-2.
Equivalent command: innctl users update b-2 --no-verify --remove-properties BER,MUC
`,
  });
});

test.each([
  ['--add-properties VIE --remove-properties MUC', add('BER', 'VIE')],
  ['--remove-properties BER,MUC', add()],
])('the one line with %s sends what was sent by asking', async (flags, step) => {
  showsBen({}, 2);
  taken(step);

  expect((await update([true], ...flags.split(' '))).exitCode).toBe(0);
});

test('what is there is chosen from the beginning, also where the service does not list it', async () => {
  showsBen();
  listsProperties();
  const offered: unknown[] = [];
  const nobody = async () => {
    throw new Error('this question was not expected');
  };
  const prompter = {
    ...{ text: nobody, secret: nobody, choose: nobody, confirm: nobody },
    chooseSeveral: async (
      question: string,
      choices: readonly { readonly label: string }[],
      { chosen = [] }: { readonly chosen?: readonly string[] } = {},
    ) => {
      offered.push([question, choices.map(({ label }) => label), chosen]);
      return question === 'What to change' ? ['properties'] : chosen;
    },
  };

  const result = await cli('users update b-2', { env: hotels, answers: [], prompter });

  expect(result).toEqual({ exitCode: 0, stdout: '', stderr: 'Nothing was changed.\n' });
  expect(offered).toEqual([
    ['What to change', ['Enabled: yes', 'Properties: BER, MUC'], []],
    ['Properties', ['BER  Berlin', 'VIE', 'MUC'], ['BER', 'MUC']],
  ]);
});

test('properties are typed where their list is kept from the caller', async () => {
  showsBen({}, 2);
  nock(API, AUTH).get('/inventory/v1/properties?page_size=100&page_number=1').reply(403);
  taken(add('BER', 'VIE'));

  expect((await update([['properties'], 'a/b', '', ' VIE, BER, VIE ', true])).exitCode).toBe(0);
});

test('properties that are not all shown are not asked about', async () => {
  showsBen({ properties: undefined });

  expect(await update([['enabled'], 'yes'])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr:
      'The service does not show all properties of the user; --set-properties sets them.\nNothing was changed.\n',
  });
});

test('the flags of the one line stand in front of what no flag can follow', async () => {
  showsBen({ enabled: false });
  taken({ op: 'replace', path: '/enabled', value: true });

  const result = await cli('users update --no-verify -- b-2', {
    env: hotels,
    answers: [['enabled'], 'yes', true],
  });

  expect(result.stderr).toContain('Equivalent command: innctl users update --no-verify --enable -- b-2\n');
});

test('a user who was kept out is let in after a yes', async () => {
  showsBen({ enabled: false });
  taken({ op: 'replace', path: '/enabled', value: true });

  const { exitCode, stderr } = await update([['enabled'], 'yes', true]);

  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining('Enabled: no -> yes\n'),
  });
});

test.each<[string, readonly Answer[], readonly string[], number]>([
  ['the name was typed', ['ben@example.com'], [], 0],
  ['--confirm named the user, and a yes followed', [true], ['--confirm', 'b-2'], 0],
])('a user is disabled when %s', async (_, answers, more, exitCode) => {
  showsBen();
  administered(undefined, { looks: 2 });
  taken({ op: 'replace', path: '/enabled', value: false });

  expect((await update([['enabled'], 'no', ...answers], ...more)).exitCode).toBe(exitCode);
});

test('answers that were not consented to are kept as one line', async () => {
  showsBen({ enabled: false });

  const { exitCode, stderr } = await update([['enabled'], 'yes', false]);

  expect({ exitCode, stderr }).toEqual({
    exitCode: 11,
    stderr: expect.stringContaining('Equivalent command: innctl users update b-2 --no-verify --enable\n'),
  });
});

test.each<[string, Answer, readonly string[], number]>([
  ['another name was typed', 'ana@example.com', [], 11],
  ['only --yes was said', '', ['--yes'], 11],
  ['--confirm named somebody else', true, ['--confirm', 'ana'], 11],
  ['--confirm named the user, and a no followed', false, ['--confirm', 'b-2'], 11],
  ['^C was pressed', new Interruption('SIGINT'), [], 130],
])('a user is not disabled when %s', async (_, answer, more, exitCode) => {
  showsBen();
  administered();

  expect((await update([['enabled'], 'no', answer], ...more)).exitCode).toBe(exitCode);
});

test('a user named by e-mail is looked for, and may be consented to by that name', async () => {
  nock(IDENTITY, AUTH)
    .get('/api/v1/users?page_size=100&page_number=1')
    .reply(200, { count: 1, items: [{ subjectId: 'b-2', email: 'ben@example.com' }] });
  showsBen();
  administered();

  const result = await cli('users update ben@example.com --dry-run', {
    env: hotels,
    answers: [['enabled'], 'no'],
  });

  expect({ exitCode: result.exitCode, body: JSON.parse(result.stdout.split('\n\n')[1] ?? '') }).toEqual({
    exitCode: 0,
    body: [{ op: 'replace', path: '/enabled', value: false }],
  });
  expect(result.stderr).toBe(
    'This disables user ben@example.com.\nEquivalent command: innctl users update ben@example.com --dry-run --disable\n',
  );
});

test('who is protected is not read, and nobody is asked', async () => {
  const env = { ...hotels, INNCTL_PROTECT: 'b-2' };

  expect((await cli('users update b-2', { env, answers: [] })).exitCode).toBe(11);
});

test('who is protected by e-mail is not asked about under the subject id', async () => {
  showsBen();
  const env = { ...hotels, INNCTL_PROTECT: 'ben@*' };

  expect((await cli('users update b-2', { env, answers: [] })).exitCode).toBe(11);
});

test.each([[['--no-input']], [['--json']]])(
  'with %j nobody is asked, and a change must be named',
  async (more) => {
    expect((await update([], ...more)).exitCode).toBe(2);
  },
);

test('a reference that nobody can have is refused before anything is read or asked', async () => {
  expect(await cli('users update a/b', { env: { ...hotels, NO_COLOR: '1' }, answers: [] })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'error: subject_id: "a/b" has characters that no id has\n',
  });
});
