import nock from 'nock';
import { expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

onlyIntercepted();

test.each([
  ['the last try was made', '--max-attempts 1', '1', 'allow more tries with --max-attempts'],
  ['there is no time for it', '--timeout 5', '60', 'give more time with --timeout'],
])(
  'where the service asks to try later and %s, the hint is what helps',
  async (_, flag, retryAfter, advice) => {
    nock(hotels.INNCTL_IDENTITY_URL).get('/api/v1/roles').reply(429, '', { 'retry-after': retryAfter });

    const { exitCode, stderr } = await cli(`roles list --json ${flag}`, { env: hotels });

    expect({ exitCode, hint: JSON.parse(stderr).error.hint }).toEqual({
      exitCode: 7,
      hint: `Try again then, or ${advice}.`,
    });
  },
);
