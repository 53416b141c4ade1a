import { DEEPEST, tooDeep } from '../fs/read.ts';
import type { Detail } from '../model/errors.ts';
import {
  type Field,
  isInLanguages,
  isInventory,
  type Kind,
  kinds,
  kindTable,
  severalOf,
} from '../model/kinds.ts';
import { guess, quote } from '../model/text.ts';
import { languageProblem } from '../model/values.ts';
import { sameCommand } from '../print/text.ts';
import { isRequired, listed, type Place, type PlaceProblem } from './entry.ts';
import { isSameHeader, mapMeant, meantColumn, nearestColumn } from './header-words.ts';
import { entryFields, kindByFields, meantBy, shownName, unknownField } from './names.ts';
import type { Problems } from './problems.ts';

/** A column of a table. */
export interface Column {
  readonly name: string;
  /** The names that lead from the entry to its cells. */
  readonly path: readonly string[];
}

/** The first row of a table. */
export interface Header {
  /** `undefined` for a column whose cells are ignored. */
  readonly columns: readonly (Column | undefined)[];
  /** The columns without a name, by their indexes. */
  readonly nameless: readonly number[];
  /** The fewest cells of a row: columns without a name may be left out at the end. */
  readonly width: number;
  /** The kind of all rows; `undefined` where a column `kind` states it. */
  readonly kind: Kind | undefined;
  /** The problems have what is wrong with it; rows are judged by its other columns. */
  readonly isWrong: boolean;
}

/** Reads the first row of a table. */
export type ReadHeader = typeof headerOf;

const MOST_NAMED = 3;

/**
 * Reads the header of a table: names of columns, or words that mean one.
 *
 * @param place the row that it is.
 * @param delimiter what separates the cells of the table.
 * @returns `undefined` when no column is known; the problems get what is wrong.
 */
export function headerOf(
  cells: readonly string[],
  place: Place,
  delimiter: string,
  reading: HeaderReading,
): Header | undefined {
  const written = cells.map((cell) => cell.trim());
  const { names, kind, reason } = mappedNames(written, delimiter, reading.headers);
  if (reason !== undefined) {
    reading.problems.addAt(place, { reason });
    return undefined;
  }
  const possible = kind === undefined ? kinds : [kind];
  return judgedHeader(written, names, place, reading, {
    kind,
    one: kind === undefined ? '' : kindTable[kind].one,
    needed: kind === undefined ? [] : neededColumns(kind, names),
    problemOf: (name) => nameProblem(name, possible),
    near: (name) => kind && nearestColumn(name, kind),
  });
}

/** What reading a header needs. */
interface HeaderReading {
  readonly problems: Problems;
  readonly headers: Headers;
}

/** What a table may have. */
interface Rules {
  readonly kind: Kind | undefined;
  /** What a row is, for messages. */
  readonly one: string;
  readonly needed: readonly string[];
  readonly problemOf: (name: string) => PlaceProblem | undefined;
  /** The column that a misspelt name may be. */
  readonly near: (name: string) => string | undefined;
}

/**
 * Judges the columns of a header.
 *
 * @param names what the headers mean; `undefined` for a column to leave out, and an empty text for one without a header.
 */
