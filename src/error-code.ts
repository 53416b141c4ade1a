/** The `code` of a system, TLS or library error, such as `EACCES`; `undefined` for anything else. */
export function codeOf(cause: unknown): string | undefined {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
}
