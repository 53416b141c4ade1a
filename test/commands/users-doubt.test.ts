import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const IDENTITY = 'https://identity.example.com';
const BEN = '/api/v1/identity/users/b-2';

onlyIntercepted();

/** The service returns Ben with these fields, the given number of times. */
const showing = (fields: object, times = 1) =>
  nock(IDENTITY)
    .get(BEN)
    .times(times)
    .reply(200, { subjectId: 'b-2', ...fields });

/** The service expects exactly this patch of Ben and answers with the status. */
const patching = (body: readonly unknown[], status: number) =>
  nock(IDENTITY)
    .patch(BEN, (sent) => JSON.stringify(sent) === JSON.stringify(body))
    .reply(status);

const adding = (...value: readonly string[]) => [{ op: 'add', path: '/properties', value }];

describe('an update of properties whose outcome is unknown', () => {
  const line = 'users update b-2 --add-properties VIE';

  test('is merged with the current properties before the retry when it was not carried out', async () => {
    showing({ properties: ['BER'] });
    patching(adding('BER', 'VIE'), 500);
    showing({ properties: ['BER', 'MUC'] }, 3);
    patching(adding('BER', 'MUC', 'VIE'), 204);
    showing({ properties: ['BER', 'MUC', 'VIE'] });

    expect(await cli(line, { env: hotels })).toEqual(
      ended(
        0,
        'warning: Somebody else changed the properties of user b-2 meanwhile: BER, MUC, VIE are there now.\n' +
          'Updated user b-2: confirmed.\n',
      ),
    );
  });

  test('is not retried when all of the properties are present', async () => {
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

  test('exits with 8 when the user shows no properties any more', async () => {
    showing({ properties: ['BER'] });
    patching(adding('BER', 'VIE'), 500);
    showing({});

    expect(await cli(line, { env: hotels })).toEqual(
      ended(
        8,
        'error: Could not update the user: the answer gives no reason (500 from identity.example.com). ' +
          'The outcome is unknown: it may have been carried out.\n' +
          'hint: innctl users update b-2 --add-properties VIE\n',
      ),
    );
  });

  test.each<[string, readonly string[]]>([
    ['no properties', []],
    ['fewer properties than before', ['BER']],
    ['other properties', ['NEW']],
  ])('is not retried when the read shows %s', async (_, properties) => {
    showing({ properties: ['BER', 'MUC'] });
    patching(adding('BER', 'MUC', 'VIE'), 500);
    showing({ properties }, 3);

    expect((await cli(line, { env: hotels })).exitCode).toBe(8);
  });

  test('is retried when a later read shows the previous properties', async () => {
    showing({ properties: ['BER'] });
    patching(adding('BER', 'VIE'), 500);
    showing({ properties: [] }, 2);
    showing({ properties: ['BER'] });
    patching(adding('BER', 'VIE'), 204);
    showing({ properties: ['BER', 'VIE'] });

    expect(await cli(line, { env: hotels })).toEqual(ended(0, 'Updated user b-2: confirmed.\n'));
  });
});

describe('an update of properties that was not carried out', () => {
  const line = 'users update b-2 --add-properties VIE';
  const replying = (value: readonly string[], status: number, headers = {}) =>
    nock(IDENTITY)
      .patch(BEN, (sent) => JSON.stringify(sent) === JSON.stringify(adding(...value)))
      .reply(status, '', headers);

  test.each<[string, number, object]>([
    ['429', 429, {}],
    ['503 with Retry-After', 503, { 'retry-after': '1' }],
  ])('is merged with concurrent changes before the retry: %s', async (_, status, headers) => {
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
  });

  test('is merged before the retry also with --no-verify', async () => {
    showing({ properties: ['BER'] });
    replying(['BER', 'VIE'], 429);
    showing({ properties: ['BER', 'NEW'] });
    replying(['BER', 'NEW', 'VIE'], 204);

    expect(await cli(`${line} --no-verify`, { env: hotels })).toEqual(
      ended(
        0,
        'warning: Somebody else changed the properties of user b-2 meanwhile: BER, NEW, VIE were sent.\n' +
          'Updated user b-2.\n',
      ),
    );
  });

  test.each([[[]], [['NEW']]])(
    'is not retried when the read shows fewer properties: %j',
    async (properties) => {
      showing({ properties: ['BER'] });
      replying(['BER', 'VIE'], 429);
      showing({ properties });

      expect(await cli(line, { env: hotels })).toEqual(
        ended(
          6,
          'error: The record shows less than before the first attempt, which was not carried out; nothing was changed.\n' +
            'hint: Check the record, then run the command again.\n',
        ),
      );
    },
  );

  test('is not retried when another client added the properties', async () => {
    showing({ properties: ['BER'] });
    replying(['BER', 'VIE'], 429);
    showing({ properties: ['BER', 'MUC', 'VIE'] });

    expect(await cli(line, { env: hotels })).toEqual(
      ended(
        0,
        'warning: Somebody else changed the properties of user b-2 meanwhile: BER, MUC, VIE are there now.\n' +
          'User b-2 has all of the properties to be added already; nothing was changed.\n',
      ),
    );
  });

  test.each<[string, number, object, number]>([
    ['cannot be read any more', 403, {}, 5],
    ['shows no properties any more', 200, { subjectId: 'b-2' }, 6],
  ])('is not retried when the user %s', async (_, status, body, exitCode) => {
    showing({ properties: ['BER'] });
    replying(['BER', 'VIE'], 429);
    nock(IDENTITY).get(BEN).reply(status, body);

    expect((await cli(line, { env: hotels })).exitCode).toBe(exitCode);
  });
});

test.each([
  ['an empty body', 200, '', 8],
  ['null', 200, 'null', 8],
  ['a plain text body', 200, 'OK', 8],
  ['an object', 200, '{}', 0],
  ['an object with 202', 202, '{}', 0],
  ['204 No Content', 204, '', 0],
  ['HTML', 200, '<html>Please log in</html>', 8],
])('%s as the response to an update of a user who cannot be read', async (_, status, body, expected) => {
  nock(IDENTITY).patch(BEN).reply(status, body);
  nock(IDENTITY).get(BEN).times(2).reply(403);

  expect((await cli('users update b-2 --enable', { env: hotels })).exitCode).toBe(expected);
});

test('the hint says that it needs the same stdin and keeps -- before an id like a flag', async () => {
  nock(IDENTITY).patch('/api/v1/identity/users/-b').reply(500);
  nock(IDENTITY).get('/api/v1/identity/users/-b').times(2).reply(403);

  const { exitCode, stderr } = await cli('users update --patch - -- -b', {
    env: hotels,
    stdin: '[{"op":"replace","path":"/enabled","value":true}]',
  });

  const hint = stderr.slice(stderr.indexOf(' The command that'));
  expect({ exitCode, hint }).toEqual({
    exitCode: 8,
    hint: ' The command that settles it needs the same input.\nhint: innctl users update --patch - -- -b\n',
  });
});
