import { usageError } from '../cli/errors.ts';
import type { Session } from '../cli/session.ts';
import { sameCommand } from '../print/text.ts';
import { notInContract, type OperationId } from '../service/operations.ts';

/**
 * Refuses a command whose operation only the dialect apaleo has.
 *
 * @param words of the command: `properties archive`.
 * @param hint a command line that does what the contract allows; default: in the sandbox, the line that has another dialect.
 * @throws {CliError} exit 2; nothing was sent.
 */
export function refuseBeyond(
  operation: OperationId,
  words: string,
  { api, settings, context }: Pick<Session, 'api' | 'settings' | 'context'>,
  hint?: string,
) {
  if (api.dialect.further[operation] !== undefined) return;
  const other = settings().sandbox ? `INNCTL_DIALECT=apaleo ${sameCommand(context.argv)}` : undefined;
  throw usageError(`${words} ${notInContract}.`, hint ?? other);
}
