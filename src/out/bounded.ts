import { runInNewContext } from 'node:vm';
import { CliError } from '../cli/errors.ts';
import { ExitCode } from '../cli/exit-codes.ts';
import { isObject } from './paths.ts';

/** Milliseconds. */
const LONGEST_MS = 5_000;

/**
 * Does work that holds everything else up, and that a person wrote: it ends by itself, by ^C, or after 5 s. The engine can
 * stop a script, and with it whatever the script calls.
 *
 * @param what begins the sentence of the error: `--query`.
 * @throws {CliError} exit 2 when it takes too long, 130 after ^C.
 */
export function bounded<Value>(what: string, work: () => Value): Value {
  try {
    // A script gives back what its last expression gives: that of the work.
    return runInNewContext('work()', { work }, { timeout: LONGEST_MS, breakOnSigint: true }) as Value;
  } catch (cause) {
    // The engine's own errors come from another realm, where no `instanceof` knows them.
    const code = isObject(cause) ? cause['code'] : undefined;
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new CliError(
        'invalid_input',
        `${what} takes longer than ${LONGEST_MS / 1_000} s: it asks for too much.`,
        {
          exitCode: ExitCode.usage,
          hint: 'innctl help formatting',
          cause,
        },
      );
    }
    if (code !== 'ERR_SCRIPT_EXECUTION_INTERRUPTED') throw cause;
    throw new CliError('interrupted', `${what} was interrupted.`, { exitCode: ExitCode.interrupted, cause });
  }
}
