import { Interruption } from '../../context.ts';
import { CliError } from '../../errors.ts';

/** Waits for what comes before the first write of a run: an interruption says so. */
export async function unsent<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Interruption)) throw error;
    const { signal, exitCode } = error;
    throw new CliError('interrupted', `Interrupted by ${signal}; nothing was sent.`, {
      exitCode,
      cause: error,
    });
  }
}
