import { setFlagsFromString } from 'node:v8';

/** First numbers of V8: those of Node 20, 22, 24 and 26. */
const known: readonly string[] = ['11', '12', '13', '14'];

let engine = '';

/**
 * Which V8 this process runs on, as Node tells it. What is set is set for the whole process; where nobody said this, as in
 * tests, nothing is.
 */
export function meetEngine(version: string): void {
  engine = version.split('.', 1)[0] ?? '';
}

/**
 * Sets flags of V8 where it has them; another one would complain on stderr. It takes no cached code any more then, neither
 * ours nor that of Node's own modules: so this comes after what is needed was loaded.
 *
 * @param engines first numbers of the V8s that have these flags.
 */
export function setEngineFlags(flags: string, engines = known): void {
  if (engines.includes(engine)) setFlagsFromString(flags);
}
