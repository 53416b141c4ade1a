import type { Detail } from '../cli/errors.ts';
import { guess } from '../model/names.ts';
import { quote } from '../model/text.ts';
import { sameCommand } from '../print/text.ts';
import { isColumn, nameProblem } from './columns.ts';
import { type Kind, kinds, listed } from './entry.ts';
import { isSameHeader, meantColumn } from './header-words.ts';

/** How a header that is no name of a column was read. */
export interface MappedHeader {
  readonly file: string;
  readonly header: string;
  /** `null` if the column is left out. */
  readonly field: string | null;
}

/** The headers of all tables of a command, and what `--map` says about them. */
export class Headers {
  readonly #map: readonly (readonly [header: string, column: string])[];
  readonly #seen = new Set<string>();
  /** The headers that were not the names of their columns. */
  readonly mapped: MappedHeader[] = [];
  /** The headers that mean no column, with the column that they may be. */
  readonly #unknown = new Map<string, string>();

  /** @param map words such as `Ort=city`; without a column after the equals sign it is left out. */
  constructor(map: readonly string[]) {
    this.#map = map.map((word) => [
      word.slice(0, word.lastIndexOf('=')),
      word.slice(word.lastIndexOf('=') + 1),
    ]);
  }

  /** The column for a header whose rows may be of these kinds: a name, or the header itself; `undefined` to leave it out. */
  columnFor(header: string, possible: readonly Kind[]): string | undefined {
    const column = this.mappedTo(header);
    if (column !== undefined) return column === '' ? undefined : (nameOf(column, kinds) ?? column);
    return nameOf(header, possible) ?? header;
  }

  /** The column that `--map` gives a header, empty to leave it out; `undefined` if it says nothing. */
  mappedTo(header: string): string | undefined {
    this.#seen.add(header);
    return this.#map.find(([from]) => isSameHeader(from, header))?.[1];
  }

  /** Remembers how a header was read. */
  note(file: string, header: string, field: string | undefined): void {
    if (header !== field) this.mapped.push({ file, header, field: field ?? null });
  }

  /** What is wrong with the columns of `--map`. */
  targetProblems(): readonly Detail[] {
    return this.#map.flatMap(([header, column], index) => {
      if (this.#map.findIndex(([other]) => isSameHeader(other, header)) < index)
        return [{ field: '--map', reason: `${quote(header)} is mapped twice` }];
      if (column === '' || nameOf(column, kinds) !== undefined) return [];
      const reason = nameProblem(column, kinds)?.reason ?? '';
      return [{ field: '--map', reason: `${quote(`${header}=${column}`)}: ${column} ${reason}` }];
    });
  }

  /** What is wrong with the headers of `--map`, once all tables are read. */
  sourceProblems(): readonly Detail[] {
    const seen = [...this.#seen];
    return this.#unused.map(([from]) => ({
      field: '--map',
      reason: `no table has a column ${quote(from)}${guess(from, seen, seen.length === 0 ? '' : `they have ${listed(seen)}`)}`,
    }));
  }

  /** Remembers a header that means no column. @param near what `--map` may say about it. */
  noteUnknown(header: string, near: string): void {
    if (!this.#unknown.has(header)) this.#unknown.set(header, near);
  }

  /** The same command with `--map` for each header that means no column; `undefined` without any. */
  mapLine(argv: readonly string[]): string | undefined {
    if (this.#unknown.size === 0) return undefined;
    const words = [...this.#unknown].flatMap((pair) => ['--map', pair.join('=')]);
    return sameCommand(this.#usedIn(argv), ...words);
  }

  /** A command line without the words of `--map` whose headers no table has. */
  #usedIn(argv: readonly string[]): readonly string[] {
    const unused = this.#unused.map((pair) => pair.join('='));
    const isFlag = (word: string, at: number) => word === '--map' && unused.includes(argv[at + 1] ?? '');
    return argv.filter((word, at) => !isFlag(word, at) && !unused.includes(word.replace(/^--map=/, '')));
  }

  get #unused() {
    const seen = [...this.#seen];
    return this.#map.filter(([from]) => !seen.some((header) => isSameHeader(from, header)));
  }
}

/** The column that a name or a word means; `undefined` if it means none. */
function nameOf(word: string, possible: readonly Kind[]): string | undefined {
  if (isColumn(word, possible.length === 0 ? kinds : possible)) return word;
  return possible.map((kind) => meantColumn(word, kind)).find((column) => column !== undefined);
}
