import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemKeyring } from '../../src/auth/keyring.ts';
import { listen } from '../helpers/servers.ts';
import { startKeyring } from './keyring.ts';

type Environment = Readonly<Record<string, string>>;

const keyringIn = (env: Environment) =>
  systemKeyring({
    execPath: process.execPath,
    platform: process.platform,
    env: { PATH: process.env['PATH'], ...env },
  });

/** How each of the three calls ends. */
async function endings(env: Environment) {
  const keyring = keyringIn(env);
  const calls = [keyring.read('ana'), keyring.write('ana', 'secret-of-ana'), keyring.remove('ana')];
  return Promise.all(
    calls.map((call) => call.then(String, ({ trouble, message }) => `${trouble}: ${message}`)),
  );
}

const thrice = (ending: string) => [ending, ending, ending];

describe('an open keyring', () => {
  test('what innctl writes, secret-tool reads, and the other way round', async () => {
    await using session = await startKeyring();
    const keyring = keyringIn(session.env);

    await keyring.write('ana', 'of innctl');
    await session.store('ben', 'of secret-tool');

    expect(await session.lookup('ana')).toBe('of innctl');
    expect(await keyring.read('ben')).toBe('of secret-tool');
    const found = await session.search();
    // In whichever order it finds them.
    expect(found.match(/secret = .*/g)?.toSorted()).toEqual([
      'secret = of innctl',
      'secret = of secret-tool',
    ]);
    expect(found.match(/attribute\.username = .*/g)?.toSorted()).toEqual([
      'attribute.username = ana',
      'attribute.username = ben',
    ]);
  });

  test('each side replaces and removes what the other wrote, and there is one entry of an account', async () => {
    await using session = await startKeyring();
    const keyring = keyringIn(session.env);

    await session.store('ana', 'first');
    await keyring.write('ana', 'second');
    const replaced = await session.search();
    await session.store('ana', 'third');
    const read = await keyring.read('ana');
    await keyring.remove('ana');

    expect(replaced.match(/secret = .*/g)).toEqual(['secret = second']);
    expect(read).toBe('third');
    expect(await session.lookup('ana')).toBe(undefined);
    expect(await session.search()).toBe('');
  });

  test('an account that is not there reads as nothing, and can be removed', async () => {
    await using session = await startKeyring();
    const keyring = keyringIn(session.env);

    await keyring.remove('ana');

    expect(await keyring.read('ana')).toBe(undefined);
  });

  test.each([
    { what: 'letters of all planes', secret: 'ä€😀\u{10ffff}\u0301 \u202e' },
    { what: 'lines and quotes', secret: '{"a":"b"}\r\n\'$(id)`\\' },
    { what: 'NUL', secret: 'a\0b' },
    { what: 'a single letter', secret: 'x' },
    { what: 'nothing', secret: '' },
    { what: '64 KiB', secret: '€'.repeat(21_846) },
    { what: '1 MiB', secret: 'a'.repeat(1_048_576) },
  ])('a secret of $what comes back as it was', async ({ secret }) => {
    await using session = await startKeyring();
    const keyring = keyringIn(session.env);

    await keyring.write('ana', secret);

    expect((await keyring.read('ana')) === secret).toBe(true);
  });

  test.each(['', 'ana in /home/ana/.config/a b', 'änä "x" $(id)\n', 'long '.repeat(800)])(
    'the account %j has a secret of its own',
    async (account) => {
      await using session = await startKeyring();
      const keyring = keyringIn(session.env);

      await keyring.write('ana', 'other');
      await keyring.write(account, 'own');

      expect([await keyring.read(account), await keyring.read('ana')]).toEqual(['own', 'other']);
      await keyring.remove(account);
      expect([await keyring.read(account), await keyring.read('ana')]).toEqual([undefined, 'other']);
    },
  );
});