export function judgedHeader(
  written: readonly string[],
  names: readonly (string | undefined)[],
  place: Place,
  { problems, headers }: HeaderReading,
  { kind, one, needed, problemOf, near }: Rules,
): Header {
  const given = names.filter((name) => name !== undefined && name !== '').map(String);
  const named = [...given, ...given.map(near)];
  const lacking = needed.filter((column) => !named.includes(column));
  const wrong = new Map<number, PlaceProblem>();
  for (const [index, name = ''] of names.entries()) {
    if (name === '') continue;
    const [header = '', before = ''] = [written[index], written[names.indexOf(name)]];
    const isTwice = names.indexOf(name) < index;
    const outer = given.find((each) => each.startsWith('extra.') && name.startsWith(`${each}.`));
    const nested =
      outer === undefined ? undefined : { reason: `is part of ${outer}, which is also a column` };
    const twice = { reason: `is given twice, as ${quote(before)} and ${quote(header)}` };
    const problem = isTwice ? twice : (problemOf(name) ?? nested);
    if (problem === undefined) continue;
    const meant = near(header) ?? 'COLUMN';
    if (headers.mappedTo(header) === undefined && !(isTwice && isSameHeader(before, header)))
      headers.noteUnknown(header, isTwice ? '' : given.includes(meant) ? 'COLUMN' : meant);
    wrong.set(index, { ...problem, field: shownName(name) });
  }
  if (lacking.length > 0) headers.noteLacking();
  const missing = lacking.map((column) => ({ reason: `has no column ${column}, which ${one} needs` }));
  for (const problem of [...wrong.values(), ...missing]) problems.addAt(place, problem);
  const isWrong = wrong.size + missing.length > 0;
  if (!isWrong)
    for (const [index, header] of written.entries()) headers.note(place.file, header, names[index]);
  return {
    columns: names.map((name, index) =>
      name && !wrong.has(index) ? { name, path: name.split('.') } : undefined,
    ),
    nameless: [...names.keys()].filter((index) => names[index] === ''),
    width: names.findLastIndex((name) => name !== '') + 1,
    kind,
    isWrong,
  };
}

/** The columns of a table, if its rows are of a kind. */
interface Candidate {
  readonly kind: Kind;
  readonly names: readonly (string | undefined)[];
}

/**
 * The names of the columns, and the kind of the rows if no column states it: the one that has most of them, for hotels have e-mail
 * addresses, too.
 *
 * @returns `reason`: why the kind is not plain, if it is not.
 */
function mappedNames(written: readonly string[], delimiter: string, headers: Headers) {
  const under = (possible: readonly Kind[]) =>
    written.map((header) => (header === '' ? header : headers.columnFor(header, possible)));
  if (under([]).includes('kind')) return { names: under(kinds), kind: undefined };
  // A role is given by an invitation, which has no names of people.
  const isInvited = under(['invitation']).some((name) => name === 'role' || name === 'roles');
  const isOfUser = kindByFields(under(['user']).map(String)) === 'user';
  const possible = kinds.filter((kind) => kind !== 'user' || !isInvited || isOfUser);
  const candidates = possible.map((kind) => ({ kind, names: under([kind]) }));
  const most = Math.max(...candidates.map(known));
  const best = candidates.filter((each) => known(each) === most);
  const sure = best.find((each) => kindByFields(present(each)) === each.kind) ?? best.find(isWhole);
  const { names, kind } = sure ?? best[0] ?? none;
  const saysMore = (each: Candidate) =>
    !isInventory(each.kind) || known(each) > neededColumns(each.kind, each.names).length;
  const rival = best.find((each) => aboutOf(each.kind) !== aboutOf(kind) && isWhole(each) && saysMore(each));
  if (most > 0 && rival === undefined) return { names, kind };
  const shown = (each: Candidate) =>
    `${severalOf(each.kind)} (${listed(written.filter((_, index) => isKnown(each.names[index], each.kind)))})`;
  const sample = kindTable.property.sample.join(delimiter);
  const reason =
    most > 0 && rival !== undefined
      ? `may be of ${shown({ kind, names })} or of ${shown(rival)}: add a column kind`
      : `is not a header: ${listed(written.map(shownName), MOST_NAMED)} name no fields; the first row does, or that of --header-row, such as ${sample}`;
  return { names, kind, reason };
}

const none: Candidate = { kind: 'property', names: [] };

function present({ names }: Candidate): readonly string[] {
  return names.filter((name) => name !== undefined);
}

/** What rows of a kind are about: users and invitations are people. */
function aboutOf(kind: Kind) {
  return kind === 'user' ? 'invitation' : kind.split('_')[0];
}

