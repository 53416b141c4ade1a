import { closeSync, openSync, readSync } from 'node:fs';
import { pageText } from '../commands/help/page-text.ts';
import { isStandalone, readOwnFile } from '../fs/standalone.ts';

/**
 * Help pages, made by the build. The file begins with an index, one line per command or alias, so that one page is read
 * without the others:
 *
 *     properties create <tab> offset <tab> bytes of the text for 80 columns <tab> bytes of its content as JSON <tab> leaf
 *     properties new <tab> properties create
 */
const INDEX_BYTES = 8_192;

/** A page as the build makes it. */
export interface MadePage {
  /** The words of the command; empty for the root. */
  readonly words: string;
  /** Aliases of the command. */
  readonly aliases: readonly string[];
  /** A group, which prints its page when no subcommand is given. */
  readonly isGroup: boolean;
  /** The text for 80 columns. */
  readonly text: string;
  /** The content as JSON, for any width. */
  readonly model: string;
}

/** The name of the command tree in the index, which is no word of a command. */
const TREE = '__tree';

/**
 * The file that `pageFor` and `treeIn` read.
 *
 * @param tree the command tree and codes for completions, as JSON.
 * @throws when there are too many pages for the index.
 */
export function pagesFileOf(made: readonly MadePage[], tree: string): Buffer {
  const lines: string[] = [''];
  const parts: Buffer[] = [];
  let offset = INDEX_BYTES;
  const all = [...made, { words: TREE, aliases: [], isGroup: false, text: tree, model: '' }];
  for (const { words, aliases, isGroup, text, model } of all) {
    const [textBytes, modelBytes] = [Buffer.from(text), Buffer.from(model)];
    lines.push(
      [words, offset, textBytes.length, modelBytes.length, isGroup ? 'group' : 'leaf'].join('\t'),
      ...aliases.map((alias) => `${alias}\t${words}`),
    );
    parts.push(textBytes, modelBytes);
    offset += textBytes.length + modelBytes.length;
  }
  const index = Buffer.from(`${lines.join('\n')}\n`);
  if (index.length > INDEX_BYTES) throw new Error(`The index of help pages has ${index.length} bytes.`);
  return Buffer.concat([index, Buffer.alloc(INDEX_BYTES - index.length, '\n'), ...parts]);
}

/** Whether a command line may request a help page. A quick check that needs no file. */
export function mayAskForPage(words: readonly string[]): boolean {
  return words.length < 2 || words[0] === 'help' || isHelpFlag(words.at(-1));
}

/**
 * The help page that a command line requests, as the program prints it; `undefined` if it may request something else.
 *
 * @param words the words after the program's name.
 * @param columnsOf returns the width; called only if there is a page.
 * @throws when the file is missing or truncated.
 */
export function pageFor(words: readonly string[], path: string, columnsOf: () => number): Buffer | undefined {
  return withFile(path, (part, index) => {
    const page = pageNamed(words, index);
    if (page === undefined) return undefined;
    const { offset, textBytes, modelBytes } = page;
    const columns = columnsOf();
    if (columns === 80) return part(offset, textBytes);
    const model = part(offset + textBytes, modelBytes).toString('utf8');
    return Buffer.from(pageText(JSON.parse(model), columns));
  });
}

/** The command tree and codes for completions, as JSON. @throws when the file is missing or truncated. */
export function treeIn(path: string): string {
  return withFile(path, (part, index) => {
    const { offset = 0, textBytes = 0 } = placeOf(TREE, index) ?? {};
    return part(offset, textBytes).toString('utf8');
  });
}

/** Reads a part of the file. */
type ReadPart = (offset: number, length: number) => Buffer;

function withFile<Result>(path: string, use: (part: ReadPart, index: string) => Result): Result {
  const useParts = (part: ReadPart) => use(part, part(0, INDEX_BYTES).toString('latin1'));
  if (isStandalone()) {
    const bytes = readOwnFile(path);
    return useParts((offset, length) => bytes.subarray(offset, offset + length));
  }
  const file = openSync(path, 'r');
  try {
    return useParts((offset, length) => readPart(file, offset, length));
  } finally {
    closeSync(file);
  }
}

function readPart(file: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  if (readSync(file, bytes, 0, length, offset) !== length) throw new Error('the help pages are truncated');
  return bytes;
}

interface Place {
  readonly words: string;
  readonly offset: number;
  readonly textBytes: number;
  readonly modelBytes: number;
  readonly isGroup: boolean;
}

/** Matches `properties create --help`, `help properties create`, and the group `properties` alone. */
function pageNamed(words: readonly string[], index: string): Place | undefined {
  if (isHelpFlag(words.at(-1))) return walk(words.slice(0, -1), index);
  if (words[0] === 'help') return walk(words.slice(1), index);
  const page = walk(words, index);
  return page?.isGroup === true ? page : undefined;
}

function isHelpFlag(word: string | undefined): boolean {
  return word === '--help' || word === '-h';
}

/** Each word is the name or alias of a subcommand of the one before. */
function walk(words: readonly string[], index: string): Place | undefined {
  let page = placeOf('', index);
  for (const word of words) {
    if (page === undefined || !/^[a-z-]+$/.test(word)) return undefined;
    page = placeOf(page.words === '' ? word : `${page.words} ${word}`, index);
  }
  return page;
}

function placeOf(words: string, index: string): Place | undefined {
  const start = index.indexOf(`\n${words}\t`);
  if (start === -1) return undefined;
  const [name = '', target = '', textBytes, modelBytes, kind] = index
    .slice(start + 1, index.indexOf('\n', start + 1))
    .split('\t');
  if (textBytes === undefined) return placeOf(target, index);
  return {
    words: name,
    offset: Number(target),
    textBytes: Number(textBytes),
    modelBytes: Number(modelBytes),
    isGroup: kind === 'group',
  };
}
