import nock from 'nock';
import { expect, test } from 'vitest';
import { cli, hotels } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

onlyIntercepted();

test.each([
  ['no attempt is left', '--max-attempts 1', '1', 'allow more tries with --max-attempts'],
  ['the time is too short', '--timeout 5', '60', 'give more time with --timeout'],
])('the hint after Retry-After names the flag that helps: %s', async (_, flag, retryAfter, advice) => {
  nock(hotels.INNCTL_IDENTITY_URL).get('/api/v1/roles').reply(429, '', { 'retry-after': retryAfter });

  const { exitCode, stderr } = await cli(`roles list --json ${flag}`, { env: hotels });

  expect({ exitCode, hint: JSON.parse(stderr).error.hint }).toEqual({
    exitCode: 7,
    hint: `Try again then, or ${advice}.`,
  });
});