/** Whether a table may be of a kind: one of units and the like has what they cannot do without. */
function isWhole({ kind, names }: Candidate): boolean {
  return !isInventory(kind) || neededColumns(kind, names).every((column) => names.includes(column));
}

/** How many columns of a kind have these names. */
function known({ kind, names }: Candidate): number {
  return names.filter((name) => isKnown(name, kind)).length;
}

/** Whether a name is a column of a kind, or is one with a language after it. */
function isKnown(name: string | undefined, kind: Kind): boolean {
  return name !== undefined && (isColumn(name, [kind]) || mapMeant(name, kind) !== undefined);
}

/** Columns without which every row would lack something. Of a name, any language will do. */
function neededColumns(kind: Kind, names: readonly (string | undefined)[]): readonly string[] {
  const needed = kindTable[kind].fields.filter((each) => each.name === 'property' || isRequired(kind, each));
  const hasName = names.some((name) => name !== undefined && /^name(\.|$)/i.test(name));
  return needed.map(sampleOf).filter((column) => column !== 'name.en' || !hasName);
}

/** A column of a field. */
function sampleOf({ name, type, example = '' }: Field): string {
  if (type === 'languages') return `${name}.en`;
  return type === 'counts' ? `${name}.${example.split('=')[0]}` : name;
}

/** Whether a column whose rows may be of these kinds can have a name. */
function isColumn(name: string, possible: readonly Kind[]): boolean {
  return nameProblem(name, possible) === undefined;
}

/** What is wrong with the name of a column whose rows may be of these kinds, or `undefined`. */
function nameProblem(name: string, possible: readonly Kind[]): PlaceProblem | undefined {
  if (name === 'kind') return undefined;
  const path = name.split('.');
  if (path.length > DEEPEST) return { reason: tooDeep };
  const knowing = possible.filter((kind) => entryFields(kind).includes(path[0] ?? ''));
  const found = knowing.map((kind) => pathProblem(kind, path));
  if (found.length > 0) return found.includes(undefined) ? undefined : found[0];
  const likely = possible.find((kind) => meantBy(kind, name) !== undefined) ?? possible[0] ?? 'property';
  const map = mapMeant(name, likely);
  return map === undefined
    ? unknownField(likely, name, nearestColumn(name, likely))
    : pathProblem(likely, [map]);
}

/** What is wrong with a column whose first name is a field. */
function pathProblem(kind: Kind, path: readonly string[]): PlaceProblem | undefined {
  const [first, ...rest] = path;
  const write = (column: string) => ({ reason: `is not a column: write ${column}` });
  if (first === 'extra') {
    const isBroken = rest.length === 0 || rest.some((name) => name.trim() === '' || name === '__proto__');
    return isBroken ? write('extra.<field>') : undefined;
  }
  const inner = kindTable[kind].fields.filter((field) => field.path[0] === first);
  const field = inner.find((each) => each.path.length === 1 || each.path[1] === rest[0]);
  if (field === undefined)
    return rest.length > 0 ? unknownField(kind, path.join('.')) : write(inner[0]?.name ?? '');
  const [key, ...more] = path.slice(field.path.length);
  const isMap = isInLanguages(field) || field.type === 'counts';
  if (isMap ? key === undefined || more.length > 0 : key !== undefined) return write(sampleOf(field));
  const reason = isInLanguages(field) ? languageProblem(key ?? '') : undefined;
  return reason === undefined ? undefined : { reason };
}

/** How a header that is no name of a column was read. */
export interface MappedHeader {
  readonly file: string;
  readonly header: string;
  /** `null` if the column is left out. */
  readonly field: string | null;
}

