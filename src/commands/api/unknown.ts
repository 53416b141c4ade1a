import type { RawRequest } from '../../api/raw.ts';
import { sameCommand } from '../../render/shell.ts';
import type { Session } from '../../session.ts';
import { serviceLine } from '../settle.ts';
import { readsStdin } from './fields.ts';
import type { Typed } from './request.ts';

/** What settles an unknown outcome: the same command with its key, or a look at what the path names. */
export function settlingHint(
  { path, idempotencyKey: key }: RawRequest,
  typed: Typed,
  { context, globals }: Pick<Session, 'context' | 'globals'>,
): string {
  if (key === undefined) {
    return `Look before sending it again: ${serviceLine(globals, 'api', 'GET', path)}`;
  }
  const more = typed.idempotencyKey === undefined ? ['--idempotency-key', key] : [];
  const readsPipe =
    typed.input === '-' || typed.input?.startsWith('/dev/fd/') === true || typed.fields.some(readsStdin);
  const sameInput = readsPipe ? ', with the same input,' : '';
  return `This settles it${sameInput} and creates nothing twice:\n  ${sameCommand(context.argv, ...more)}`;
}
