import { execFileSync } from 'node:child_process';

/** The arguments after `innctl` in a command line, parsed like a shell. @throws when it is not one innctl command. */
export function wordsOf(line: string): readonly string[] {
  const innctl = `innctl() { printf '%s\\0' "$@"; }`;
  const read = execFileSync('/bin/sh', ['-euc', `${innctl}\n${line}`], {
    encoding: 'utf8',
    env: { PATH: '' },
  });
  return read.split('\0').slice(0, -1);
}

/** The hint of the only error in stderr under --json: one line with one command. */
export function settlingLine(stderr: string): string {
  const [line = '', ...rest] = stderr.split('\n');
  // innctl prints this object under --json.
  const { error } = JSON.parse(line) as { error: { hint?: string } };
  const { hint = '' } = error;
  if (rest.join('') !== '' || !/^innctl [^\n]+$/.test(hint))
    throw new Error(`not one command on one line: ${stderr}`);
  return hint;
}
