import { beforeEach, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { freshFolder } from '../sandbox/harness.ts';

let folder = '';

beforeEach(async () => {
  folder = await freshFolder();
});

/** The program over undici, with a state folder per test. */
const innctl = (line: string | readonly string[], situation: Situation = {}) =>
  cli(line, { folder, connect: connectUndici, ...situation });

const emails = async () => {
  const { items } = JSON.parse((await innctl('--sandbox invitations list --all --json')).stdout);
  return items.map(({ email }: { email: string }) => email);
};

test('the first command of a new installation invites a housekeeper', async () => {
  const invited = await innctl(
    '--sandbox invite create ana@example.com --role Housekeeping --properties BER',
  );

  expect(invited).toEqual(ended(0, 'Invited ana@example.com.\n'));
  expect(await emails()).toContain('ana@example.com');
});

test('an unreachable service is one error line with a hint', async () => {
  const env = {
    INNCTL_IDENTITY_URL: 'http://127.0.0.1:9',
    INNCTL_BASE_URL: 'http://127.0.0.1:9',
    INNCTL_TOKEN: 'abc',
  };

  const listed = await innctl('properties list --max-attempts 2', { env });

  expect(listed).toEqual(
    ended(
      7,
      'error: Could not list the properties: 127.0.0.1:9 refused the connection.\n' +
        'hint: Check the address (innctl config list), or try again later.\n',
    ),
  );
});
