import { allPropertyFields, propertyFields } from '../model/property-fields.ts';
import { languageProblem } from '../model/values.ts';
import { isNeeded } from './body.ts';
import { type Kind, kinds, type Place } from './entry.ts';
import { advice, identifying, isOther, kindByFields, nouns } from './kind.ts';
import { fieldsOf, meantBy, type NameProblem, nearestName, shownName, unknownField } from './names.ts';
import type { Problems } from './problems.ts';
import { DEEPEST } from './survey.ts';

/** A column of a table, and where its cells go: under its last name, in what the names above it hold. */
export interface Column {
  readonly name: string;
  readonly above: readonly string[];
  readonly last: string;
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
  /** The names of its columns, where something is wrong with others. */
  readonly known: ReadonlySet<string> | undefined;
}

/** What reading a header needs. */
interface HeaderReading {
  /** The row that it is. */
  readonly place: Place;
  /** The mark between the cells of the table. */
  readonly delimiter: string;
  readonly problems: Problems;
  /** The one kind that is wanted. */
  readonly only: Kind | undefined;
}

interface ColumnProblem extends NameProblem {
  /** Counted from 0; `undefined` where it is wrong with the whole. */
  readonly column?: number;
}

const COLUMN_HINT =
  'Fields of your service that the contract does not name go into columns such as extra.description.en.';

const MOST_COLUMNS = 1_000;
const MOST_NAMED = 3;

/** The column in which `--failed-out` writes why a row failed. */
const IGNORED = 'error';

/**
 * Reads the header of a table. Columns that are wrong are ignored, so that the rows can be judged as well.
 *
 * @returns `undefined` when no row can be judged; the problems get what is wrong.
 */
export function headerOf(
  cells: readonly string[],
  { place, delimiter, problems, only }: HeaderReading,
): Header | undefined {
  const all = cells.map((cell) => cell.trim());
  const names = all.filter((name) => name !== '');
  const kind = names.includes('kind') ? undefined : kindOfRows(names, only);
  const judged = only ?? kind;
  const reason = otherKind(kind, only) ?? wholeProblem(names, judged, delimiter);
  if (reason !== undefined) {
    problems.addAt(place, { reason });
    return undefined;
  }
  const wrong = columnProblems(all, judged);
  const found = [...wrong, ...gaps(names, kind)];
  for (const problem of found) problems.addAt(place, problem, problem.isForeign ? COLUMN_HINT : undefined);
  const ignored = new Set(wrong.map(({ column }) => column));
  const columns = all.map((name, index) => (ignored.has(index) ? undefined : columnOf(name)));
  const known = new Set(columns.flatMap((column) => column?.name ?? []));
  return {
    columns,
    nameless: [...all.keys()].filter((index) => all[index] === ''),
    width: all.findLastIndex((name) => name !== '') + 1,
    kind,
    known: found.length === 0 ? undefined : known,
  };
}

/** The kind that the names identify; misspelt names count where they identify the wanted kind, or no other name does. */
function kindOfRows(names: readonly string[], only: Kind | undefined): Kind | undefined {
  const meant = kindByFields(names.map((name) => nearestName(name, identifying) ?? name));
  return meant === only ? only : (kindByFields(names) ?? meant ?? only);
}

function otherKind(kind: Kind | undefined, only: Kind | undefined): string | undefined {
  return kind !== undefined && isOther(kind, only) ? `is of ${nouns[kind][1]}: ${advice(only)}` : undefined;
}

function columnOf(name: string): Column | undefined {
  if (name === IGNORED || name === '') return undefined;
  const path = name.split('.');
  return { name, above: path.slice(0, -1), last: path.at(-1) ?? name };
}

/** Why a row is not a header at all. */
function wholeProblem(
  names: readonly string[],
  kind: Kind | undefined,
  delimiter: string,
): string | undefined {
  if (names.length > MOST_COLUMNS) {
    const count = names.length.toLocaleString('en');
    return `has ${count} columns, and at most ${MOST_COLUMNS.toLocaleString('en')} are taken`;
  }
  const all = kind === undefined ? kinds : [kind];
  const isName = (name: string) =>
    problemOf(name, kind) === undefined || all.some((each) => meantBy(each, name) !== undefined);
  if (names.some(isName)) return undefined;
  const rest = names.length - MOST_NAMED;
  const named = [...names.slice(0, MOST_NAMED).map(shownName), ...(rest > 0 ? [`${rest} more`] : [])];
  const sample = samples[kind ?? 'property'].join(delimiter);
  return `is not a header: ${named.join(', ')} name no fields; the first row does, such as ${sample}`;
}

