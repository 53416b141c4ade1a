import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Command, parseLine, type Session } from './lines.mts';

/** A request as the sandbox received it; names and values of headers alternate. */
interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** What a line did. */
export interface Result {
  readonly exitCode: number | string;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly Request[];
}

interface Answer extends Result {
  /** Whether the worker can run another line. */
  readonly isIdle: boolean;
}

/** A line that does not even end by SIGTERM. */
const STUCK_MS = 30_000;

/**
 * Runs sessions with a build in a few processes.
 *
 * @param files the folder of which each home is a copy.
 * @param ended called with the results of a session, one for each line.
 */
export async function runSessions(
  build: string,
  sessions: readonly Session[],
  files: string,
  ended: (session: Session, results: readonly Result[]) => void,
): Promise<void> {
  const queue = sessions.values();
  const folder = mkdtempSync(join(tmpdir(), 'innctl-replay-'));
  const place = async (_: unknown, index: number) => {
    using runner = createRunner(build, join(folder, `${index}`));
    for (const session of queue) ended(session, await runSession(session, runner, files));
  };
  try {
    await Promise.all(Array.from({ length: availableParallelism() }, place));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runSession(session: Session, runner: ReturnType<typeof createRunner>, files: string) {
  const { home } = runner;
  rmSync(home, { recursive: true, force: true });
  cpSync(files, home, { recursive: true });
  for (const [name, text] of Object.entries(session.files ?? {})) writeFileSync(join(home, name), text);
  const results: Result[] = [];
  for (const line of session.lines) {
    const command = parseLine(line);
    const result = command === undefined ? runOther(line, home) : await runner.run(command);
    if (command?.target !== undefined) writeFileSync(join(home, command.target), result.stdout);
    results.push(result);
  }
  return results;
}

/** A line of another program, which a session uses on a file. */
function runOther(line: string, home: string): Result {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: home, encoding: 'utf8' });
  return { exitCode: status ?? 'none', stdout, stderr, requests: [] };
}

/** Runs lines in a process, or in a new one after a line that leaves something behind. */
function createRunner(build: string, folder: string) {
  const home = join(folder, 'home');
  const [stdout, stderr] = [join(folder, 'stdout'), join(folder, 'stderr')];
  mkdirSync(folder, { recursive: true });
  let worker: ChildProcess | undefined;
  const open = () =>
    fork(join(import.meta.dirname, 'worker.cjs'), [build, stdout, stderr], {
      execArgv: [],
      stdio: ['ignore', openSync(stdout, 'a'), openSync(stderr, 'a'), 'ipc'],
    });
  const close = () => {
    worker?.kill('SIGKILL');
    worker = undefined;
  };
  return {
    home,
    async run({ argv, env }: Command): Promise<Result> {
      worker ??= open();
      const ends = new AbortController();
      const { signal } = ends;
      const stuck = setTimeout(close, STUCK_MS);
      const answered = once(worker, 'message', { signal }) as Promise<[Answer]>;
      const gone = once(worker, 'exit', { signal }).then((): [Answer] => [
        { exitCode: 'none', stdout: '', stderr: readFileSync(stderr, 'utf8'), requests: [], isIdle: false },
      ]);
      worker.send({ argv, env: { ...environment, HOME: home, ...env }, home });
      const [{ isIdle, ...result }] = await Promise.race([answered, gone]);
      clearTimeout(stuck);
      ends.abort();
      await Promise.allSettled([answered, gone]);
      if (!isIdle) close();
      return steady(result, build, home);
    },
    [Symbol.dispose]: close,
  };
}

/** No settings but the profile: each line without a profile of its own uses the sandbox. */
const environment: Command['env'] = {
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  TZ: 'UTC',
  INNCTL_PROFILE: 'sandbox',
  INNCTL_BROWSER: 'none',
};

/** Replaces what differs from run to run. */
function steady(result: Result, build: string, home: string): Result {
  const text = JSON.stringify(result)
    .replaceAll(home, '/home/ana')
    .replaceAll(build, '/innctl')
    .replaceAll(/(127\.0\.0\.1|localhost):[3-6]\d{4}\b/g, '$1:50000');
  // The same shape.
  return JSON.parse(text) as Result;
}
