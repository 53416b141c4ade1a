import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const BEN = '/api/v1/identity/users/b-2';

onlyIntercepted();

/** The service returns Ben with these fields, the given number of times. */
const showing = (fields: object, times = 1) =>
  nock(IDENTITY)
    .get(BEN)
    .times(times)
    .reply(200, { subjectId: 'b-2', ...fields });

const adding = (...value: readonly string[]) => [{ op: 'add', path: '/properties', value }];

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
});

test('the hint says that it needs the same stdin and keeps -- before an id like a flag', async () => {
  nock(IDENTITY).patch('/api/v1/identity/users/-b').reply(500);
  nock(IDENTITY).get('/api/v1/identity/users/-b').reply(403);

  const { exitCode, stderr } = await cli('users update --no-verify --patch - -- -b', {
    env: hotels,
    stdin: '[{"op":"replace","path":"/enabled","value":true}]',
  });

  const hint = stderr.slice(stderr.indexOf(' The command that'));
  expect({ exitCode, hint }).toEqual({
    exitCode: 8,
    hint: ' The command that settles it needs the same input.\nhint: innctl users update --no-verify --patch - -- -b\n',
  });
});
