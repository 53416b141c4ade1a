import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const IDENTITY = 'https://identity.example.com';
const BEN = '/api/v1/identity/users/b-2';

onlyIntercepted();

/** The service shows Ben so, as often as told. */
const showing = (fields: object, times = 1) =>
  nock(IDENTITY)
    .get(BEN)
    .times(times)
    .reply(200, { subjectId: 'b-2', ...fields });

/** The service gets exactly this patch of Ben, and answers so. */
const patching = (body: readonly unknown[], status: number) =>
  nock(IDENTITY)
    .patch(BEN, (sent) => JSON.stringify(sent) === JSON.stringify(body))
    .reply(status);

const adding = (...value: readonly string[]) => [{ op: 'add', path: '/properties', value }];

describe('properties that were sent without an answer', () => {
  const line = 'users update b-2 --add-properties VIE';

  test('are united anew with what is there by now, when they were not taken', async () => {
    showing({ properties: ['BER'] });
    patching(adding('BER', 'VIE'), 500);
    showing({ properties: ['BER', 'MUC'] }, 3);
    patching(adding('BER', 'MUC', 'VIE'), 204);
    showing({ properties: ['BER', 'MUC', 'VIE'] });

    expect(await cli(line, { env: hotels })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr:
        'warning: Somebody else changed the properties of user b-2 meanwhile: BER, MUC, VIE are there now.\n' +
        'Updated user b-2: confirmed.\n',
    });
  });

  test('are not sent again when all of them are there, among others', async () => {
    showing({ properties: ['BER'] });
    patching(adding('BER', 'VIE'), 500);
    showing({ properties: ['MUC', 'VIE'] });

    const { exitCode, stdout } = await cli(`${line} --json`, { env: hotels });

    expect({ exitCode, stdout: JSON.parse(stdout) }).toEqual({
      exitCode: 0,
      stdout: {
        subject_id: 'b-2',
        updated: true,
        properties: ['MUC', 'VIE'],
        added: ['VIE'],
        removed: [],
        sent_properties: ['BER', 'VIE'],
        verification: 'confirmed',
        changed_meanwhile: true,
      },
    });
  });

  test('stay in doubt when they do not show any more', async () => {
    showing({ properties: ['BER'] });
    patching(adding('BER', 'VIE'), 500);
    showing({});

    expect(await cli(line, { env: hotels })).toEqual({
      exitCode: 8,
      stdout: '',
      stderr:
        'error: Could not update the user: the answer gives no reason (500 from identity.example.com). ' +
        'The outcome is unknown: it may have been carried out.\n' +
        'hint: innctl users update b-2 --add-properties VIE\n',
    });
  });

  test.each<[string, readonly string[]]>([
    ['none', []],
    ['fewer than there were', ['BER']],
    ['others', ['NEW']],
  ])('are not sent again from a look that shows %s', async (_, properties) => {
    showing({ properties: ['BER', 'MUC'] });
    patching(adding('BER', 'MUC', 'VIE'), 500);
    showing({ properties }, 3);

    expect((await cli(line, { env: hotels })).exitCode).toBe(8);
  });

  test('are sent again when a later look shows what was there', async () => {
    showing({ properties: ['BER'] });
    patching(adding('BER', 'VIE'), 500);
    showing({ properties: [] }, 2);
    showing({ properties: ['BER'] });
    patching(adding('BER', 'VIE'), 204);
    showing({ properties: ['BER', 'VIE'] });

    expect(await cli(line, { env: hotels })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Updated user b-2: confirmed.\n',
    });
  });

  test('are not sent again from memory when only the rest shows that nothing was taken', async () => {
    showing({ properties: ['BER'], enabled: false }, 2);
    patching([{ op: 'replace', path: '/enabled', value: true }, ...adding('BER', 'VIE')], 500);
    showing({ enabled: false }, 3);

    expect((await cli(`${line} --enable`, { env: hotels })).exitCode).toBe(8);
  });
});

