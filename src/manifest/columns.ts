import { languageProblem } from '../checks/language.ts';
import { propertyFields } from '../checks/property-fields.ts';
import { neededToCreate } from './body.ts';
import { type Kind, kinds } from './entry.ts';
import { kindByFields, nouns } from './kind.ts';
import { fieldsOf, locationFields, meantBy, shownName, unknownReason } from './names.ts';
import type { Problems } from './problems.ts';

/** A column of a table, and where its cells go: one name, or several inside each other. */
export interface Column {
  readonly name: string;
  readonly path: readonly string[];
}

/** What the first row of a table says. */
export interface Header {
  /** `undefined` for a column whose cells are passed over. */
  readonly columns: readonly (Column | undefined)[];
  /** What all rows are; a column `kind` may say otherwise for each. */
  readonly kind: Kind | undefined;
}

const COLUMN_HINT =
  'Fields of your service that the contract does not name go into columns such as extra.description.en.';

/** Other programs write here what they say of a row. */
const PASSED_OVER = 'error';

/**
 * Reads the header of a table.
 *
 * @param place how messages name it: `hotels.csv: row 1`.
 * @param only the one kind that is wanted.
 * @returns `undefined` when something is wrong, which the problems hear.
 */
export function headerOf(
  cells: readonly string[],
  place: string,
  problems: Problems,
  only: Kind | undefined,
): Header | undefined {
  const names = cells.map((cell) => cell.trim());
  const kind = names.includes('kind') ? undefined : (only ?? kindByFields(names));
  if (!names.some((name) => problemOf(name, only ?? kind) === undefined)) {
    problems.add(place, 'is no header: the first row names the fields, such as code,name.en,company_name');
    return undefined;
  }
  const wrong = [
    ...names.flatMap((name, index) => {
      const reason =
        names.indexOf(name) < index ? 'is the name of two columns' : problemOf(name, only ?? kind);
      return reason === undefined
        ? []
        : [{ name: name === '' ? `column ${index + 1}` : shownName(name), reason }];
    }),
    ...insideTexts(names),
  ];
  for (const { name, reason } of wrong) {
    problems.add(`${place}: ${name}`, reason, reason.startsWith('is no field of') ? COLUMN_HINT : undefined);
  }
  if (wrong.length > 0) return undefined;
  if (isUntold(names, kind)) {
    problems.add(place, 'does not say what the rows are: add a column kind, code, subject_id or email');
    return undefined;
  }
  const missing = kind === undefined ? [] : missingFrom(names, kind);
  for (const name of missing)
    problems.add(place, `has no column ${name}, which ${nouns[kind ?? 'property'][0]} needs`);
  if (missing.length > 0) return undefined;
  const columns = names.map((name) => (name === PASSED_OVER ? undefined : { name, path: name.split('.') }));
  return { columns, kind };
}

function isUntold(names: readonly string[], kind: Kind | undefined): boolean {
  return kind === undefined && !names.includes('kind');
}

/** What is wrong with a column, or `undefined`. @param kind `undefined` where rows may be of every kind. */
function problemOf(name: string, kind: Kind | undefined): string | undefined {
  if (name === PASSED_OVER || name === 'kind') return undefined;
  if (name === '') return 'has no name';
  const reasons = (kind === undefined ? kinds : [kind]).map((each) => problemFor(each, name));
  return reasons.includes(undefined)
    ? undefined
    : (reasons.find((reason) => reason?.includes(': ')) ?? reasons[0]);
}

function problemFor(kind: Kind, name: string): string | undefined {
  const [first = '', ...rest] = name.split('.');
  if (!fieldsOf[kind].includes(first)) return unknownReason(kind, name);
  const isBroken = rest.some((part) => part.trim() === '' || part === '__proto__');
  if (first === 'extra')
    return rest.length === 0 || isBroken ? 'is no column: write extra.<field>' : undefined;
  if (kind === 'property' && first === 'name') return nameColumnProblem(rest);
  if (kind === 'property' && first === 'location') return locationColumnProblem(name, rest);
  return rest.length === 0 ? undefined : `is no column: write ${first}`;
}

function nameColumnProblem(rest: readonly string[]): string | undefined {
  const [language, ...more] = rest;
  if (language === undefined) return 'is no column: write name.en, one column for each language';
  return more.length > 0 ? 'is no column: write name.en' : languageProblem(language);
}

function locationColumnProblem(name: string, rest: readonly string[]): string | undefined {
  const [field, ...more] = rest;
  if (field === undefined) return 'is no column: write location.city and the like, one column for each';
  if (more.length === 0 && locationFields.includes(field)) return undefined;
  const meant = meantBy('property', name);
  return `is no field of a location${meant === undefined ? '' : `: did you mean ${meant}?`}`;
}

/** `extra.a` and `extra.a.b` cannot both have a value. */
function insideTexts(names: readonly string[]) {
  const all = new Set(names);
  return names.flatMap((name) => {
    const parts = name.split('.');
    const outer = parts
      .map((_, index) => parts.slice(0, index).join('.'))
      .find((path) => path.includes('.') && all.has(path));
    return outer === undefined
      ? []
      : [{ name: shownName(name), reason: `stands inside ${outer}, which is a column itself` }];
  });
}

/** Columns without which every row would lack something. */
function missingFrom(names: readonly string[], kind: Kind): readonly string[] {
  if (kind === 'invitation') return names.includes('email') ? [] : ['email'];
  if (kind === 'user') return [];
  return propertyFields
    .filter(({ kind: form, path }) => form === 'text' && !neededToCreate.includes(path.join('.')))
    .map(({ path }) => path.join('.'))
    .concat(names.some((name) => name.startsWith('name.')) ? [] : ['name.en'])
    .filter((name) => name === 'name.en' || !names.includes(name));
}
