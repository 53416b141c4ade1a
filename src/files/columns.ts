import { DEEPEST, tooDeep } from '../fs/document.ts';
import { allPropertyFields, propertyFields } from '../model/property-fields.ts';
import { quote } from '../model/text.ts';
import { languageProblem } from '../model/values.ts';
import { isInventory, isNeeded, type Kind, kinds, listed, type Place, type PlaceProblem } from './entry.ts';
import type { Reading } from './grammar.ts';
import { freeColumn, isSameHeader, mapMeant, meantColumn, nearestColumn } from './header-words.ts';
import type { Headers } from './headers.ts';
import { entryKinds, identifying, inventoryMaps, kindByFields, severalOf } from './kind.ts';
import { meantBy, nearestName, shownName, unknownField } from './names.ts';

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
}

/** Reads the first row of a table. */
export type ReadHeader = typeof headerOf;

const MOST_NAMED = 3;

/**
 * Reads the header of a table: names of columns, or words that mean one.
 *
 * @param place the row that it is.
 * @param delimiter what separates the cells of the table.
 * @returns `undefined` when it is wrong; the problems get why.
 */
export function headerOf(
  cells: readonly string[],
  place: Place,
  delimiter: string,
  { problems, headers }: Pick<Reading, 'problems' | 'headers'>,
): Header | undefined {
  const written = cells.map((cell) => cell.trim());
  const { names: all, kind, unclear } = mappedNames(written, headers);
  const names = all.filter((name) => name !== undefined && name !== '').map(String);
  const possible = kind === undefined ? kinds : [kind];
  const reason = unclear ?? headerProblem(names, possible, delimiter);
  if (reason !== undefined) {
    problems.addAt(place, { reason });
    return undefined;
  }
  const seen = new Map<string, string>();
  const given = new Set(names);
  const lacking = gaps(names, kind);
  // Without its other columns, or without one of a hotel, a row could be taken for something else.
  const mayBeOther =
    kind !== undefined && ((names.length > 2 && known({ kind, names }) < 2) || isVague(kind, names));
  const wrong = all.flatMap((name = '', index) => {
    const header = written[index] ?? '';
    const problem = columnProblem(name, header, seen, given, possible);
    if (problem?.isUnknown === true && headers.mappedTo(header) === undefined) {
      const isNeeded = lacking.length > 0 || mayBeOther || meantColumn(header, 'property') !== undefined;
      const near = kind && freeColumn(header, kind, given);
      headers.noteUnknown(header, near ?? (isNeeded ? 'COLUMN' : ''));
    }
    if (name !== '') seen.set(name, header);
    return problem ?? [];
  });
  const found = [...wrong, ...lacking];
  for (const problem of found) problems.addAt(place, problem);
  if (found.length > 0) return undefined;
  for (const [index, header] of written.entries()) headers.note(place.file, header, all[index]);
  return { ...columnsNamed(all), kind };
}

/** The columns of a header. @param names `undefined` for a column to leave out, and an empty text for one without a name. */
export function columnsNamed(names: readonly (string | undefined)[]): Omit<Header, 'kind'> {
  return {
    columns: names.map((name) =>
      name === undefined || name === '' ? undefined : { name, path: name.split('.') },
    ),
    nameless: [...names.keys()].filter((index) => names[index] === ''),
    width: names.findLastIndex((name) => name !== '') + 1,
  };
}

/**
 * The names of the columns, and the kind of the rows if no column states it. A header is a name, or what `--map` says, or it
 * means a column; any other stays. `undefined` is a column to leave out. The rows are what most columns are of: hotels have
 * e-mail addresses, too.
 *
 * @returns also why the kind is not plain, if it is not.
 */
