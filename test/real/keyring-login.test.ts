import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { binary, type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { listen } from '../helpers/servers.ts';
import { keys, openTerminal } from '../helpers/terminal.ts';
import { type KeyringSession, type KeyringState, startKeyring } from './keyring.ts';

beforeAll(setup);

const noService = 'cannot be reached: no program here keeps secrets for the session (Secret Service)';

/** A home, a session with a keyring, and a service with a token. */
interface Place extends AsyncDisposable {
  readonly home: Home;
  readonly session: KeyringSession;
  readonly service: Sandbox;
}

async function openPlace(state: KeyringState = 'unlocked'): Promise<Place> {
  const home = await openHome();
  const session = await startKeyring(state);
  const service = await startSandbox({ folder: join(home.folder, 'sandbox'), now: Date.now });
  return {
    home,
    session,
    service,
    async [Symbol.asyncDispose]() {
      await service.close();
      await session[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

type Environment = Readonly<Record<string, string>>;

/** `printf token | innctl login --with-token`. */
async function logIn({ home, session, service }: Place, env: Environment = session.env, ...flags: string[]) {
  const urls = ['--identity-url', service.url, '--base-url', service.url];
  return traced(
    home,
    ['login', '--with-token', '-p', 'chain', ...urls, '--debug', ...flags],
    env,
    service.token,
  );
}

/** Runs innctl. @returns also the arguments of every process that it starts. */
async function traced(home: Home, words: readonly string[], env: Environment, input = '') {
  const trace = join(home.folder, 'trace');
  const strace = ['strace', '-f', '-qq', '-s', '65536', '-e', 'trace=execve', '-o', trace];
  const ended = await home.run([...strace, process.execPath, binary, ...words], {
    env,
    stdio: 'pipe',
    started: (child) => child.stdin?.end(input),
  });
  return { ...ended, started: await readFile(trace, 'utf8') };
}

/** All files of the home, except those of the service. */
async function filesOf({ folder }: Home): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const own = paths.filter((path) => !path.startsWith(join(folder, 'sandbox')));
  const texts = await Promise.all(own.map(async (path) => `${path}\n${await readFile(path, 'latin1')}`));
  return texts.join('\n');
}

const sentenceOf = (stderr: string) => /^error: (.*)$/m.exec(stderr)?.[1];

describe('a login with the keyring', () => {
  test('stores the token only in the keyring, where secret-tool finds it', async () => {
    await using place = await openPlace();
    const { home, session, service } = place;

    const loggedIn = await logIn(place);
    const me = await traced(home, ['users', 'me', '--debug'], session.env);
    const invited = await traced(
      home,
      ['apply', '-', '--yes', '--debug'],
      session.env,
      'email,role,properties\nmia@example.com,Housekeeping,BER\n',
    );

    expect([loggedIn, me, invited].map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(loggedIn.stderr).toContain('Logged in as Ana Lindner (ana@aurora.example)');
    expect(await session.lookup('chain')).toBe(JSON.stringify({ token: service.token }));
    const files = await filesOf(home);
    expect(files).toContain('.config/innctl/credentials.json\n');
    expect(files).toMatch(/mia@example\.com/);
    const shown = [loggedIn, me, invited].flatMap(({ stdout, stderr, started }) => [stdout, stderr, started]);
    for (const text of [files, ...shown]) expect(text).not.toContain(service.token);
  });
});

describe('an unusable keyring at login', () => {
  test.each([
    { where: 'without a Secret Service', state: 'absent', reason: noService },
    { where: 'that is locked', state: 'locked', reason: 'is locked' },
  ] as const)(
    'a login with a keyring $where is exit 11, sends nothing and stores nothing',
    async ({ state, reason }) => {
      await using place = await openPlace(state);

      const { exitCode, stdout, stderr } = await logIn(place);

      expect({ exitCode, stdout, sentence: sentenceOf(stderr) }).toEqual({
        exitCode: 11,
        stdout: '',
        sentence: `The keyring of this system ${reason}. Storing secrets in a file instead requires consent.`,
      });
      expect(stderr).toContain('--insecure-storage');
      expect(stderr).not.toContain('debug: >');
      expect(await filesOf(place.home)).not.toMatch(/credentials\.json|config\.json/);
    },
  );

  test('--insecure-storage stores the token in a file with mode 0600, and does not access the keyring', async () => {
    await using place = await openPlace('locked');
    const { home, session, service } = place;

    const loggedIn = await logIn(place, session.env, '--insecure-storage');
    const me = await home.innctl(['users', 'me'], session.env);

    const path = join(home.folder, '.config/innctl/credentials.json');
    expect([loggedIn.exitCode, me.exitCode]).toEqual([0, 0]);
    expect(loggedIn.started).not.toContain('AsyncEntry');
    expect(await readFile(path, 'utf8')).toContain(service.token);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });
});

test('^C ends waiting for a silent bus at once', async () => {
  await using place = await openPlace();
  await logIn(place);
  const server = createServer();
  const connected = once(server, 'connection');
  await using bus = await listen(server);
  using terminal = openTerminal([process.execPath, binary, 'users', 'me'], {
    cwd: place.home.folder,
    env: { ...place.home.env, DBUS_SESSION_BUS_ADDRESS: `tcp:host=127.0.0.1,port=${bus.port}` },
  });

  await connected;
  terminal.types(keys.ctrlC);

  const { exitCode, screen } = await terminal.leaves();
  expect(exitCode).toBe(130);
  expect(screen).not.toContain('keyring');
});
