import { OutcomeUnknown } from '../../errors.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { shellLine } from '../../render/shell.ts';
import { serviceFlags } from '../settle.ts';

/**
 * Adds to an unknown outcome the command that shows it.
 *
 * @param why what the look is for, as the beginning of the hint.
 * @param otherwise what becomes of every other failure.
 */
export function withLook(
  why: string,
  globals: GlobalOptions,
  otherwise: (error: unknown) => Promise<never>,
): (error: unknown) => Promise<never> {
  const look = shellLine(['innctl', ...serviceFlags(globals), 'invitations', 'list', '--all']);
  return async (error) => {
    if (error instanceof OutcomeUnknown) throw error.withHint(`${why}: ${look}`);
    return otherwise(error);
  };
}
