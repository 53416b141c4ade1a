import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ConnectOptions, WireRequest, World } from '../../src/model/ports.ts';

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The number of attempted connections. */
  readonly begun: number;
}

/** A placeholder: the request of a connection is not known here. */
const anyRequest: WireRequest = {
  method: 'GET',
  url: 'https://api.example.com',
  headers: {},
  signal: new AbortController().signal,
};

let runner: ChildProcess | undefined;

/**
 * Replaces `src/cli/run.ts`: runs the command line with the built program, in one process for all lines of a test file. It
 * uses the environment and the home of the world; for each attempted connection, it sends one request to the world's transport.
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
