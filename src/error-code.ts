import { constants } from 'node:os';

/** The `code` of a system, TLS or library error, such as `EACCES`; `undefined` for anything else. */
export function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error && 'code' in cause && typeof cause.code === 'string')) return undefined;
  return isQuota(cause) ? 'EDQUOT' : cause.code;
}

/** What is said of whatever was thrown. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Node has no name for it, and knows its number. */
function isQuota(cause: Error): boolean {
  return 'errno' in cause && cause.errno === -constants.errno.EDQUOT;
}
