import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const IDENTITY = 'https://identity.example.com';
const BEN = '/api/v1/identity/users/b-2';

onlyIntercepted();

/** The service answers requests for Ben with these fields, the given number of times. */
const showing = (fields: object, times = 1) => nock(IDENTITY).get(BEN).times(times).reply(200, fields);

describe('a record of another user', () => {
  const ana = { subjectId: 'a-1', email: 'ana@example.com', enabled: true, properties: ['VIE'] };

  test.each(['users update b-2 --add-properties BER', 'users update b-2 --enable', 'users get b-2'])(
    'is rejected: %s',
    async (line) => {
      showing(ana, 5);

      expect(await cli(line, { env: hotels })).toEqual({
        exitCode: 1,
        stdout: '',
        stderr:
          'error: Could not get the user: the service\'s answer is not about "b-2": it shows "a-1" (200 from identity.example.com).\n',
      });
    },
  );
});

describe('the warning that add at /properties replaces all properties', () => {
  const warning =
    'warning: The operation add at /properties replaces all properties of the user: --add-properties keeps the others.\n';
  const patching = () => {
    showing({ subjectId: 'b-2', properties: [] });
    nock(IDENTITY).patch(BEN).reply(204);
  };
  const step = { op: 'add', path: '/properties', value: ['VIE'] };

  test.each([
    [
      'a patch on the command line',
      `users update b-2 --no-verify --patch '[{"op":"add","path":"/properties","value":["VIE"]}]'`,
      undefined,
    ],
    ['--patch', 'users update b-2 --no-verify --patch -', JSON.stringify([step])],
    [
      'other letters',
      `users update b-2 --no-verify --patch '[{"op":"add","path":"/Properties","value":[]}]'`,
      undefined,
    ],
  ])('is printed for %s', async (_, line, stdin) => {
    patching();

    expect(await cli(line, { env: hotels, ...(stdin === undefined ? {} : { stdin }) })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `${warning}Updated user b-2.\n`,
    });
  });

  test.each([
    `users update b-2 --no-verify --patch '[{"op":"replace","path":"/properties","value":["VIE"]}]'`,
    `users update b-2 --no-verify --patch '[{"op":"add","path":"/properties/-","value":"VIE"}]'`,
    'users update b-2 --no-verify --set-properties VIE',
  ])('is not printed for %s', async (line) => {
    patching();

    expect((await cli(line, { env: hotels })).stderr).toBe('Updated user b-2.\n');
  });
});
