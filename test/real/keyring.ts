import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The keyring of the session: unlocked, locked, without a collection, or none at all. */
export type KeyringState = 'unlocked' | 'locked' | 'empty' | 'absent';

/** A D-Bus session with gnome-keyring, separate from that of the user. Ends on disposal. */
export interface KeyringSession extends AsyncDisposable {
  /** The environment variables of the session. */
  readonly env: { readonly DBUS_SESSION_BUS_ADDRESS: string; readonly XDG_RUNTIME_DIR: string };
  /** The secret that `secret-tool` finds for this account of innctl. */
  lookup(account: string): Promise<string | undefined>;
  /** Stores a secret with `secret-tool`, with further attributes and their values. */
  store(account: string, secret: string | Buffer, ...attributes: readonly string[]): Promise<void>;
  /** All entries of innctl, as `secret-tool search` shows them. */
  search(): Promise<string>;
  /** Locks the login collection. */
  lock(): Promise<void>;
  /** Suspends the service, so that it never answers. */
  hang(): void;
  /** Resumes a suspended service. */
  resume(): void;
}

/** The bus activates no services, because it has no service folders. */
const busOf = (
  rules: readonly string[],
) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
  ${rules.join('\n  ')}
</busconfig>
`;

const PASSWORD = 'password-of-the-keyring';

/**
 * Starts a session. Needs `dbus-run-session`, `gnome-keyring-daemon` and `secret-tool`.
 *
 * @param rules further XML lines for the configuration of the bus.
 */
export async function startKeyring(
  state: KeyringState = 'unlocked',
  ...rules: readonly string[]
): Promise<KeyringSession> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-keyring-'));
  await chmod(folder, 0o700);
  await writeFile(join(folder, 'bus.conf'), busOf(rules));
  const own = { PATH: process.env['PATH'] ?? '', HOME: folder, XDG_RUNTIME_DIR: folder };
  const bus = await startBus(folder, own);
  const env = { ...own, DBUS_SESSION_BUS_ADDRESS: bus.address };
  let daemon: ChildProcess | undefined;
  const secretTool = (args: readonly string[], input: string | Buffer = '') =>
    run(['secret-tool', ...args], env, input);
  const lock = async () => {
    await secretTool(['lock', '--collection=login']);
    if ((await lockedOf(env)) !== true) throw new Error('The collection does not lock.');
  };
  if (state !== 'absent') daemon = await startDaemon(env, state !== 'empty');
  if (state === 'locked') await lock();
  return {
    env: { DBUS_SESSION_BUS_ADDRESS: bus.address, XDG_RUNTIME_DIR: folder },
    async lookup(account) {
      const { exitCode, stdout } = await secretTool(['lookup', 'service', 'innctl', 'username', account]);
      return exitCode === 0 ? stdout : undefined;
    },
    async store(account, secret, ...more) {
      const attributes = ['service', 'innctl', 'username', account, ...more];
      const { exitCode } = await secretTool(['store', '--label', account, ...attributes], secret);
      if (exitCode !== 0) throw new Error('secret-tool could not store.');
    },
    search: async () => {
      const { stdout, stderr } = await secretTool(['search', '--all', 'service', 'innctl']);
      return stdout + stderr;
    },
    lock,
    hang: () => void daemon?.kill('SIGSTOP'),
    resume: () => void daemon?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await ended(daemon, () => daemon?.kill('SIGKILL'));
      // dbus-run-session stops its bus when the program in it ends.
      await ended(bus.child, () => bus.child.stdin?.end());
      await rm(folder, { recursive: true });
    },
  };
}

type Environment = Readonly<Record<string, string>>;

async function startBus(folder: string, env: Environment) {
  const child = spawn(
    'dbus-run-session',
    [`--config-file=${join(folder, 'bus.conf')}`, '--', 'sh', '-c', 'echo "$DBUS_SESSION_BUS_ADDRESS"; cat'],
    { env, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  await once(child, 'spawn');
  const [address] = await once(child.stdout.setEncoding('utf8'), 'data');
  return { child, address: String(address).trim() };
}

/** @param opens creates and unlocks the login collection. */
async function startDaemon(env: Environment, opens: boolean): Promise<ChildProcess> {
  const child = spawn(
    'gnome-keyring-daemon',
    ['--foreground', '--components=secrets', ...(opens ? ['--unlock'] : [])],
    { env, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  await once(child, 'spawn');
  child.stdin.on('error', () => {}).end(opens ? PASSWORD : '');
  const isReady = async () => (opens ? (await lockedOf(env)) === false : await isThere(env));
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`gnome-keyring-daemon ended with ${child.exitCode}.`);
  }
  return child;
}

async function isThere(env: Environment): Promise<boolean> {
  const { stdout } = await ask(env, 'org.freedesktop.DBus', '/org/freedesktop/DBus', [
    'org.freedesktop.DBus.NameHasOwner',
    'string:org.freedesktop.secrets',
  ]);
  return stdout.includes('true');
}

/** `undefined` if there is no collection. */
async function lockedOf(env: Environment): Promise<boolean | undefined> {
  const { stdout } = await ask(env, 'org.freedesktop.secrets', '/org/freedesktop/secrets/collection/login', [
    'org.freedesktop.DBus.Properties.Get',
    'string:org.freedesktop.Secret.Collection',
    'string:Locked',
  ]);
  return stdout.includes('boolean') ? stdout.includes('true') : undefined;
}

function ask(env: Environment, service: string, path: string, call: readonly string[]) {
  return run(['dbus-send', '--session', '--print-reply', `--dest=${service}`, path, ...call], env);
}

async function run(
  [program = '', ...args]: readonly string[],
  env: Environment,
  input: string | Buffer = '',
) {
  const child = spawn(program, args, { env, stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  child.stdin.on('error', () => {}).end(input);
  const [exitCode] = await once(child, 'close');
  return { exitCode: Number(exitCode), ...output };
}

async function ended(child: ChildProcess | undefined, end: () => unknown): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  end();
  await exit;
}
