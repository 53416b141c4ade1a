import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** Bytes before the first part of a file of cached data: the parts by the names of their files, as JSON. */
const HEAD_BYTES = 1_024;

/** Where the code of one file stands, the stamp that its text ends with, and the sum of its samples. */
type Part = readonly [offset: number, length: number, stamp: string, sum: number];

/** The stamp is a comment at the end of a text. */
export const STAMP_CHARACTERS = 16;
/** Of a part, one word in so many bytes is looked at. */
const SAMPLE_BYTES = 512;

/**
 * Cached data fits the Node that made it. V8 looks at its own number alone, which Node keeps while it patches V8; and takes
 * code of before such a patch, to end in a segmentation fault. Who else built the same Node, built a file of another size.
 */
export function cachedDataName({ arch, execPath, platform, versions }: Maker): string {
  const size = statSync(execPath, { throwIfNoEntry: false })?.size;
  return `code-${versions.node}-${platform}-${arch}-${size}.bin`;
}

type Maker = Pick<NodeJS.Process, 'arch' | 'execPath' | 'platform' | 'versions'>;

/** A text with the stamp by which its cached data knows it: V8 itself compares no more than lengths. */
export function stamped(text: string, stamp: string): string {
  return `${text}\n//${stamp}`;
}

/**
 * Opens the code that V8 made before. V8 rejects what it made with other flags, and believes
 * the rest; so that what is given to it must be whole, and made of this very text.
 *
 * @returns the code for a file of the program and its text; `undefined` where there is none that fits.
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

/** What finds a block of the disk that was never written, or belongs elsewhere, in a fraction of the time that reading all takes. */
function sampleSum({ buffer, byteOffset, length }: Buffer): number {
  const samples = new Uint32Array(buffer, byteOffset, length >> 2);
  let sum = 0;
  for (let at = 0; at < samples.length; at += SAMPLE_BYTES / 4)
    sum = (Math.imul(sum, 31) + (samples[at] ?? 0)) | 0;
  return sum;
}

/** The file of cached data of what was loaded, with all functions that were called. */
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