describe('properties that were certainly not taken', () => {
  const line = 'users update b-2 --add-properties VIE';
  const replying = (value: readonly string[], status: number, headers = {}) =>
    nock(IDENTITY)
      .patch(BEN, (sent) => JSON.stringify(sent) === JSON.stringify(adding(...value)))
      .reply(status, '', headers);

  test.each<[string, number, object]>([
    ['429', 429, {}],
    ['503 with Retry-After', 503, { 'retry-after': '1' }],
  ])(
    'are united with what was granted meanwhile before they are sent again: %s',
    async (_, status, headers) => {
      showing({ properties: ['BER'] });
      replying(['BER', 'VIE'], status, headers);
      showing({ properties: ['BER', 'NEW'] });
      replying(['BER', 'NEW', 'VIE'], 204);
      showing({ properties: ['BER', 'NEW', 'VIE'] });

      const { exitCode, stdout, stderr } = await cli(`${line} --json`, { env: hotels });

      expect({ exitCode, stdout: JSON.parse(stdout), stderr }).toEqual({
        exitCode: 0,
        stdout: {
          subject_id: 'b-2',
          updated: true,
          properties: ['BER', 'NEW', 'VIE'],
          added: ['VIE'],
          removed: [],
          verification: 'confirmed',
          changed_meanwhile: true,
        },
        stderr:
          'warning: Somebody else changed the properties of user b-2 meanwhile: BER, NEW, VIE are there now.\n',
      });
    },
  );

  test('are united anew also where nobody reads back', async () => {
    showing({ properties: ['BER'] });
    replying(['BER', 'VIE'], 429);
    showing({ properties: ['BER', 'NEW'] });
    replying(['BER', 'NEW', 'VIE'], 204);

    expect(await cli(`${line} --no-verify`, { env: hotels })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr:
        'warning: Somebody else changed the properties of user b-2 meanwhile: BER, NEW, VIE were sent.\n' +
        'Updated user b-2.\n',
    });
  });

  test.each([[[]], [['NEW']]])('are not sent again from a look that lost some: %j', async (properties) => {
    showing({ properties: ['BER'] });
    replying(['BER', 'VIE'], 429);
    showing({ properties });

    expect(await cli(line, { env: hotels })).toEqual({
      exitCode: 6,
      stdout: '',
      stderr:
        'error: The record shows less than before the first attempt, which was not carried out; nothing was changed.\n' +
        'hint: Check the record, then run the command again.\n',
    });
  });

  test('are not sent again when somebody else granted them meanwhile', async () => {
    showing({ properties: ['BER'] });
    replying(['BER', 'VIE'], 429);
    showing({ properties: ['BER', 'MUC', 'VIE'] });

    expect(await cli(line, { env: hotels })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr:
        'warning: Somebody else changed the properties of user b-2 meanwhile: BER, MUC, VIE are there now.\n' +
        'User b-2 has all of the properties to be added already; nothing was changed.\n',
    });
  });

  test.each<[string, number, object, number]>([
    ['may not be read any more', 403, {}, 5],
    ['does not show them any more', 200, { subjectId: 'b-2' }, 6],
  ])('are not sent again when the user %s', async (_, status, body, exitCode) => {
    showing({ properties: ['BER'] });
    replying(['BER', 'VIE'], 429);
    nock(IDENTITY).get(BEN).reply(status, body);

    expect((await cli(line, { env: hotels })).exitCode).toBe(exitCode);
  });

  test('need no further reading where nothing depends on it', async () => {
    const body = [{ op: 'replace', path: '/enabled', value: true }];
    patching(body, 429);
    patching(body, 204);

    expect((await cli('users update b-2 --enable --no-verify', { env: hotels })).exitCode).toBe(0);
  });
});

test('--max-attempts 1 sends a patch once', async () => {
  patching([{ op: 'replace', path: '/enabled', value: true }], 500);
  showing({ enabled: false }, 4);

  expect((await cli('users update b-2 --enable --max-attempts 1', { env: hotels })).exitCode).toBe(8);
});

