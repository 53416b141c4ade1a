import { spawn } from 'node:child_process';

/** Stands beside an editor, and knows whom an interrupt was for. */
export interface Witness {
  /** Sends it away. @returns whether ^C went to all that run on this terminal, the editor among them. */
  leave(): Promise<boolean>;
}

/**
 * Starts a program in the group of this process that does nothing. ^C at a terminal goes to the whole group, and ends it;
 * an interrupt to this process alone does not. Where there is no such program nobody can tell, and ^C is taken for
 * everybody's.
 */
export function openWitness(): Witness {
  const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  const wasInterrupted = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(true));
    child.once('close', (_exitCode, signal) => resolve(signal === 'SIGINT'));
  });
  return {
    leave() {
      child.stdin.end();
      return wasInterrupted;
    },
  };
}