const samples: Readonly<Record<Kind, readonly string[]>> = {
  property: ['code', 'name.en', 'company_name'],
  invitation: ['email', 'role', 'properties'],
  user: ['email', 'enabled', 'properties'],
};

/** What is wrong with single columns. */
function columnProblems(names: readonly string[], kind: Kind | undefined): readonly ColumnProblem[] {
  const first = new Map<string, number>();
  const wrong = names.flatMap((name, column): readonly ColumnProblem[] => {
    if (name === '') return [];
    const problem = first.has(name) ? { reason: 'is the name of two columns' } : problemOf(name, kind);
    if (!first.has(name)) first.set(name, column);
    return problem === undefined ? [] : [{ ...problem, field: shownName(name), column }];
  });
  return [...wrong, ...insideTexts(first)];
}

/** What a header lacks; a misspelt name counts as the column that it means. */
function gaps(names: readonly string[], kind: Kind | undefined): readonly ColumnProblem[] {
  if (kind !== undefined) {
    const meant = names.map((name) => meantBy(kind, name) ?? name);
    return missingFrom([...names, ...meant], kind).map((name) => ({
      reason: `has no column ${name}, which ${nouns[kind][0]} needs`,
    }));
  }
  if (names.includes('kind')) return [];
  return [{ reason: 'does not say what the rows are: add a column kind, code, subject_id or email' }];
}

/** What is wrong with a column, or `undefined`. @param kind `undefined` where rows may be of every kind. */
function problemOf(name: string, kind: Kind | undefined): ColumnProblem | undefined {
  if (name === IGNORED || name === 'kind') return undefined;
  const path = name.split('.');
  if (path.length > DEEPEST) return { reason: `is nested deeper than ${DEEPEST}` };
  const all = kind === undefined ? kinds : [kind];
  const knowing = all.filter((each) => fieldsOf[each].includes(path[0] ?? ''));
  if (knowing.length === 0) {
    const likely = all.find((each) => meantBy(each, name) !== undefined) ?? kind ?? 'property';
    return unknownField(likely, name);
  }
  const problems = knowing.map((each) => pathProblem(each, path));
  return problems.includes(undefined) ? undefined : problems[0];
}

/** What is wrong with a column whose first name is a field. */
function pathProblem(kind: Kind, path: readonly string[]): ColumnProblem | undefined {
  const [first = '', ...rest] = path;
  if (first === 'extra') {
    const isBroken = rest.some((part) => part.trim() === '' || part === '__proto__');
    return rest.length === 0 || isBroken ? { reason: 'is not a column: write extra.<field>' } : undefined;
  }
  if (kind !== 'property')
    return rest.length === 0 ? undefined : { reason: `is not a column: write ${first}` };
  const inner = allPropertyFields.filter((field) => field.path[0] === first);
  const field = inner.find((each) => each.path.length === 1 || each.path[1] === rest[0]);
  if (field === undefined) {
    if (rest.length > 0) return unknownField('property', path.join('.'));
    const sample = first === 'location' ? 'location.city' : inner[0]?.path.join('.');
    return { reason: `is not a column: write ${sample} and the like, one column for each` };
  }
  const name = field.path.join('.');
  const [language, ...more] = path.slice(field.path.length);
  if (field.kind !== 'languages')
    return language === undefined ? undefined : { reason: `is not a column: write ${name}` };
  if (language === undefined)
    return { reason: `is not a column: write ${name}.en, one column for each language` };
  const reason = more.length > 0 ? `is not a column: write ${name}.en` : languageProblem(language);
  return reason === undefined ? undefined : { reason };
}

/** `extra.a` and `extra.a.b` cannot both have a value. Names that are too deep are reported as such. */
function insideTexts(names: ReadonlyMap<string, number>): readonly ColumnProblem[] {
  return [...names].flatMap(([name, column]) => {
    const parts = name.split('.');
    if (parts.length > DEEPEST) return [];
    const outer = parts
      .map((_, index) => parts.slice(0, index).join('.'))
      .find((path) => path.includes('.') && names.has(path));
    return outer === undefined
      ? []
      : [{ field: shownName(name), reason: `is part of ${outer}, which is also a column`, column }];
  });
}

/** Columns without which every row would lack something. */
function missingFrom(names: readonly string[], kind: Kind): readonly string[] {
  if (kind === 'invitation') return names.includes('email') ? [] : ['email'];
  if (kind === 'user') return [];
  return propertyFields
    .filter((field) => field.kind === 'text' && isNeeded(field))
    .map(({ path }) => path.join('.'))
    .concat(names.some((name) => /^name(\.|$)/.test(name)) ? [] : ['name.en'])
    .filter((name) => name === 'name.en' || !names.includes(name));
}
