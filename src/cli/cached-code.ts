import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** Bytes of the header of a cached-data file: JSON, part by file name. */
const HEAD_BYTES = 1_024;

/** Position and length of one file's cached data, the stamp of its source text, and a sampled checksum. */
type Part = readonly [offset: number, length: number, stamp: string, sum: number];

/** The stamp is a comment at the end of a source text. */
export const STAMP_CHARACTERS = 16;
/** The checksum reads one word per this many bytes. */
const SAMPLE_BYTES = 512;

/**
 * The file name of the cached data for this Node. V8 checks only its own version, which Node keeps when it patches V8,
 * and crashes on data from before such a patch. A Node that others built from the same version differs in size.
 */
export function cachedDataName({ arch, execPath, platform, versions }: Maker): string {
  const size = statSync(execPath, { throwIfNoEntry: false })?.size;
  return `code-${versions.node}-${platform}-${arch}-${size}.bin`;
}

type Maker = Pick<NodeJS.Process, 'arch' | 'execPath' | 'platform' | 'versions'>;

/** Appends the stamp that ties a source text to its cached data; V8 itself compares only lengths. */
export function stamped(text: string, stamp: string): string {
  return `${text}\n//${stamp}`;
}

/**
 * Opens V8's cached data. V8 rejects data made with other flags but checks nothing else, so the data must be complete
 * and made from exactly this text.
 *
 * @returns a lookup by file name and source text; `undefined` if nothing matches.
 */
function openCachedData(path: string): (name: string, text: string) => Buffer | undefined {
  const parts = partsIn(path);
  return (name, text) => {
    const part = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (!isPart(part)) return undefined;
    const [offset, length, stamp, sum] = part;
    if (stamp !== stampOf(text)) return undefined;
    const bytes = readPart(path, offset, length);
    return bytes !== undefined && sampleSum(bytes) === sum ? bytes : undefined;
  };
}

function partsIn(path: string): Readonly<Record<string, unknown>> {
  const head = readPart(path, 0, HEAD_BYTES);
  try {
    return head === undefined ? {} : Object(JSON.parse(head.toString('latin1')));
  } catch {
    return {};
  }
}

function isPart(part: unknown): part is Part {
  return Array.isArray(part) && part.length === 4;
}

function stampOf(text: string): string {
  return text.slice(-STAMP_CHARACTERS);
}

/** `undefined` if the file is missing or too short. */
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

/** Detects unwritten or misplaced disk blocks without reading everything. */
function sampleSum({ buffer, byteOffset, length }: Buffer): number {
  const samples = new Uint32Array(buffer, byteOffset, length >> 2);
  let sum = 0;
  for (let at = 0; at < samples.length; at += SAMPLE_BYTES / 4)
    sum = (Math.imul(sum, 31) + (samples[at] ?? 0)) | 0;
  return sum;
}

/** The cached data of all loaded files, including every function that was called. */
export function cachedDataOf(loaded: ReadonlyMap<string, Loaded>): Buffer {
  const head: Record<string, Part> = {};
  const parts: Buffer[] = [];
  let offset = HEAD_BYTES;
  for (const [name, { script, text }] of loaded) {
    const data = script.createCachedData();
    head[name] = [offset, data.length, stampOf(text), sampleSum(data)];
    parts.push(data);
    offset += data.length;
  }
  const bytes = Buffer.from(JSON.stringify(head));
  if (bytes.length > HEAD_BYTES) throw new Error(`The head of the cached data has ${bytes.length} bytes.`);
  return Buffer.concat([bytes, Buffer.alloc(HEAD_BYTES - bytes.length, ' '), ...parts]);
}

/** The files of the built program. */
export interface Chunks {
  /** Evaluates a file, once. @returns what it exports. */
  load(name: string): unknown;
  /** The files loaded so far, for making cached data. */
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
 * The source text as `openChunks` reads it, wrapped at build time: wrapping a large text at run time would copy it
 * twice.
 */
export function chunkOf(code: string): string {
  return `${OPENING}${code}\n})`;
}

/** Prefix of file names in stack traces and cached data, independent of the installation folder. */
export const PLACE = 'innctl:';

/**
 * Loads files made by `chunkOf` as Node would, with V8's cached data if it matches.
 *
 * @param cachedData path of that data; without it the program is only slower.
 * @param builtin loads a module of Node.
 */
export function openChunks(folder: string, cachedData: string, builtin: (id: string) => unknown): Chunks {
  const modules = new Map<string, { exports: unknown }>();
  const loaded = new Map<string, Loaded>();
  const cachedFor = openCachedData(cachedData);
  const load = (name: string): unknown => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const filename = join(folder, name);
    // The build writes only ASCII, and this is the fastest way to read it.
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
