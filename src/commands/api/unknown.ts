import type { RawRequest } from '../../api/raw.ts';
import { OutcomeUnknown } from '../../errors.ts';
import { shellLine } from '../../render/shell.ts';
import type { Session } from '../../session.ts';
import { sameCommand, serviceFlags } from '../settle.ts';
import { readsStdin } from './fields.ts';
import type { Typed } from './request.ts';

/**
 * Adds to an unknown outcome what settles it: the same command with its key, or a look at what the path names.
 *
 * @returns for `catch`; every error goes on.
 */
export function withHint(request: RawRequest, typed: Typed, session: Pick<Session, 'context' | 'globals'>) {
  return (error: unknown): never => {
    throw error instanceof OutcomeUnknown ? error.withHint(hintFor(request, typed, session)) : error;
  };
}

function hintFor(
  { path, idempotencyKey: key }: RawRequest,
  typed: Typed,
  { context, globals }: Pick<Session, 'context' | 'globals'>,
): string {
  if (key === undefined) {
    const look = shellLine(['innctl', ...serviceFlags(globals), 'api', 'GET', path]);
    return `Look before sending it again: ${look}`;
  }
  const more = typed.idempotencyKey === undefined ? ['--idempotency-key', key] : [];
  const readsPipe =
    typed.input === '-' || typed.input?.startsWith('/dev/fd/') === true || typed.fields.some(readsStdin);
  const sameInput = readsPipe ? ', with the same input,' : '';
  return `This settles it${sameInput} and creates nothing twice:\n  ${sameCommand(context.argv, ...more)}`;
}