/** The headers of all tables of a command, and what `--map` and `--map-rest` say about them. */
export class Headers {
  readonly #map: readonly (readonly [header: string, column: string])[];
  readonly #ignoresRest: boolean;
  readonly #seen = new Set<string>();
  /** The headers that were not the names of their columns. */
  readonly mapped: MappedHeader[] = [];
  /** The headers that mean no column, with the column that they may be. */
  readonly #unknown = new Map<string, string>();
  #isLacking = false;

  /**
   * @param map words such as `Ort=city`; without a column after the equals sign it is left out.
   * @param rest `ignore` leaves out all columns that are not known.
   */
  constructor(map: readonly string[], rest?: string) {
    this.#ignoresRest = rest === 'ignore';
    this.#map = map.map((word) => [
      word.slice(0, word.lastIndexOf('=')),
      word.slice(word.lastIndexOf('=') + 1),
    ]);
  }

  /** The column for a header whose rows may be of these kinds: a name, or the header itself; `undefined` to leave it out. */
  columnFor(header: string, possible: readonly Kind[]): string | undefined {
    const column = this.mappedTo(header);
    if (column !== undefined) return column === '' ? undefined : (nameOf(column, kinds) ?? column);
    const isOther = this.#ignoresRest && !possible.some((kind) => mapMeant(header, kind) !== undefined);
    return nameOf(header, possible) ?? (isOther ? undefined : header);
  }

  /** How many of some cells are headers of columns. */
  knownIn(cells: readonly string[]): number {
    const isKnownOf = (header: string) => (kind: Kind) => isKnown(nameOf(header, [kind]) ?? header, kind);
    const headers = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
    return headers.filter((header) => this.columnOf(header) || kinds.some(isKnownOf(header))).length;
  }

  /** The column that `--map` gives a header, or a cell that may be none. */
  columnOf(cell: string): string | undefined {
    return this.#map.find(([from]) => isSameHeader(from, cell))?.[1];
  }

  /** The column that `--map` gives a header, empty to leave it out; `undefined` if it says nothing. */
  mappedTo(header: string): string | undefined {
    this.#seen.add(header);
    return this.columnOf(header);
  }

  /** Remembers how a header was read. */
  note(file: string, header: string, field: string | undefined): void {
    if (header !== field) this.mapped.push({ file, header, field: field ?? null });
  }

  /** What is wrong with the columns of `--map`. */
  targetProblems(): readonly Detail[] {
    return this.#map.flatMap(([header, column]) => {
      if (column === '' || nameOf(column, kinds) !== undefined) return [];
      const reason = nameProblem(column, kinds)?.reason ?? '';
      return [{ field: '--map', reason: `${quote(`${header}=${column}`)}: ${column} ${reason}` }];
    });
  }

  /** What is wrong with the headers of `--map`, once all tables are read. */
  sourceProblems(): readonly Detail[] {
    return this.#unused.map(([from]) => ({
      field: '--map',
      reason: `no table has a column ${quote(from)}${guess(from, [...this.#seen])}`,
    }));
  }

  /** Remembers a header that means no column. @param near what `--map` may say about it. */
  noteUnknown(header: string, near: string): void {
    if (!this.#unknown.has(header)) this.#unknown.set(header, near);
  }

  /** Remembers that a table lacks a column: one of the others may be it. */
  noteLacking(): void {
    this.#isLacking = true;
  }

  /**
   * The same command with `--map` for each header that means no column, and `--map-rest` for those that need not mean one;
   * `undefined` without any, or if a word of it is wrong.
   */
  mapLine(argv: readonly string[]): string | undefined {
    if (this.#unknown.size === 0 || this.#unused.length > 0) return undefined;
    const isRest = ([, near]: readonly [string, string]) => near === 'COLUMN' && !this.#isLacking;
    const words = [...this.#unknown]
      .filter((pair) => !isRest(pair))
      .flatMap((pair) => ['--map', pair.join('=')]);
    const rest = [...this.#unknown].some(isRest) ? ['--map-rest', 'ignore'] : [];
    return sameCommand(argv, ...words, ...rest);
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
