import { setFlagsFromString } from 'node:v8';

/** Major versions of V8 in Node 20, 22, 24 and 26. */
const known: readonly string[] = ['11', '12', '13', '14'];

let engine = '';

/** Sets the V8 version of this process. Without it, as in tests, `setEngineFlags` does nothing. */
export function setEngineVersion(version: string): void {
  engine = version.split('.', 1)[0] ?? '';
}

/**
 * Sets V8 flags if this V8 has them; an unknown flag would be reported on stderr. Afterwards V8 rejects cached data,
 * including that of Node's own modules, so load everything first.
 *
 * @param engines major versions of V8 that have these flags.
 */
export function setEngineFlags(flags: string, engines = known): void {
  if (engines.includes(engine)) setFlagsFromString(flags);
}
