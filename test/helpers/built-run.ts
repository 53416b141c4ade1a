import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ConnectOptions, WireRequest, World } from '../../src/cli/ports.ts';

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** How many connections were tried. */
  readonly begun: number;
}

/** What was to be asked over a connection is not known here. */
const anyRequest: WireRequest = {
  method: 'GET',
  url: 'https://api.example.com',
  headers: {},
  signal: new AbortController().signal,
};

let runner: ChildProcess | undefined;

/**
 * In the place of `src/cli/run.ts`: the built program runs the line, in one process for all lines of a test file. Of the
 * world it gets the environment and the home; for each connection that it tries, the world's is asked for one request.
 */
export async function run(argv: readonly string[], world: World): Promise<number> {
  runner ??= fork(join(import.meta.dirname, 'built-runs.cjs'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const env = { PATH: process.env['PATH'], HOME: world.home, INNCTL_MAX_ATTEMPTS: '1', ...world.env };
  runner.send({ argv, env });
  const ends = new AbortController();
  const { signal } = ends;
  const [{ exitCode, stdout, stderr, begun }]: [Ended] = await Promise.race([
    once(runner, 'message', { signal }) as Promise<[Ended]>,
    once(runner, 'exit', { signal }).then(() => Promise.reject(new Error('The built program has exited.'))),
  ]).finally(() => ends.abort());
  for (let index = 0; index < begun; index += 1) {
    const transport = await world.connect({} as ConnectOptions);
    await transport.request(anyRequest).catch(() => {});
  }
  await world.stdout.write(stdout);
  await world.stderr.write(stderr);
  return exitCode;
}
