import { kinds, kindTable, languageMaps } from '../model/kinds.ts';
import { isIndex } from '../model/records.ts';
import { capitalised } from '../model/text.ts';
import type { Column } from './output.ts';

/** Words that are spelt like names. */
const acronyms = /\b(?:api|bic|iban|mfa|tls|url|vat)\b/g;

/** Labels of fields, by where records show them. */
const known = new Map(
  kinds.flatMap((kind) => {
    const { fields, labels = {} } = kindTable[kind];
    const own = fields.flatMap(({ path, shownAt = path, label = inner(path) }) =>
      label === undefined ? [] : [[shownAt.join('.'), label] as const],
    );
    return [...own, ...Object.entries(labels)];
  }),
);

/** A part of an address or an account is known by its own name. */
function inner([, name]: readonly string[]): string | undefined {
  return name && capitalised(inWords(name));
}

/**
 * A field in words: a column's header, or its own name; `Name (de)` for one language, `Unit group 1 name` for a field of an
 * entry.
 *
 * @param path names with dots between them.
 */
export function labelOf(path: string, columns: readonly Column[]): string {
  const label = columns.find(({ field }) => field === path)?.header ?? known.get(path);
  if (label !== undefined) return label;
  const names = path.split('.');
  const last = names.at(-1) ?? '';
  if (names.length === 1) return capitalised(inWords(path)) || path;
  const around = names.slice(0, -1).join('.');
  const before = labelOf(around, columns);
  const isLanguage = columns.some(({ field, format }) => field === around && format === 'language');
  if (languageMaps.has(around) || isLanguage) return `${before} (${last})`;
  return isIndex(last) ? `${singular(before)} ${Number(last) + 1}` : `${before} ${inWords(last)}`;
}

/**
 * The columns of fields, with blanks between them; `field=Header` for another header than the label.
 *
 * @param special those that are more than a field with its header.
 */
export function columnsOf(fields: string, special: readonly Column[] = []): readonly Column[] {
  return fields.split(' ').map((each) => {
    const [field = '', header = labelOf(field, [])] = each.split('=');
    return special.find((column) => column.field === field) ?? { field, header };
  });
}

/** A name in snake_case or camelCase as words; any other as it is. */
function inWords(name: string): string {
  if (!/^[a-z][a-zA-Z\d]*(?:_[a-zA-Z\d]+)*$/.test(name)) return name;
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_');
  const told = words[0] === 'is' && words.length > 1 ? words.slice(1) : words;
  return told.join(' ').replaceAll(acronyms, (word) => word.toUpperCase());
}

/** `Properties` as one of them. */
function singular(words: string): string {
  if (words.endsWith('ies')) return `${words.slice(0, -3)}y`;
  return words.endsWith('s') && !words.endsWith('ss') ? words.slice(0, -1) : words;
}
