import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { binary, type Ended, type Home, openHome } from '../bin/home.ts';
import { setup } from '../bin/setup.ts';
import { clients, type Identity, startIdentity } from './identity.ts';
import { agree, visit } from './identity-login.ts';
import { type KeyringSession, startKeyring } from './keyring.ts';
import { PAGE, startLogin } from './login.ts';

beforeAll(setup);

/** Records the arguments of every process that starts. */
const tracer = (file: string) => ['strace', '-f', '-qq', '-s', '65536', '-e', 'trace=execve', '-o', file];

/** How a command ended, and the arguments of all its processes. */
interface TracedRun extends Ended {
  readonly started: string;
}

/** Records the processes that run in a home, all secrets that its keyring held, and all access tokens of credentials.json. */
function recorder(home: Home, session: KeyringSession) {
  const trace = join(home.folder, 'trace');
  const [secrets, tokens] = [new Set<string>(), new Set<string>()];
  const lines: TracedRun[] = [];
  const note = async (ended: Ended): Promise<TracedRun> => {
    const run = { ...ended, started: await readFile(trace, 'utf8') };
    await writeFile(trace, '');
    lines.push(run);
    for (const secret of secretsIn(await session.lookup('chain'))) secrets.add(secret);
    const { cached_token } = JSON.parse(await readFile(credentialsOf(home), 'utf8')).profiles.chain ?? {};
    if (cached_token !== undefined) tokens.add(cached_token.access_token);
    return run;
  };
  return {
    secrets,
    tokens,
    lines,
    note,
    before: tracer(trace),
    innctl: async (...words: readonly string[]) =>
      note(await home.run([...tracer(trace), process.execPath, binary, ...words], { env: session.env })),
  };
}

/** The secrets in an entry of the keyring. */
function secretsIn(entry: string | undefined): readonly string[] {
  return Object.values(JSON.parse(entry ?? '{}'));
}

function credentialsOf({ folder }: Home): string {
  return join(folder, '.config/innctl/credentials.json');
}

async function logIn(home: Home, identity: Identity, session: KeyringSession, before: readonly string[]) {
  const secret = join(home.folder, 'token.txt');
  await writeFile(secret, clients.basic.secret);
  const login = startLogin(home, identity, ['--web', '--debug', '--client-secret-file', secret], {
    client: clients.basic,
    env: session.env,
    keyring: true,
    before,
  });
  const visitor = visit();
  await visitor.get(await agree(visitor, await login.waitFor(PAGE)));
  return login.ended;
}

/** Path and text of every file that innctl may have written. */
async function filesOf({ folder }: Home): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const written = paths.filter((path) => path.includes('innctl/'));
  return Promise.all(written.map(async (path) => `${path}\n${await readFile(path, 'latin1')}`));
}

/** A secret in the encodings of texts, headers and URLs. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

test('from login to logout no secret appears outside the keyring, and no access token outside credentials.json and `auth token`', async () => {
  await using home = await openHome();
  await using session = await startKeyring();
  await using identity = await startIdentity({ tokenSeconds: 2 });
  const { secrets, tokens, lines, note, before, innctl } = recorder(home, session);

  await note(await logIn(home, identity, session, before));
  await innctl('whoami', '--debug');
  await innctl('auth', 'status', '--json', '--debug');
  await innctl('users', 'me', '-o', 'yaml', '--debug');
  await innctl('profiles', 'show', 'chain', '--json');
  await innctl('config', 'list', '--debug');
  await innctl('properties', 'list', '--all', '--json', '--debug');
  await innctl(
    'apply',
    join(process.cwd(), 'test/reference/seed.yaml'),
    '--yes',
    '--progress',
    'none',
    '--debug',
  );
  // The first token expires after two seconds, and a fast machine may be done before.
  while (identity.refreshes().length === 0) await innctl('users', 'me', '--debug');
  const printed = await innctl('auth', 'token', '--debug');
  const files = await filesOf(home);
  await innctl('logout', '--debug');
  await innctl('users', 'me', '--debug');

  expect(lines.length).toBeGreaterThanOrEqual(11);
  expect(lines.slice(0, -1).filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  expect(lines.at(-1)?.exitCode).toBe(4);
  // The client secret, and the tokens of the login and of at least one refresh.
  expect(secrets.size).toBeGreaterThanOrEqual(3);
  expect(secrets).toContain(clients.basic.secret);
  expect(tokens.size).toBeGreaterThanOrEqual(2);
  expect(tokens).toContain(printed.stdout.trim());
  for (const name of ['config.json', 'credentials.json', 'state/innctl/'])
    expect(files.filter((text) => text.split('\n')[0]?.includes(name))).not.toEqual([]);
  const shown = lines.flatMap((line) => [line === printed ? '' : line.stdout, line.stderr, line.started]);
  const hold = (texts: readonly string[], found: ReadonlySet<string>) => {
    const forms = [...found].flatMap(formsOf);
    return texts.filter((text) => forms.some((form) => text.includes(form)));
  };
  const later = await filesOf(home);
  expect(hold([...shown, ...files, ...later], secrets)).toEqual([]);
  const others = files.filter((text) => !text.startsWith(credentialsOf(home)));
  expect(hold([...shown, ...others, ...later], tokens)).toEqual([]);
  expect(lines.every(({ started }) => started.includes('execve('))).toBe(true);
  expect(await session.search()).toBe('');
});
