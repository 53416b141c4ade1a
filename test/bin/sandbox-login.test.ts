import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closedPort } from '../helpers/servers.ts';
import { decideAt } from '../sandbox/logins.ts';
import { binary, type Ended, type Home, openHome, root } from './home.ts';

const [, , section = ''] =
  /^(## Rehearse a login in the sandbox)$(.*?)^## /ms.exec(
    readFileSync(join(root, 'docs/login.md'), 'utf8'),
  ) ?? [];

/** The lines of docs/login.md that rehearse a login, as words. */
const [serving = [], ...typed] = [...section.matchAll(/^innctl (.*)$/gm)].map(([, words = '']) =>
  words.split(' '),
);

/** Starts a line; `shown` resolves with what its stdout and stderr show first of a pattern. */
function start(home: Home, words: readonly string[]) {
  let child: ChildProcess | undefined;
  let text = '';
  const listeners = new Set<() => void>();
  const ended: Promise<Ended> = home.run([process.execPath, binary, ...words], {
    started: (process) => {
      child = process;
      for (const stream of [process.stdout, process.stderr])
        stream?.on('data', (part) => {
          text += part;
          for (const listener of listeners) listener();
        });
    },
  });
  const shown = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      };
      listeners.add(look);
      look();
      ended.then(({ stderr }) => reject(new Error(`It ended: ${stderr}`)), reject);
    });
  return { ended, shown, stop: () => child?.kill('SIGINT') };
}

/** Off a terminal and without a keyring a line has to say more. */
const more = (words: readonly string[]) => {
  if (words[0] !== 'login') return [];
  return ['--insecure-storage', ...(words.includes('--device') ? [] : ['--web'])];
};

/** Serves the sandbox as docs/login.md says, on a free port. */
async function serve(home: Home, extra: readonly string[] = []) {
  const port = String(await closedPort());
  const onPort = (words: readonly string[]) => words.map((word) => word.replace('8080', port));
  const server = start(home, [...onPort(serving), ...extra]);
  const url = await server.shown(/^identity_url\t(\S+)$/m);
  return {
    url,
    /** The typed line that begins with these words. */
    line: (...words: readonly string[]) => {
      const found = typed.find((each) => words.every((word) => each.includes(word)));
      if (found === undefined) throw new Error(`docs/login.md has no line with ${words.join(' ')}`);
      return [...onPort(found), ...more(found)];
    },
    async [Symbol.asyncDispose]() {
      server.stop();
      expect((await server.ended).exitCode).toBe(0);
    },
  };
}

function stored(home: Home): string {
  return readFileSync(join(home.folder, '.config/innctl/credentials.json'), 'utf8');
}

const PAGE = /^ {2}(http\S+)$/m;

test('the lines of docs/login.md log in, show the user, refresh, and log out', async () => {
  await using home = await openHome();
  await using sandbox = await serve(home, ['--token-life', '2']);

  const login = start(home, sandbox.line('login', '--client-id'));
  const { back } = await decideAt(await login.shown(PAGE), 'clara@aurora.example');
  const final = await fetch(back ?? '');
  expect(await final.text()).toContain('You are logged in');
  expect(await login.ended).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('Logged in as Clara Vogel (clara@aurora.example)'),
  });
  const before = JSON.parse(stored(home)).profiles.rehearsal;
  const whoami = await home.innctl([...sandbox.line('whoami'), '--json']);
  expect([whoami.exitCode, JSON.parse(whoami.stdout)]).toMatchObject([0, { email: 'clara@aurora.example' }]);

  // The token lives for two seconds.
  await expect.poll(() => Date.now() > before.login.expires_at, { timeout: 10_000 }).toBe(true);
  const list = await home.innctl([...sandbox.line('users', 'list'), '-q']);
  expect([list.exitCode, list.stderr]).toEqual([0, '']);
  expect(JSON.parse(stored(home)).profiles.rehearsal.login.expires_at).toBeGreaterThan(
    before.login.expires_at,
  );

  expect(await home.innctl(sandbox.line('logout'))).toMatchObject({
    exitCode: 0,
    stderr: 'Logged out of profile rehearsal.\n',
  });
  expect(await home.innctl(sandbox.line('profiles', 'remove'))).toMatchObject({ exitCode: 0 });
});

test('a code logs in as the person who was chosen, and logs nobody in when it is denied', async () => {
  await using home = await openHome();
  await using sandbox = await serve(home);
  const where = ['--identity-url', sandbox.url, '--base-url', sandbox.url, '--client-id', 'sandbox'];
  const begin = async (words: readonly string[], decision: string) => {
    const login = start(home, [...sandbox.line('login', '--device'), ...words]);
    const page = await login.shown(/^ {2}(http\S+user_code=\S+)$/m);
    await decideAt(page, 'ben@aurora.example', decision);
    return login.ended;
  };

  const allowed = await begin(where, 'allow');
  // As docs/login.md has it, for a profile that exists.
  const denied = await begin([], 'deny');

  expect(allowed).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('Logged in as Ben Schuster (ben@aurora.example)'),
  });
  expect(denied).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('access_denied') });
  expect(await home.innctl(sandbox.line('whoami'))).toMatchObject({ exitCode: 0 });
});

/** Logs Clara in with the browser. */
async function logIn(home: Home, line: readonly string[]): Promise<Ended> {
  const login = start(home, line);
  const { back } = await decideAt(await login.shown(PAGE), 'clara@aurora.example');
  await fetch(back ?? '');
  return login.ended;
}

test('the lost answer to a refresh can be rehearsed', async () => {
  await using home = await openHome();
  await using sandbox = await serve(home, [
    '--token-life',
    '1',
    '--fault',
    'drop-after:operation=token,nth=2',
  ]);
  await logIn(home, sandbox.line('login', '--client-id'));
  const [, expiresAt = ''] = /"expires_at": (\d+)/.exec(stored(home)) ?? [];
  await expect.poll(() => Date.now() > Number(expiresAt), { timeout: 10_000 }).toBe(true);

  const whoami = await home.innctl(sandbox.line('whoami'));

  expect(whoami).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('Its refresh token may be used up and is not sent again'),
  });
});

test('scopes that do not suffice can be rehearsed', async () => {
  await using home = await openHome();
  await using sandbox = await serve(home, ['--dialect', 'apaleo']);
  const scope = 'offline_access identity:account-users.read';
  const line = [...sandbox.line('login', '--client-id'), '--dialect', 'apaleo', '--scope', scope];
  expect(await logIn(home, line)).toMatchObject({ exitCode: 0 });

  const invite = ['invitations', 'create', 'eva@example.com', '--role', 'Auditor', '--properties', 'BER'];
  const refused = await home.innctl([...invite, '-p', 'rehearsal', '--yes']);

  expect(refused).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('identity:account-users.manage'),
  });
});

test('a user who is disabled has to log in again', async () => {
  await using home = await openHome();
  await using sandbox = await serve(home);
  await logIn(home, sandbox.line('login', '--client-id'));

  const disable = [
    '--sandbox',
    'users',
    'disable',
    'clara@aurora.example',
    '--confirm',
    'clara@aurora.example',
  ];
  expect(await home.innctl(disable)).toMatchObject({ exitCode: 0 });

  expect(await home.innctl(sandbox.line('whoami'))).toMatchObject({ exitCode: 4, stdout: '' });
});