function mappedNames(written: readonly string[], headers: Headers) {
  const under = (possible: readonly Kind[]) =>
    written.map((header) => (header === '' ? header : headers.columnFor(header, possible)));
  const present = (names: readonly (string | undefined)[]) => names.filter((name) => name !== undefined);
  const plain = under([]);
  if (plain.includes('kind')) return { names: under(kinds), kind: undefined };
  const candidates = kinds
    .map((kind) => ({ kind, names: under([kind]) }))
    .sort((one, other) => known(other) - known(one));
  const best = candidates.find(({ kind, names }) => kindByFields(present(names)) === kind);
  const kind =
    kindByFields(present(plain)) ?? best?.kind ?? misspelt(present(plain)) ?? likely(candidates[0]);
  if (kind === undefined) return { names: plain, kind };
  const names = under([kind]);
  const [own = 0] = candidates.flatMap((each) => (aboutOf(each.kind) === aboutOf(kind) ? [known(each)] : []));
  const rival = candidates.find(
    (each) => known(each) > 0 && aboutOf(each.kind) !== aboutOf(kind) && isWhole(each),
  );
  if (rival === undefined || own > known(rival)) return { names, kind };
  if (own < known(rival)) return { names: rival.names, kind: rival.kind };
  const shown = ({ kind: each, names: all }: Candidate) =>
    `${severalOf(each)} (${listed(written.filter((_, index) => isKnown(all[index], each)))})`;
  const unclear = `may be of ${shown({ kind, names })} or of ${shown(rival)}: add a column kind`;
  return { names, kind, unclear };
}

/** What rows of a kind are about: users and invitations are people. */
function aboutOf(kind: Kind) {
  return kind === 'user' ? 'invitation' : kind.split('_')[0];
}

/** Whether a table of people has nothing that a table of hotels with their addresses does not have. */
function isVague(kind: Kind, names: readonly string[]): boolean {
  const personal = ['subject_id', 'first_name', 'last_name', 'role', 'roles', 'property_roles'];
  return aboutOf(kind) === 'invitation' && !names.some((name) => personal.includes(name));
}

/** Whether a table has what a kind cannot do without; hotels are told by any column. */
function isWhole({ kind, names }: Candidate): boolean {
  return kind === 'property' || neededColumns[kind].every((column) => names.includes(column));
}

/** The kind of a table whose key column has an unknown header. */
function likely(candidate: Candidate | undefined): Kind | undefined {
  if (candidate === undefined) return undefined;
  const count = known(candidate);
  return count > 1 && count < candidate.names.length ? candidate.kind : undefined;
}

/** The columns of a table, if its rows are of a kind. */
interface Candidate {
  readonly kind: Kind;
  readonly names: readonly (string | undefined)[];
}

/** How many columns of a kind have these names. */
function known({ kind, names }: Candidate): number {
  return names.filter((name) => isKnown(name, kind)).length;
}

/** Whether a name is a column of a kind, or is one with a language after it. */
function isKnown(name: string | undefined, kind: Kind): boolean {
  return name !== undefined && (isColumn(name, [kind]) || mapMeant(name, kind) !== undefined);
}

/** The kind that misspelt names identify. */
function misspelt(names: readonly string[]): Kind | undefined {
  return kindByFields(names.map((name) => nearestName(name, identifying) ?? name));
}

/** Why a row is not a header at all. */
function headerProblem(
  names: readonly string[],
  possible: readonly Kind[],
  delimiter: string,
): string | undefined {
  const isName = (name: string) =>
    isColumn(name, possible) || possible.some((kind) => meantBy(kind, name) !== undefined);
  if (names.some(isName)) return undefined;
  const named = listed(names.map(shownName), MOST_NAMED);
  const sample = entryKinds[possible[0] ?? 'property'].sample.join(delimiter);
  return `is not a header: ${named} name no fields; the first row does, such as ${sample}`;
}

/**
 * What is wrong with a column, or `undefined`.
 *
 * @param header the word for it in the table.
 * @param seen the columns before it, with their headers.
 * @param all columns.
 */
function columnProblem(
  name: string,
  header: string,
  seen: ReadonlyMap<string, string>,
  all: ReadonlySet<string>,
  possible: readonly Kind[],
): (PlaceProblem & { readonly isUnknown?: boolean }) | undefined {
  if (name === '') return undefined;
  const before = seen.get(name);
  if (before !== undefined) {
    const repeated = `${header === name ? '' : `${quote(header)} `}is the name of two columns`;
    const reason = `${quote(before)} and ${quote(header)} are the same column`;
    const isUnknown = !isSameHeader(before, header);
    return { field: shownName(name), reason: before === header ? repeated : reason, isUnknown };
  }
  const problem = nameProblem(name, possible);
  if (problem !== undefined) return { ...problem, field: shownName(name), isUnknown: true };
  // `extra.a` and `extra.a.b` cannot both have a value.
  const parts = name.split('.');
  const outer = parts
    .map((_, end) => parts.slice(0, end).join('.'))
    .find((each) => each.includes('.') && all.has(each));
  if (outer === undefined) return undefined;
  return { field: shownName(name), reason: `is part of ${outer}, which is also a column` };
}

