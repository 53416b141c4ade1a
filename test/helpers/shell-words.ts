import { execFileSync } from 'node:child_process';

/** The words after `innctl` of a command line, as a shell reads them. @throws when it is not one command of innctl. */
export function wordsOf(line: string): readonly string[] {
  const innctl = `innctl() { printf '%s\\0' "$@"; }`;
  const read = execFileSync('/bin/sh', ['-euc', `${innctl}\n${line}`], {
    encoding: 'utf8',
    env: { PATH: '' },
  });
  return read.split('\0').slice(0, -1);
}

/** The hint of the one error that stderr is under --json: one line, which is one command. */
export function settlingLine(stderr: string): string {
  const [line = '', ...rest] = stderr.split('\n');
  // What innctl prints under --json is this object.
  const { error } = JSON.parse(line) as { error: { hint?: string } };
  const { hint = '' } = error;
  if (rest.join('') !== '' || !/^innctl [^\n]+$/.test(hint))
    throw new Error(`not one command on one line: ${stderr}`);
  return hint;
}
