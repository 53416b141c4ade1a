import nock from 'nock';
import { expect, test } from 'vitest';
import { administered } from '../helpers/administered.ts';
import { type Answer, API, AUTH, cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { noPrompter } from '../helpers/no-prompter.ts';

const BEN = '/api/v1/identity/users/b-2';

onlyIntercepted();

const update = (answers: readonly Answer[], ...more: readonly string[]) =>
  cli(['users', 'update', 'b-2', '--no-verify', ...more], { env: hotels, answers });

/** The service returns Ben, the given number of times. */
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
    .reply(200, {
      count: 3,
      items: [
        { id: 'BER', name: 'Berlin' },
        { id: 'VIE', name: 'VIE' },
        { id: 'A,B', name: 'A,B' },
      ],
    });
}

const expectPatch = (...steps: readonly object[]) =>
  nock(IDENTITY, AUTH)
    .patch(BEN, (body) => JSON.stringify(body) === JSON.stringify(steps))
    .reply(204);

const add = (...value: readonly string[]) => ({ op: 'add', path: '/properties', value });

test('prompts for changes, shows before and after, sends them, and prints the equivalent command', async () => {
  showsBen({}, 2);
  listsProperties();
  expectPatch(add('BER', 'VIE'));

  const result = await update([['properties'], ['BER', 'VIE'], true]);

  expect(result).toEqual(
    ended(
      0,
      `This will be sent to identity.example.com:
Properties: BER, MUC -> BER, VIE
Updated user b-2.
Equivalent command: innctl users update b-2 --no-verify --add-properties VIE --remove-properties MUC
`,
    ),
  );
});

test('adding properties keeps properties that another client adds meanwhile', async () => {
  showsBen();
  listsProperties();
  showsBen({ properties: ['BER', 'MUC', 'HAM'] });
  expectPatch(add('BER', 'MUC', 'HAM', 'VIE'));

  const { exitCode, stderr } = await update([['properties'], ['BER', 'VIE', 'MUC'], true]);

  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining('--add-properties VIE\n'),
  });
});

test.each([
  ['--add-properties VIE --remove-properties MUC', add('BER', 'VIE')],
  ['--remove-properties BER,MUC', add()],
])('the equivalent command with %s sends the same patch as the prompts', async (flags, step) => {
  showsBen({}, 2);
  expectPatch(step);

  expect((await update([true], ...flags.split(' '))).exitCode).toBe(0);
});

test('current properties are preselected, also ones that the service does not list', async () => {
  showsBen();
  listsProperties();
  const offered: unknown[] = [];
  const prompter = {
    ...noPrompter,
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

  expect(result).toEqual(ended(0, 'Nothing was changed.\n'));
  expect(offered).toEqual([
    ['What to change', ['Enabled: yes', 'Properties: BER, MUC'], []],
    ['Properties', ['BER  Berlin', 'VIE', 'MUC'], ['BER', 'MUC']],
  ]);
});

test.each<[string, readonly Answer[], readonly string[], number]>([
  ['is disabled when the name is typed', ['ben@example.com'], [], 0],
  ['is disabled when --confirm names the user and the prompt is confirmed', [true], ['--confirm', 'b-2'], 0],
  ['stays when --confirm names the user and the prompt is denied', [false], ['--confirm', 'b-2'], 11],
])('a user %s', async (_, answers, more, exitCode) => {
  showsBen({}, exitCode === 0 ? 2 : 1);
  administered();
  if (exitCode === 0) expectPatch({ op: 'replace', path: '/enabled', value: false });

  expect((await update([['enabled'], 'no', ...answers], ...more)).exitCode).toBe(exitCode);
});
