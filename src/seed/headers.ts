import type { Detail } from '../cli/errors.ts';
import { guess } from '../model/names.ts';
import { quote } from '../model/text.ts';
import type { Dialect } from '../service/dialect.ts';
import { isColumn, nameProblem } from './columns.ts';
import { type Kind, kinds, listed } from './entry.ts';
import { columnsOf, isSameHeader, meantColumn, nearestColumn } from './header-words.ts';
import { foreignFields } from './names.ts';

/** How a header that is no name of a column was read. */
export interface MappedHeader {
  readonly file: string;
  readonly header: string;
  /** `null` if the column is left out. */
  readonly field: string | null;
}

/** A header that means no column. */
export interface UnknownColumn {
  readonly file: string;
  readonly header: string;
  /** The kind of the rows, if the other headers show it. */
  readonly kind: Kind | undefined;
  /** The columns that the table has. */
  readonly taken: ReadonlySet<string>;
  /** The table lacks a column that every row needs. */
  readonly isNeeded: boolean;
}

/** The headers of all tables of a command, and what `--map` says about them. */
export class Headers {
  readonly #map: readonly (readonly [header: string, column: string])[];
  readonly #only: Kind | undefined;
  readonly #seen = new Set<string>();
  /** The headers that were not the names of their columns. */
  readonly mapped: MappedHeader[] = [];

  /**
   * @param map words such as `Ort=city`; without a column after the equals sign it is left out.
   * @param only the only accepted kind.
   */
  constructor(map: readonly string[], only?: Kind) {
    this.#map = map.map((word) => [
      word.slice(0, word.lastIndexOf('=')),
      word.slice(word.lastIndexOf('=') + 1),
    ]);
    this.#only = only;
  }

  /** The column for a header whose rows may be of these kinds: a name, or the header itself; `undefined` to leave it out. */
  columnFor(header: string, possible: readonly Kind[]): string | undefined {
    const column = this.mappedTo(header);
    if (column !== undefined) return column === '' ? undefined : (nameOf(column, this.#kinds) ?? column);
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
      if (column === '' || nameOf(column, this.#kinds) !== undefined) return [];
      const reason = nameProblem(column, this.#kinds)?.reason ?? '';
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

  /** A command line without the words of `--map` whose headers no table has. */
  usedIn(argv: readonly string[]): readonly string[] {
    const unused = this.#unused.map((pair) => pair.join('='));
    const isFlag = (word: string, at: number) => word === '--map' && unused.includes(argv[at + 1] ?? '');
    return argv.filter((word, at) => !isFlag(word, at) && !unused.includes(word.replace(/^--map=/, '')));
  }

  get #unused() {
    const seen = [...this.#seen];
    return this.#map.filter(([from]) => !seen.some((header) => isSameHeader(from, header)));
  }

  get #kinds(): readonly Kind[] {
    return this.#only === undefined ? kinds : [this.#only];
  }
}

/** The column that a name or a word means; `undefined` if it means none. */
function nameOf(word: string, possible: readonly Kind[]): string | undefined {
  if (isColumn(word, possible.length === 0 ? kinds : possible)) return word;
  return possible.map((kind) => meantColumn(word, kind)).find((column) => column !== undefined);
}

/** The columns that an unknown header may be, and the nearest of them. */
export function choicesFor({ header, kind, taken }: UnknownColumn, dialect: Pick<Dialect, 'further'>) {
  const possible = (kind === undefined ? kinds : [kind]).flatMap((each) => {
    const foreign = foreignFields(each, dialect);
    return columnsOf(each).filter((column) => !foreign.some((path) => `${column}.`.startsWith(`${path}.`)));
  });
  const columns = [...new Set(possible)].filter((column) => !taken.has(column));
  const meant = kind && nearestColumn(header, kind);
  const near = meant && columns.find((each) => each === meant || each.startsWith(`${meant}.`));
  return { columns, near };
}