/** What a header lacks; a misspelt name counts as the column that it means. */
function gaps(names: readonly string[], kind: Kind | undefined): readonly PlaceProblem[] {
  if (kind === undefined)
    return names.includes('kind')
      ? []
      : [{ reason: 'does not say what the rows are: add a column kind, code, subject_id or email' }];
  const named = new Set([...names, ...names.map((name) => nearestColumn(name, kind))]);
  return neededColumns[kind]
    .filter((column) => !named.has(column))
    .filter((column) => column !== 'name.en' || !names.some((name) => /^name(\.|$)/i.test(name)))
    .map((column) => ({ reason: `has no column ${column}, which ${entryKinds[kind].one} needs` }));
}

/** Columns without which every row would lack something. */
const neededColumns: Readonly<Record<Kind, readonly string[]>> = {
  property: [
    ...propertyFields
      .filter((field) => field.kind === 'text' && isNeeded(field))
      .map(({ path }) => path.join('.')),
    'name.en',
  ],
  invitation: ['email'],
  user: [],
  unit_attribute: ['name'],
  unit_group: ['property', 'code'],
  unit: ['property'],
};

/** Whether a column whose rows may be of these kinds can have a name. */
export function isColumn(name: string, possible: readonly Kind[]): boolean {
  if (name === 'kind') return true;
  const path = name.split('.');
  const knowing = possible.filter((kind) => entryKinds[kind].fields.includes(path[0] ?? ''));
  return path.length <= DEEPEST && knowing.some((kind) => pathProblem(kind, path) === undefined);
}

/** What is wrong with the name of a column whose rows may be of these kinds, or `undefined`. */
export function nameProblem(name: string, possible: readonly Kind[]): PlaceProblem | undefined {
  if (isColumn(name, possible)) return undefined;
  const path = name.split('.');
  if (path.length > DEEPEST) return { reason: tooDeep };
  const knowing = possible.find((kind) => entryKinds[kind].fields.includes(path[0] ?? ''));
  if (knowing !== undefined) return pathProblem(knowing, path);
  const likely = possible.find((kind) => meantBy(kind, name) !== undefined) ?? possible[0] ?? 'property';
  const map = mapMeant(name, likely);
  if (map !== undefined) return pathProblem(likely, [map]);
  return unknownField(likely, name, nearestColumn(name, likely));
}

/** What is wrong with a column whose first name is a field. */
function pathProblem(kind: Kind, path: readonly string[]): PlaceProblem | undefined {
  const [first = '', ...rest] = path;
  const write = (column: string) => ({ reason: `is not a column: write ${column}` });
  if (first === 'extra') {
    const isBroken = rest.length === 0 || rest.some((name) => name.trim() === '' || name === '__proto__');
    return isBroken ? write('extra.<field>') : undefined;
  }
  const isMap = isInventory(kind) && inventoryMaps(kind).includes(first);
  if (isMap && rest.length === 1) return languageReason(rest[0]);
  if (isMap) return write(`${first}.en, one column for each language`);
  if (first === 'connected') return rest.length === 1 ? undefined : write('connected.DBL');
  if (kind !== 'property') return rest.length === 0 ? undefined : write(first);
  const inner = allPropertyFields.filter((field) => field.path[0] === first);
  const field = inner.find((each) => each.path.length === 1 || each.path[1] === rest[0]);
  if (field === undefined) {
    if (rest.length > 0) return unknownField('property', path.join('.'));
    const sample = first === 'location' ? 'location.city' : inner[0]?.path.join('.');
    return write(`${sample} and the like, one column for each`);
  }
  const name = field.path.join('.');
  const [language, ...more] = path.slice(field.path.length);
  if (field.kind !== 'languages') return language === undefined ? undefined : write(name);
  if (language === undefined) return write(`${name}.en, one column for each language`);
  if (more.length > 0) return write(`${name}.en`);
  return languageReason(language);
}

function languageReason(language = ''): PlaceProblem | undefined {
  const reason = languageProblem(language);
  return reason === undefined ? undefined : { reason };
}
