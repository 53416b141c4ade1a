import { homedir } from 'node:os';
import { version } from '../package.json';
import { Interruption, type World } from './context.ts';
import { codeOf } from './error-code.ts';
import { run } from './run.ts';
import { createSink, createSource } from './terminal/streams.ts';

/** The process becomes a world, and the run's end its exit code. The only file that knows the process. */
async function main(): Promise<void> {
  // An event loop that runs dry before the run is over must not look like success.
  process.exitCode = 1;
  process.exitCode = await run(process.argv.slice(2), worldOf(process));
}

function worldOf({ env, platform, pid, stdin, stdout, stderr }: NodeJS.Process): World {
  const signal = interruptions();
  const prompter = () =>
    import('./terminal/inquirer-prompter.ts').then(({ createInquirerPrompter }) =>
      createInquirerPrompter({ input: stdin, output: stderr, signal }),
    );
  return {
    version,
    env,
    platform,
    home: homeOf(),
    pid,
    isAlive,
    stdin: createSource(stdin, signal),
    stdout: createSink(stdout, 'stdout'),
    stderr: createSink(stderr, 'stderr'),
    clock: { now: Date.now, sleep },
    random: Math.random,
    uuid: () => crypto.randomUUID(),
    signal,
    prompter: {
      text: async (...question) => (await prompter()).text(...question),
      secret: async (...question) => (await prompter()).secret(...question),
      confirm: async (...question) => (await prompter()).confirm(...question),
      choose: async (...question) => (await prompter()).choose(...question),
      chooseSeveral: async (...question) => (await prompter()).chooseSeveral(...question),
    },
    connect: async (options) => (await import('./http/undici.ts')).connectUndici(options),
  };
}

/** The first signal asks the run to end; the second ends the process at once. */
function interruptions(): AbortSignal {
  const controller = new AbortController();
  for (const [name, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) endAtOnce(exitCode);
      controller.abort(new Interruption(name));
    });
  }
  return controller.signal;
}

/** Whoever asks twice at a terminal sees that it was heard. */
function endAtOnce(exitCode: number): never {
  if (process.stderr.isTTY) {
    process.stderr.write('\nEnded at once; what was under way may have been carried out.\n');
  }
  process.exit(exitCode);
}

/** Signal 0 is delivered to nobody; a process of somebody else refuses it, and is there. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return codeOf(cause) === 'EPERM';
  }
}

/** Without HOME, Node asks the user database, which may not know the user either. */
function homeOf(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

main();
