import { expect, test } from 'vitest';
import { bearerCredentials, deferred } from '../../src/auth/credentials.ts';
import { neverAborted } from './chain.ts';

test('a given token is sent unchanged and cannot be renewed', async () => {
  const credentials = bearerCredentials('ey.J-_~+/=', 'INNCTL_TOKEN');

  const token = await credentials.current(neverAborted());

  expect(token).toEqual({ header: 'Bearer ey.J-_~+/=', generation: 1 });
  expect(await credentials.renew(token, neverAborted())).toBeUndefined();
  expect(credentials).toMatchObject({ source: 'INNCTL_TOKEN', grant: 'token' });
});

test.each([
  ['', 'is empty'],
  ['Bearer abc', 'holds blanks, line breaks or characters outside ASCII'],
  ['abc\r\nx-evil: 1', 'holds blanks, line breaks or characters outside ASCII'],
  ['tökén', 'holds blanks, line breaks or characters outside ASCII'],
])('the token %j is rejected without being shown', (token, reason) => {
  expect(() => bearerCredentials(token, 'INNCTL_TOKEN')).toThrow(
    expect.objectContaining({ exitCode: 2, message: `The token of INNCTL_TOKEN ${reason}.` }),
  );
});

test('an aborted caller stops waiting for the credentials to open; the others continue', async () => {
  let open = (_: ReturnType<typeof bearerCredentials>) => {};
  let openings = 0;
  const credentials = deferred('profile chain', 'token', () => {
    openings += 1;
    return new Promise((resolve) => {
      open = resolve;
    });
  });
  const stop = new AbortController();

  const leaving = credentials.current(stop.signal);
  const staying = credentials.current(neverAborted());
  stop.abort(new Error('interrupted'));
  await expect(leaving).rejects.toThrow('interrupted');
  open(bearerCredentials('token-of-ana', 'profile chain'));

  expect((await staying).header).toBe('Bearer token-of-ana');
  expect((await credentials.current(neverAborted())).header).toBe('Bearer token-of-ana');
  expect(openings).toBe(1);
});
