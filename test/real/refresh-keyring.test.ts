import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Keyring } from '../../src/model/ports.ts';
import { openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { startIdentity } from './identity.ts';
import { type KeyringSession, startKeyring } from './keyring.ts';
import { configOf, logAnaIn, storedOf } from './logged-in.ts';

beforeAll(() => setup(), 120_000);

const account = 'hotels';

/** The keyring of the session, as `secret-tool` reads and writes it. */
function keyringOf(session: KeyringSession): Keyring {
  return {
    read: (name) => session.lookup(name),
    write: (name, secret) => session.store(name, secret),
    remove: () => Promise.reject(new Error('nothing is removed here')),
  };
}

test.each([2, 8])(
  '%i concurrent processes with secrets in the keyring send one refresh token, once',
  async (count) => {
    await using identity = await startIdentity();
    await using session = await startKeyring();
    await using home = await openHome();
    const place = keyringOf(session);
    const login = await logAnaIn(home, identity, { expiresAt: 0, keyring: { place, account } });
    const before = await storedOf(home, place);

    const ended = await Promise.all(
      Array.from({ length: count }, () =>
        home.innctl(['properties', 'list', '-q'], { ...login, ...session.env }),
      ),
    );

    expect(ended.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(Array(count).fill([0, '']));
    expect(identity.refreshes()).toMatchObject([{ status: 200 }]);
    const { secrets } = await storedOf(home, place);
    expect(secrets.refresh_token).not.toBe(before.secrets.refresh_token);
    const file = readFileSync(join(configOf(home), 'credentials.json'), 'utf8');
    expect(file).not.toContain(secrets.refresh_token);
  },
);

test('a locked keyring is exit 4, and nothing is sent', async () => {
  await using identity = await startIdentity();
  await using session = await startKeyring();
  await using home = await openHome();
  const login = await logAnaIn(home, identity, {
    expiresAt: 0,
    keyring: { place: keyringOf(session), account },
  });
  await session.lock();

  const ended = await home.innctl(['properties', 'list', '--json'], { ...login, ...session.env });

  expect([ended.exitCode, JSON.parse(ended.stderr).error.code]).toEqual([4, 'keyring_unavailable']);
  expect(identity.refreshes()).toEqual([]);
});
