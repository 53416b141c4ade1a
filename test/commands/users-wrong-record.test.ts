import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { cli, hotels, IDENTITY } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

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

      expect(await cli(line, { env: hotels })).toEqual(
        ended(
          1,
          'error: Could not get the user: the service\'s answer is not about "b-2": it shows "a-1" (200 from identity.example.com).\n',
        ),
      );
    },
  );
});
