import nock from 'nock';
import { expect, test } from 'vitest';
import type { Connect, ConnectOptions } from '../../src/model/ports.ts';
import { WireFailure } from '../../src/service/retry.ts';
import { cli, hotels } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
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

/** A service that is silent for as long as it is waited for; and what the transport was opened with. */
function silent() {
  const opened: ConnectOptions[] = [];
  const connect: Connect = async (options) => {
    opened.push(options);
    return {
      request: async () => {
        throw new WireFailure('timeout', `${options.headTimeoutMs / 1000} s passed.`, { sent: true });
      },
      close: async () => {},
    };
  };
  return { connect, opened };
}

test.each<[string, Readonly<Record<string, string>>, number]>([
  ['', {}, 30_000],
  ['--timeout 90', {}, 90_000],
  ['', { INNCTL_TIMEOUT: '90.0005' }, 90_001],
])(
  'an answer is waited for as long as --timeout is (%j, %j), and the hint names it',
  async (flag, env, waitMs) => {
    const { connect, opened } = silent();

    const run = await cli(`roles list --max-attempts 1 ${flag}`, { env: { ...hotels, ...env }, connect });

    expect(opened.map(({ headTimeoutMs, idleTimeoutMs }) => [headTimeoutMs, idleTimeoutMs])).toEqual([
      [waitMs, waitMs],
    ]);
    expect(run).toEqual(
      ended(
        7,
        `error: Could not list the roles: ${waitMs / 1000} s passed.\nhint: Give more time with --timeout.\n`,
      ),
    );
  },
);

test('a list without pages that is too large names --max-body', async () => {
  const connect: Connect = async () => ({
    request: async ({ maxBytes }) => {
      throw new WireFailure('too-large', `more than ${maxBytes} bytes.`, { sent: true });
    },
    close: async () => {},
  });

  const { exitCode, stderr } = await cli('invitations list --json', { env: hotels, connect });

  expect({ exitCode, ...JSON.parse(stderr).error }).toMatchObject({ exitCode: 1, code: 'too_large' });
  expect(JSON.parse(stderr).error.hint).toBe('Accept more with --max-body.');
});
