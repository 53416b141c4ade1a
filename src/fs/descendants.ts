import { type ChildProcess, spawnSync } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Ends a child and whatever it has started. The child comes first: a shell does not pass on what it gets, and would begin
 * its next command.
 *
 * @param env of the programs that do that.
 * @returns ends those that did not heed it.
 */
export function endWithDescendants(child: ChildProcess, env: Environment): () => void {
  const options = { encoding: 'utf8', env: { ...env } } as const;
  const below = descendantsOf(child, options);
  const send = (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    if (below.length > 0)
      spawnSync('kill', ['-s', signal.slice('SIG'.length), ...below.map(String)], options);
  };
  send('SIGTERM');
  return () => send('SIGKILL');
}

/**
 * Whom ^C would reach besides a process: what was started below it and stayed in its group. None on a system that has
 * no `ps`.
 */
function descendantsOf(
  { pid }: ChildProcess,
  options: { readonly encoding: 'utf8'; readonly env: Environment },
): readonly number[] {
  if (pid === undefined) return [];
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'pgid='], options);
  const rows = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const group = rows.find(([id]) => id === pid)?.[2];
  const below = (parent: number): readonly number[] =>
    rows
      .filter((row) => row[1] === parent && row[2] === group)
      .flatMap(([id = Number.NaN]) => [id, ...below(id)]);
  return below(pid);
}
