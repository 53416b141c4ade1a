import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { openCachedData } from './cached-data.ts';

/** The files of the built program. */
export interface Chunks {
  /** Evaluates a file, once. @returns what it exports. */
  load(name: string): unknown;
  /** What was loaded, for whoever makes cached data of it. */
  readonly loaded: ReadonlyMap<string, Loaded>;
}

/** A file of the program, compiled. */
export interface Loaded {
  readonly script: Script;
  readonly text: string;
}

/** What Node puts around a file of CommonJS. */
const OPENING = '(function(exports,require,module,__filename,__dirname){';

/**
 * The text of a file as `openChunks` reads it: with what Node puts around others when it reads them. To put that around a
 * large text would copy it, twice, and fill V8's space for what is new.
 */
export function chunkOf(code: string): string {
  return `${OPENING}${code}\n})`;
}

/** What the names of files begin with in stack traces: cached data has them in it, and is the same wherever it lies. */
export const PLACE = 'innctl:';

/**
 * Reads the files of a folder that `chunkOf` made as Node would, but for the code that V8 made of them before: it saves parsing and compiling
 * them, and is there to be taken or left.
 *
 * @param cachedData path of that code; where there is none, or none that fits, the program is slower and the same.
 * @param builtin a module of Node's.
 */
export function openChunks(folder: string, cachedData: string, builtin: (id: string) => unknown): Chunks {
  const modules = new Map<string, { exports: unknown }>();
  const loaded = new Map<string, Loaded>();
  const cachedFor = openCachedData(cachedData);
  const load = (name: string): unknown => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const filename = join(folder, name);
    // The build leaves ASCII alone in them, and this is the quickest way to read that.
    const text = readFileSync(filename, 'latin1');
    const script = new Script(text, {
      filename: `${PLACE}${name}`,
      columnOffset: -OPENING.length,
      cachedData: cachedFor(name, text),
    });
    const module = { exports: {} };
    modules.set(name, module);
    loaded.set(name, { script, text });
    const require = (id: string) => (id.startsWith('./') ? load(id.slice(2)) : builtin(id));
    script.runInThisContext().call(module.exports, module.exports, require, module, filename, folder);
    return module.exports;
  };
  return { load, loaded };
}
