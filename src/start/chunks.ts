import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** The files of the built program. */
export interface Chunks {
  /** Evaluates a file, once. @returns what it exports. */
  load(name: string): unknown;
  /** What was loaded, for whoever makes cached data of it. */
  readonly scripts: ReadonlyMap<string, Script>;
}

/** Bytes before the first part of a file of cached data: JSON, where each part begins and how long it is. */
const HEAD_BYTES = 1_024;

/** Of each file. */
type CachedParts = Readonly<Record<string, readonly [offset: number, length: number]>>;

/** What Node puts around a file of CommonJS. */
const OPENING = '(function(exports,require,module,__filename,__dirname){';

/**
 * Reads the files of a folder as Node would, but for the code that V8 made of them before: it saves parsing and compiling
 * them. It is there to be taken or left: V8 itself rejects what another version made, with other flags, or of another text.
 *
 * @param cachedData path of that code; where there is none, or none that fits, the program is slower and the same.
 * @param builtin a module of Node's.
 */
export function openChunks(folder: string, cachedData: string, builtin: (id: string) => unknown): Chunks {
  const modules = new Map<string, { exports: unknown }>();
  const scripts = new Map<string, Script>();
  const cached = openCachedData(cachedData);
  const load = (name: string): unknown => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const filename = join(folder, name);
    const script = new Script(`${OPENING}${readFileSync(filename, 'utf8')}\n})`, {
      filename,
      columnOffset: -OPENING.length,
      cachedData: cached(name),
    });
    scripts.set(name, script);
    const require = (id: string) => (id.startsWith('./') ? load(id.slice(2)) : builtin(id));
    script.runInThisContext().call(module.exports, module.exports, require, module, filename, folder);
    return module.exports;
  };
  return { load, scripts };
}

function openCachedData(path: string): (name: string) => Buffer | undefined {
  const parts = partsIn(path);
  return (name) => {
    const [offset, length] = (Object.hasOwn(parts, name) && parts[name]) || [0, 0];
    return length === 0 ? undefined : readPart(path, offset, length);
  };
}

function partsIn(path: string): CachedParts {
  const head = readPart(path, 0, HEAD_BYTES);
  try {
    return head === undefined ? {} : JSON.parse(head.toString('latin1'));
  } catch {
    return {};
  }
}

/** `undefined` where the file is not there, or is shorter. */
function readPart(path: string, offset: number, length: number): Buffer | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.allocUnsafeSlow(length);
      return readSync(file, bytes, 0, length, offset) === length ? bytes : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** Cached data fits one version of V8, whatever Node's own number is, and one architecture. */
export function cachedDataName(v8: string, arch: string): string {
  return `code-${v8.split('-')[0]}-${arch}.bin`;
}

/** The file of cached data of what was loaded, with all functions that were called. */
export function cachedDataOf(scripts: Chunks['scripts']): Buffer {
  const parts = [...scripts].map(([name, script]) => ({ name, data: script.createCachedData() }));
  const head: Record<string, readonly [number, number]> = {};
  let offset = HEAD_BYTES;
  for (const { name, data } of parts) {
    head[name] = [offset, data.length];
    offset += data.length;
  }
  return Buffer.concat([
    Buffer.from(JSON.stringify(head).padEnd(HEAD_BYTES)),
    ...parts.map(({ data }) => data),
  ]);
}
