import type { Api } from '../../api/api.ts';
import { idProblem } from '../../api/path.ts';
import { CliError, type Detail } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { shellLine } from '../../render/shell.ts';
import { MOST_LOOKED_THROUGH, namesIn, suggesting } from '../meant.ts';
import { serviceFlags } from '../settle.ts';

/** What is wrong with the id that a command was given. */
export function idDetails(id: string): readonly Detail[] {
  const reason = idProblem(id);
  return reason === undefined ? [] : [{ field: 'id', reason }];
}

/**
 * Adds to a property that is not there the listed id that was probably meant.
 *
 * @returns for `catch`; every error goes on.
 */
export function suggestingProperty({ properties }: Api, id: string) {
  const listed = () => namesIn(properties.list({}, { limit: MOST_LOOKED_THROUGH }), 'id');
  const suggest = suggesting({ word: id, listed });
  return async (error: unknown): Promise<never> => {
    if (error instanceof CliError && error.exitCode === ExitCode.notFound) return suggest(error);
    throw error;
  };
}

/** The command line that shows the property, at the same service. */
export function lookAt(id: string, globals: GlobalOptions): string {
  return shellLine(['innctl', ...serviceFlags(globals), 'properties', 'get', id]);
}
