import { usageError } from '../cli/errors.ts';
import type { Session } from '../cli/session.ts';
import { notInContract, type OperationId } from '../service/operations.ts';

/**
 * Refuses a command whose operation only the dialect apaleo has.
 *
 * @param words of the command: `properties archive`.
 * @param hint a command line that does what the contract allows.
 * @throws {CliError} exit 2; nothing was sent.
 */
export function refuseBeyond(
  operation: OperationId,
  words: string,
  { api }: Pick<Session, 'api'>,
  hint?: string,
) {
  if (api.dialect.further[operation] === undefined) throw usageError(`${words} ${notInContract}.`, hint);
}