test.each([
  ['--remove /descripton', [{ op: 'remove', path: '/descripton' }]],
  ['--set /secretNote=null', [{ op: 'replace', path: '/secretNote', value: null }]],
])('a removal of what never shows is not taken for done: %s', async (flag, body) => {
  patching(body, 500);
  showing({ enabled: true }, flag.startsWith('--set') ? 2 : 1);

  expect((await cli(`users update b-2 ${flag}`, { env: hotels })).exitCode).toBe(8);
});

test('a patch that would insert twice is never sent again', async () => {
  const patch = [
    { op: 'replace', path: '/firstName', value: 'Ben' },
    { op: 'add', path: '/tags/-', value: 'night' },
  ];
  patching(patch, 500);
  showing({ firstName: 'Benjamin' }, 4);

  const { exitCode } = await cli(`users update b-2 --set '/firstName="Ben"' --add '/tags/-="night"'`, {
    env: hotels,
  });

  expect(exitCode).toBe(8);
});

test('a refusal of the second try ends no doubt about the first', async () => {
  patching([{ op: 'replace', path: '/enabled', value: true }], 502);
  showing({ enabled: false }, 4);
  patching([{ op: 'replace', path: '/enabled', value: true }], 422);
  showing({ enabled: true });

  expect(await cli('users update b-2 --enable', { env: hotels })).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'Updated user b-2: confirmed.\n',
  });
});

test('a refusal of the second try ends the sending, and is named in the doubt', async () => {
  const body = [{ op: 'replace', path: '/enabled', value: true }];
  patching(body, 502);
  showing({ enabled: false }, 4);
  nock(IDENTITY)
    .patch(BEN)
    .reply(422, { messages: ['Ben is locked by HR'] });
  showing({ enabled: false });

  const { exitCode, stderr } = await cli('users update b-2 --enable --json', { env: hotels });

  expect({ exitCode, message: JSON.parse(stderr).error.message }).toEqual({
    exitCode: 8,
    message:
      'Could not update the user: the answer gives no reason (502 from identity.example.com). ' +
      'The outcome is unknown: it may have been carried out. A later attempt failed: ' +
      'Could not update the user: Ben is locked by HR (422 from identity.example.com).',
  });
});

test('a plain refusal is no doubt: nothing is read any more, nothing sent again', async () => {
  showing({ enabled: false });
  patching([{ op: 'replace', path: '/enabled', value: true }], 403);

  expect((await cli('users update b-2 --enable', { env: hotels })).exitCode).toBe(5);
});

test.each([
  ['nothing', 200, '', 8],
  ['null', 200, 'null', 8],
  ['a text', 200, 'OK', 8],
  ['an object', 200, '{}', 0],
  ['an object, later', 202, '{}', 0],
  ['nothing, and meant', 204, '', 0],
  ['HTML', 200, '<html>Please log in</html>', 8],
])('%s as the answer to an update that cannot be read', async (_, status, body, expected) => {
  nock(IDENTITY).patch(BEN).reply(status, body);
  nock(IDENTITY).get(BEN).times(2).reply(403);

  expect((await cli('users update b-2 --enable', { env: hotels })).exitCode).toBe(expected);
});

test('the command that settles reads the same input, and a name that looks like a flag stays a name', async () => {
  nock(IDENTITY).patch('/api/v1/identity/users/-b').reply(500);
  nock(IDENTITY).get('/api/v1/identity/users/-b').times(2).reply(403);

  const { exitCode, stderr } = await cli('users update --patch - -- -b', {
    env: hotels,
    stdin: '[{"op":"replace","path":"/enabled","value":true}]',
  });

  const told = stderr.slice(stderr.indexOf(' The command that'));
  expect({ exitCode, told }).toEqual({
    exitCode: 8,
    told: ' The command that settles it needs the same input.\nhint: innctl users update --patch - -- -b\n',
  });
});
