import { expect, test } from 'vitest';
import { behindFront } from './behind-front.ts';
import { type Misdeed, whole } from './front.ts';
import { errorIn, rehearse } from './rehearsal.ts';

const lists = ['listInvitations', 'listRoles', 'listUsers', 'listProperties', 'listCountries'] as const;
const silent = {
  listInvitations: undefined,
  listRoles: undefined,
  listUsers: undefined,
  listProperties: undefined,
  listCountries: undefined,
};
const paged = ['listUsers', 'listProperties'] as const;

test('a count that is too high is a warning, and the document shows that more are counted', async () => {
  const ended = await rehearse('answer:body=count', [
    'listInvitations',
    'listRoles',
    'listUsers',
    'listProperties',
  ]);

  const shown = Object.values(ended).map(({ exitCode, stdout, stderr }) => {
    const { count, items } = JSON.parse(stdout);
    return { exitCode, count, shown: items.length, stderr };
  });
  expect(shown).toEqual([
    { exitCode: 0, count: 4, shown: 4, stderr: 'warning: The service counts 1004 records and listed 4.\n' },
    {
      exitCode: 0,
      count: 11,
      shown: 11,
      stderr: 'warning: The service counts 1011 records and listed 11.\n',
    },
    {
      exitCode: 0,
      count: 1012,
      shown: 12,
      stderr: 'warning: The service counts 1012 records and listed 12.\n',
    },
    {
      exitCode: 0,
      count: 1003,
      shown: 3,
      stderr: 'warning: The service counts 1003 records and listed 3.\n',
    },
  ]);
});

test('a page that comes again ends the walk, with a warning', async () => {
  const ended = await rehearse('answer:body=first-page', paged, { flags: '--all --page-size 2' });

  expect(Object.values(ended).map(({ tries, stderr }) => ({ tries, stderr }))).toEqual([
    { tries: 2, stderr: 'warning: The service counts 12 records and listed 2.\n' },
    { tries: 2, stderr: 'warning: The service counts 3 records and listed 2.\n' },
  ]);
});

test('pages without an end stop with the time, and print no half document', async () => {
  const ended = await rehearse('answer:body=pages', paged, { flags: '--all --timeout 1' });

  expect(
    Object.values(ended).map(({ exitCode, stdout, stderr }) => [exitCode, stdout, errorIn(stderr)?.code]),
  ).toEqual([
    [7, '', 'timeout'],
    [7, '', 'timeout'],
  ]);
});

const counted = (listed: number) => `warning: The service counts 1 records and listed ${listed}.`;

test.each<[string, object, Readonly<Record<(typeof lists)[number], string | undefined>>]>([
  [
    'too low, which is a warning',
    { count: 1 },
    {
      listInvitations: counted(4),
      listRoles: counted(11),
      listUsers: counted(12),
      listProperties: counted(3),
      listCountries: counted(249),
    },
  ],
  ['negative', { count: -1 }, silent],
  ['a text', { count: 'many' }, silent],
  ['missing', {}, silent],
])('a count costs no record: one that is %s', async (_, wrong, warnings) => {
  const trouble = { commits: true, times: 99 };

  const fared = await Promise.all(
    lists.map(async (id) => {
      const [right, { printed, warned }] = await Promise.all([
        behindFront(id, { ...trouble, misdeed: recounted((count) => ({ count })) }),
        behindFront(id, { ...trouble, misdeed: recounted(() => wrong) }),
      ]);
      return { id, printed, warned, right };
    }),
  );

  expect(fared.map(({ id, printed, warned }) => ({ id, printed, warned }))).toEqual(
    fared.map(({ id, right }) => ({ id, printed: right.printed, warned: warnings[id] })),
  );
});

/** Answers with another count, or without one; a list that is not an object comes out broken. */
function recounted(replace: (count: unknown) => object): Misdeed {
  return (socket, { head, body }) => {
    const { count, ...rest } = JSON.parse(body);
    socket.write(whole({ head, body: JSON.stringify({ ...rest, ...replace(count) }) }), 'latin1');
  };
}
