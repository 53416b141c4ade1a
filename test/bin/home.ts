import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Watch, watchForLeaks } from '../helpers/leaks.ts';

/** The root of the project. */
export const root = join(import.meta.dirname, '../..');

/** The binary: the file that package.json names as `innctl`. */
export const binary = join(root, 'bin/innctl.js');

type Environment = Readonly<Record<string, string>>;

/** An empty home folder, and programs that run in it. Fails if one of them prints or stores a secret. Deleted on disposal. */
export interface Home extends AsyncDisposable {
  readonly folder: string;
  /** The whole environment of a program: no proxy, no CI, no pager, no settings; `node` is the Node that runs the tests. */
  readonly env: Environment;
  /** Runs innctl until it exits, without a terminal and without stdin. */
  innctl(args: readonly string[], env?: Environment): Promise<Ended>;
  /** Runs any program until it exits. */
  run(command: readonly string[], options?: RunOptions): Promise<Ended>;
}

/** How a program is run. */
export interface RunOptions {
  /** Added to the environment of the home. */
  readonly env?: Environment;
  /** Default: the home folder. */
  readonly cwd?: string;
  /** Default: stdin is closed, stdout and stderr are collected. */
  readonly stdio?: StdioOptions;
  /** Called with the process after its start. */
  readonly started?: (child: ChildProcess) => void;
}

/** How a program ended: `exitCode` is `null` if a signal ended it. */
export interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Creates a home. Its files are searched for secrets when no program runs in it, because a running one may have a draft there. */
export async function openHome(): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-home-'));
  const env = { HOME: folder, PAGER: '', PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
  const watches: Watch[] = [];
  let running = 0;
  let search: Promise<unknown> = Promise.resolve();
  const run: Home['run'] = async ([program = '', ...args], options = {}) => {
    const environment: Environment = { ...env, ...options.env };
    const config = environment['INNCTL_CONFIG_DIR'] ?? join(folder, '.config/innctl');
    running += 1;
    await Promise.allSettled([search]);
    const watch = await watchForLeaks(environment, folder, config);
    watches.push(watch);
    const ended = await ending(
      spawn(program, args, {
        cwd: options.cwd ?? folder,
        env: environment,
        stdio: options.stdio ?? ['ignore', 'pipe', 'pipe'],
      }),
      options.started,
    ).finally(() => {
      running -= 1;
    });
    if (running === 0) search = Promise.all(watches.splice(0).map((each) => each.check({})));
    const shown = { argv: args.join('\n'), stdout: ended.stdout, stderr: ended.stderr };
    await Promise.all([watch.checkShown(shown, args), search]);
    return ended;
  };
  return {
    folder,
    env,
    run,
    innctl: (args, more = {}) => run([process.execPath, binary, ...args], { env: more }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

async function ending(child: ChildProcess, started: RunOptions['started']): Promise<Ended> {
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  started?.(child);
  const [exitCode] = await once(child, 'close');
  return { exitCode, ...printed };
}
