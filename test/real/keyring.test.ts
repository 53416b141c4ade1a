import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemKeyring } from '../../src/auth/keyring.ts';
import { listen } from '../helpers/servers.ts';
import { startKeyring } from './keyring.ts';

type Environment = Readonly<Record<string, string>>;

/** The keyring of a process in this environment. */
function openKeyring(env: Environment) {
  const { execPath, platform } = process;
  return systemKeyring({ execPath, platform, env: { PATH: process.env['PATH'], ...env } });
}

/** The results of reading, writing and removing. */
async function outcomes(env: Environment) {
  const keyring = openKeyring(env);
  const calls = [keyring.read('ana'), keyring.write('ana', 'secret-of-ana'), keyring.remove('ana')];
  return await Promise.all(calls.map((call) => call.then(String, ({ message }) => message)));
}

const thrice = (ending: string) => [ending, ending, ending];

describe('an unlocked keyring', () => {
  test('innctl and secret-tool read the entries of each other', async () => {
    await using session = await startKeyring();
    const keyring = openKeyring(session.env);

    await keyring.write('ana', 'of innctl');
    await session.store('ben', 'of secret-tool');

    expect(await session.lookup('ana')).toBe('of innctl');
    expect(await keyring.read('ben')).toBe('of secret-tool');
    const found = await session.search();
    // The order of the entries is not defined.
    expect(found.match(/secret = .*/g)?.toSorted()).toEqual([
      'secret = of innctl',
      'secret = of secret-tool',
    ]);
    expect(found.match(/attribute\.username = .*/g)?.toSorted()).toEqual([
      'attribute.username = ana',
      'attribute.username = ben',
    ]);
  });

  test('innctl and secret-tool replace the same entry, and innctl removes it', async () => {
    await using session = await startKeyring();
    const keyring = openKeyring(session.env);

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

  test.each([
    { what: 'characters of all Unicode planes', secret: 'ä€😀\u{10ffff}\u0301 \u202e' },
    { what: 'NUL', secret: 'a\0b' },
    { what: 'no characters', secret: '' },
    { what: '1 MiB', secret: 'a'.repeat(1_048_576) },
  ])('a secret of $what is read back unchanged', async ({ secret }) => {
    await using session = await startKeyring();
    const keyring = openKeyring(session.env);

    await keyring.write('ana', secret);

    expect((await keyring.read('ana')) === secret).toBe(true);
  });

  test.each(['ana in /home/ana/.config/a b', 'änä "x" $(id)\n'])(
    'the account %j has a separate secret',
    async (account) => {
      await using session = await startKeyring();
      const keyring = openKeyring(session.env);

      await keyring.write('ana', 'other');
      await keyring.write(account, 'own');

      expect([await keyring.read(account), await keyring.read('ana')]).toEqual(['own', 'other']);
      await keyring.remove(account);
      expect([await keyring.read(account), await keyring.read('ana')]).toEqual([undefined, 'other']);
    },
  );
});

describe('an entry that innctl did not write', () => {
  test('two entries of one account are rejected as ambiguous', async () => {
    await using session = await startKeyring();
    await session.store('ana', 'secret-one', 'colour', 'red');
    await session.store('ana', 'secret-two', 'colour', 'blue');

    expect(await outcomes(session.env)).toEqual(thrice('refused the call'));
    expect((await session.search()).match(/secret = .*/g)).toHaveLength(2);
  });

  test('an entry that is not text is reported without its bytes, and can be replaced', async () => {
    await using session = await startKeyring();
    await session.store('ana', Buffer.from('secret-\xff', 'latin1'));
    const keyring = openKeyring(session.env);

    await expect(keyring.read('ana')).rejects.toMatchObject({
      message: 'refused the call',
    });
    await keyring.write('ana', 'a text');
    expect(await keyring.read('ana')).toBe('a text');
  });
});

describe('a keyring that cannot be used', () => {
  test.each([
    { where: 'without an address', env: {} },
    {
      where: 'at a closed port',
      env: { DBUS_SESSION_BUS_ADDRESS: 'tcp:host=127.0.0.1,port=1' },
    },
  ])('a bus $where', async ({ env }) => {
    expect(await outcomes(env)).toEqual(thrice('cannot be reached over the session bus (D-Bus)'));
  });

  test('a bus without a Secret Service', async () => {
    await using session = await startKeyring('absent');

    expect(await outcomes(session.env)).toEqual(
      thrice('cannot be reached: no program here keeps secrets for the session (Secret Service)'),
    );
  });

  test('a Secret Service without a collection', async () => {
    await using session = await startKeyring('empty');
    const keyring = openKeyring(session.env);

    expect(await keyring.read('ana')).toBe(undefined);
    await expect(keyring.write('ana', 'secret-of-ana')).rejects.toMatchObject({
      message: 'has no collection that could hold a secret',
    });
  });

  // On a busy machine gnome-keyring may take longer to answer than the 3 s that innctl waits.
  test('a collection that is locked', { retry: 1 }, async () => {
    await using session = await startKeyring();
    const keyring = openKeyring(session.env);
    await keyring.write('ana', 'secret-of-ana');

    await session.lock();

    expect(await outcomes(session.env)).toEqual(thrice('is locked'));
  });

  test('a collection that is locked, with a prompt that nobody answers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'innctl-services-'));
    await writeFile(
      join(folder, 'prompter.service'),
      '[D-BUS Service]\nName=org.gnome.keyring.SystemPrompter\nExec=/bin/sleep 60\n',
    );
    await using session = await startKeyring('unlocked', `<servicedir>${folder}</servicedir>`);
    await session.store('ana', 'secret-of-ana');
    await session.lock();

    const ended = await outcomes(session.env);
    await rm(folder, { recursive: true });

    expect(ended).toEqual(thrice('did not answer within 3 s'));
  });

  test('a service that hangs', async () => {
    await using session = await startKeyring();

    session.hang();

    expect(await outcomes(session.env)).toEqual(thrice('did not answer within 3 s'));
  });

  test('a bus that accepts the connection and never answers', async () => {
    await using bus = await listen(createServer());
    const DBUS_SESSION_BUS_ADDRESS = `tcp:host=127.0.0.1,port=${bus.port}`;

    expect(await outcomes({ DBUS_SESSION_BUS_ADDRESS })).toEqual(thrice('did not answer within 3 s'));
  });

  test('a bus whose policy denies access to the Secret Service', async () => {
    await using session = await startKeyring(
      'empty',
      '<policy context="mandatory"><deny send_destination="org.freedesktop.secrets"/></policy>',
    );

    expect(await outcomes(session.env)).toEqual(thrice('does not let innctl in'));
  });

  test.each([
    {
      what: 'starts and is not a Secret Service',
      program: '/bin/true',
      outcomes: thrice('did not answer within 3 s'),
    },
    {
      what: 'is not unlocked',
      program: '/usr/bin/gnome-keyring-daemon --start --foreground --components=secrets',
      outcomes: ['undefined', 'has no collection that could hold a secret', 'undefined'],
    },
  ])('a service activated by the bus that $what', async ({ program, outcomes: wanted }) => {
    const folder = await mkdtemp(join(tmpdir(), 'innctl-services-'));
    await writeFile(
      join(folder, 'secrets.service'),
      `[D-BUS Service]\nName=org.freedesktop.secrets\nExec=${program}\n`,
    );
    await using session = await startKeyring('absent', `<servicedir>${folder}</servicedir>`);

    const ended = await outcomes(session.env);
    await rm(folder, { recursive: true });

    expect(ended).toEqual(wanted);
  });
});