describe('an entry that is not as innctl writes it', () => {
  test('of which there are two: which one is meant, nobody knows', async () => {
    await using session = await startKeyring();
    await session.store('ana', 'secret-one', 'colour', 'red');
    await session.store('ana', 'secret-two', 'colour', 'blue');

    expect(await endings(session.env)).toEqual(
      thrice('refused: has several entries of innctl for the same account'),
    );
    expect((await session.search()).match(/secret = .*/g)).toHaveLength(2);
  });

  test('that is not text: its bytes are not told, and it can be replaced', async () => {
    await using session = await startKeyring();
    await session.store('ana', Buffer.from('secret-\xff', 'latin1'));
    const keyring = keyringIn(session.env);

    await expect(keyring.read('ana')).rejects.toMatchObject({
      trouble: 'refused',
      message: 'contains an entry for this account that is not text',
    });
    await keyring.write('ana', 'a text');
    expect(await keyring.read('ana')).toBe('a text');
  });
});

describe('a keyring that cannot be used', () => {
  test.each([
    { where: 'without an address', env: {} },
    { where: 'at an address that is none', env: { DBUS_SESSION_BUS_ADDRESS: 'nonsense' } },
    { where: 'at a socket that is not there', env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' } },
    {
      where: 'at a port where nobody listens',
      env: { DBUS_SESSION_BUS_ADDRESS: 'tcp:host=127.0.0.1,port=1' },
    },
  ])('a bus $where', async ({ env }) => {
    expect(await endings(env)).toEqual(thrice('missing: cannot be reached over the session bus (D-Bus)'));
  });

  test('a bus without a Secret Service', async () => {
    await using session = await startKeyring('absent');

    expect(await endings(session.env)).toEqual(
      thrice('missing: cannot be reached: no program here keeps secrets for the session (Secret Service)'),
    );
  });

  test('a Secret Service without a collection', async () => {
    await using session = await startKeyring('empty');
    const keyring = keyringIn(session.env);

    expect(await keyring.read('ana')).toBe(undefined);
    await expect(keyring.write('ana', 'secret-of-ana')).rejects.toMatchObject({
      trouble: 'missing',
      message: 'has no collection that could hold a secret',
    });
  });

  // On a busy machine gnome-keyring may take longer than the 3 s that innctl waits before it says so.
  test('a collection that is locked', { retry: 1 }, async () => {
    await using session = await startKeyring();
    await keyringIn(session.env).write('ana', 'secret-of-ana');

    await session.lock();

    expect(await endings(session.env)).toEqual(thrice('locked: is locked'));
  });

  test('a service that hangs', async () => {
    await using session = await startKeyring();

    session.hang();

    expect(await endings(session.env)).toEqual(thrice('silent: did not answer within 3 s'));
  });

  test('a bus that takes the connection and never says a word', async () => {
    await using bus = await listen(createServer());
    const DBUS_SESSION_BUS_ADDRESS = `tcp:host=127.0.0.1,port=${bus.port}`;

    expect(await endings({ DBUS_SESSION_BUS_ADDRESS })).toEqual(thrice('silent: did not answer within 3 s'));
  });

  test('a bus that lets nobody through to it', async () => {
    await using session = await startKeyring(
      'empty',
      '<policy context="mandatory"><deny send_destination="org.freedesktop.secrets"/></policy>',
    );

    expect(await endings(session.env)).toEqual(thrice('refused: does not let innctl in'));
  });

  test.each([
    {
      what: 'does not start',
      program: '/bin/false',
      endings: thrice(
        'missing: cannot be reached: no program here keeps secrets for the session (Secret Service)',
      ),
    },
    {
      what: 'starts and is none',
      program: '/bin/true',
      endings: thrice('silent: did not answer within 3 s'),
    },
    {
      what: 'nobody has unlocked',
      program: '/usr/bin/gnome-keyring-daemon --start --foreground --components=secrets',
      endings: ['undefined', 'missing: has no collection that could hold a secret', 'undefined'],
    },
  ])('a service that the bus starts and that $what', async ({ program, endings: wanted }) => {
    const folder = await mkdtemp(join(tmpdir(), 'innctl-services-'));
    await writeFile(
      join(folder, 'secrets.service'),
      `[D-BUS Service]\nName=org.freedesktop.secrets\nExec=${program}\n`,
    );
    await using session = await startKeyring('absent', `<servicedir>${folder}</servicedir>`);

    const ended = await endings(session.env);
    await rm(folder, { recursive: true });

    expect(ended).toEqual(wanted);
  });
});
