import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundled } from '../helpers/bundled.ts';
import { openTerminal } from '../helpers/terminal.ts';

const program = await bundled(join(import.meta.dirname, 'ask.ts'));

/** Runs `ask.ts` with these questions on a terminal, its stdout redirected to a file. */
export async function person(...questions: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-prompter-'));
  const stdoutFile = join(folder, 'stdout');
  const redirect = 'out=$1; shift; exec "$0" "$@" >"$out"';
  const command = ['sh', '-c', redirect, process.execPath, stdoutFile, program, ...questions];
  const terminal = openTerminal(command, { env: process.env });
  return {
    ...terminal,
    async leaves() {
      const ended = await terminal.leaves();
      const stdout = await readFile(stdoutFile, 'utf8');
      await rm(folder, { recursive: true });
      return { ...ended, stdout };
    },
  };
}
