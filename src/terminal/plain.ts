/**
 * Whether the person wants words only: nothing drawn, nothing redrawn, no cursor that moves. TERM=dumb says so, and
 * ACCESSIBLE, but for an empty value, `0` and `false`.
 */
export function isPlain(env: Readonly<Record<string, string | undefined>>): boolean {
  const isAccessible = !['', '0', 'false'].includes((env['ACCESSIBLE'] ?? '').toLowerCase());
  return isAccessible || env['TERM'] === 'dumb';
}
