import { expect, test } from 'vitest';
import { bearerCredentials } from '../../src/auth/credentials.ts';
import { calm } from './chain.ts';

test('a given token is sent as it is and cannot be renewed', async () => {
  const credentials = bearerCredentials('ey.J-_~+/=', 'INNCTL_TOKEN');

  const token = await credentials.current(calm());

  expect(token).toEqual({ header: 'Bearer ey.J-_~+/=', generation: 1 });
  expect(await credentials.renew(token, calm())).toBeUndefined();
  expect(credentials).toMatchObject({ source: 'INNCTL_TOKEN', grant: 'token' });
});

test.each([
  ['', 'is empty'],
  ['Bearer abc', 'holds blanks, line breaks or characters outside ASCII'],
  ['abc\n', 'holds blanks, line breaks or characters outside ASCII'],
  ['abc\r\nx-evil: 1', 'holds blanks, line breaks or characters outside ASCII'],
  ['tökén', 'holds blanks, line breaks or characters outside ASCII'],
  ['a\u007f', 'holds blanks, line breaks or characters outside ASCII'],
])('the token %j is refused without being shown', (token, reason) => {
  expect(() => bearerCredentials(token, 'INNCTL_TOKEN')).toThrow(
    expect.objectContaining({ exitCode: 2, message: `The token of INNCTL_TOKEN ${reason}.` }),
  );
});
