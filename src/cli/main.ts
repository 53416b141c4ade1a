import { setMaxListeners } from 'node:events';
import { homedir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { version } from '../../package.json';
import { quietly } from '../fs/replace.ts';
import { Interruption, type Prompter, type World } from '../model/ports.ts';
import { isPlainTerminal } from '../print/paint.ts';
import { createSink, createSource } from '../print/streams.ts';
import { run } from './run.ts';

/** Runs innctl with this process as its world, and sets the exit code. The only file that accesses `process`. */
export async function main(): Promise<void> {
  // If the event loop empties before the run ends, the exit code must not be 0.
  process.exitCode = 1;
  const world = worldOf(process);
  process.exitCode = await run(process.argv.slice(2), world);
  // Abandoned work keeps the event loop alive, and closing may take long.
  if (world.forced.aborted) process.exit();
  world.forced.addEventListener('abort', () => process.exit());
}

/** Streams are opened on first use. */
function worldOf(outside: NodeJS.Process): World {
  const { env, platform, pid } = outside;
  let isPaging = false;
  const { signal, forced } = listenForSignals(() => isPaging);
  let opened: Promise<Prompter> | undefined;
  const keyring = async () => (await import('../auth/keyring.ts')).systemKeyring(outside);
  return {
    version,
    node: outside.versions.node,
    env,
    platform,
    // os.homedir needs the user database without HOME, and fails if the user is unknown.
    home: quietly(() => (platform !== 'win32' && env['HOME']) || homedir()),
    pid,
    uid: outside.geteuid?.(),
    stdin: createSource(() => outside.stdin),
    stdout: createSink(() => outside.stdout, 'stdout'),
    stderr: createSink(() => outside.stderr, 'stderr'),
    clock: { now: Date.now, monotonic: () => performance.timeOrigin + performance.now(), sleep },
    random: Math.random,
    uuid: () => crypto.randomUUID(),
    signal,
    forced,
    openPrompter: () => {
      opened ??= prompterOf(outside, signal);
      return opened;
    },
    openBrowser: async (url) => (await import('../auth/browser.ts')).openInBrowser(url, { env, platform }),
    openPager: async (command, environment) => {
      const pager = await (await import('../print/pager.ts')).startPager(command, environment);
      isPaging = pager !== undefined;
      return pager && { ...pager, close: () => pager.close().finally(() => (isPaging = false)) };
    },
    connect: async (options) => {
      // Node 20 optimises undici's parser (WebAssembly) in the background after one answer, and waits for that when it exits: as long as
      // the rest of a GET. Node 22 and 24 do not.
      if (/^v20\./.test(outside.version)) setFlagsFromString('--no-wasm-tier-up --no-wasm-dynamic-tiering');
      return (await import('../service/wire/undici.ts')).connectUndici(options);
    },
    keyring: {
      read: async (account) => (await keyring()).read(account),
      write: async (account, secret) => (await keyring()).write(account, secret),
      remove: async (account) => (await keyring()).remove(account),
    },
  };
}

async function prompterOf({ stdin, stderr, env }: NodeJS.Process, signal: AbortSignal): Promise<Prompter> {
  const streams = { input: stdin, output: stderr, signal };
  if (isPlainTerminal(env)) return (await import('../print/plain-prompter.ts')).createPlainPrompter(streams);
  return (await import('../print/inquirer-prompter.ts')).createInquirerPrompter(streams);
}

/** The first signal asks the run to end, the second aborts it, the third ends the process because stderr may block. */
function listenForSignals(isPaging: () => boolean) {
  const controller = new AbortController();
  const forcing = new AbortController();
  // Every connection listens: Node warns of more than ten.
  setMaxListeners(0, controller.signal);
  for (const [name, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(name, () => {
      // A pager takes ^C as a key.
      if (controller.signal.aborted && name === 'SIGINT' && isPaging()) return;
      if (forcing.signal.aborted) process.exit(exitCode);
      const next = controller.signal.aborted ? forcing : controller;
      next.abort(new Interruption(name));
    });
  }
  return { signal: controller.signal, forced: forcing.signal };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return pause(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
