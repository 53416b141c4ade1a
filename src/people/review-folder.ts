import { parse } from 'node:path';
import * as v from 'valibot';
import { placeText } from '../files/entry.ts';
import type { Detail } from '../model/errors.ts';
import { hashOf, parsedJson } from '../model/json-text.ts';
import { groupBy } from '../model/records.ts';
import { quote, sameName } from '../model/text.ts';
import { neutralise, prettyJson } from '../print/text.ts';
import { type AccessDocument, type Fact, factSchema } from './access-document.ts';
import { EVERY_PROPERTY } from './facts.ts';
import { rowId, type WrittenRow } from './review.ts';

/** The file of a review that says what is reviewed. */
export const SCOPE = 'scope.json';

/** What the rows of a review are divided by into sheets. */
export const divisions = ['property', 'inviter'] as const;

/** `digest`: SHA-256 of all the rest. */
const fields = ['name', 'by', 'made', 'identity_url', 'base_url', 'account', 'dialect', 'digest'] as const;

const scopeSchema = v.object({
  review: v.looseObject(v.entriesFromList(fields, v.string())),
  count: v.number(),
  /** Each fact with its row and the name of its sheet, without an ending. */
  items: v.array(v.object({ row_id: v.string(), ...factSchema.entries, sheet: v.string() })),
});

/** What a review is about: the whole access of an account when it was started. */
export type ReviewScope = v.InferOutput<typeof scopeSchema>;

/** The scope of a new review. @param account as the session names it. */
export function scopeOf(
  { access, items: facts }: AccessDocument,
  { name, by, account }: Pick<ReviewScope['review'], 'name' | 'by' | 'account'>,
): ReviewScope {
  const { version, made, actor, identity_url, base_url, dialect, complete } = access;
  const review = { version, name, by, made, actor, identity_url, base_url, account, dialect, complete };
  const sheetOf = sheetNames(facts, by);
  const items = facts.map((fact) => ({ row_id: rowId(fact), ...fact, sheet: sheetOf(fact) }));
  const scope = { review: { ...review, digest: '' }, count: items.length, items };
  return { ...scope, review: { ...review, digest: digestOf(scope) } };
}

/** The scope in the text of its file; `undefined` if any byte is not as `prettyJson` wrote it. */
export function readScope(written: string): ReviewScope | undefined {
  const value = parsedJson(written);
  const { success, output } = v.safeParse(scopeSchema, value);
  const isWhole = success && digestOf(output) === output.review.digest && prettyJson(value) === written;
  return isWhole ? output : undefined;
}

function digestOf({ review, ...rest }: ReviewScope): string {
  return hashOf({ ...rest, review: { ...review, digest: '' } });
}

const PLAIN_NAME = /^[a-z\d](?:[\w.@-]{0,58}[\w-])?$/i;
/** Windows keeps these names, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Names the sheet of each fact: for every system, where case makes no difference. */
function sheetNames(facts: readonly Fact[], by: string): (fact: Fact) => string {
  const keyOf = ({ property, invited_by: inviter = '' }: Fact) =>
    by === 'property' ? (property ?? '') : sameName(inviter);
  const names = new Map([['', `no-${by}`]]);
  if (by === 'property') names.set(EVERY_PROPERTY, 'every-property');
  const taken = new Set(names.values());
  for (const key of new Set(facts.map(keyOf))) {
    const isPlain = PLAIN_NAME.test(key) && !DEVICE.test(key) && !taken.has(key.toLowerCase());
    const other = `sheet-${key.replaceAll(/\W+/g, '-').slice(0, 40)}-${hashOf(key).slice(0, 8)}`;
    const name = names.get(key) ?? (isPlain ? key : other);
    names.set(key, name);
    taken.add(name.toLowerCase());
  }
  return (fact) => names.get(keyOf(fact)) ?? '';
}

/** What a sheet also shows of a fact. */
export const shown = 'name state property_name roles invited_by'.split(' ');

/** A row of a sheet, with the columns that stay as they are. */
export type SheetRow = WrittenRow & Readonly<Record<string, unknown>>;

/**
 * Compares the rows of sheets with the scope.
 *
 * @param paths of all sheets.
 * @returns `changed`: what is not as it was written. `rows`: as the scope has them, with the decisions.
 */
export function compareSheets({ items }: ReviewScope, all: readonly SheetRow[], paths: readonly string[]) {
  const expected = groupBy(items, ({ sheet }) => sheet);
  const found = groupBy(all, ({ place }) => place.file);
  const changed: Detail[] = [];
  const rows: SheetRow[] = [];
  for (const path of paths) {
    const left = new Map(expected.get(parse(path).name)?.map((item) => [item.row_id, fixedIn(item)]));
    for (const row of found.get(path) ?? []) {
      const fixed = left.get(row.row_id);
      left.delete(row.row_id);
      const cells = new Map<string, unknown>(Object.entries(row));
      const isChanged = ([column, was]: readonly [string, string]) =>
        folded(neutralise(String(cells.get(column)))) !== folded(neutralise(was));
      const place = placeText(row.place);
      if (fixed === undefined) changed.push({ field: `${place}: row_id`, reason: 'is new, or there twice' });
      for (const [column, was] of Object.entries(fixed ?? {}).filter(isChanged))
        changed.push({ field: `${place}: ${column}`, reason: `was ${quote(was)}` });
      rows.push({ ...row, ...fixed });
    }
    for (const [id, { email, property }] of left)
      changed.push({ field: path, reason: `lacks the row ${id} of ${email} ${property}`.trimEnd() });
  }
  return { changed, rows };
}

/** The columns that stay as they are, as texts. */
function fixedIn(fact: Fact) {
  const { email, property, source, roles, subject_id = '' } = fact;
  const texts: Readonly<Record<string, unknown>> = { ...fact, roles: roles?.join(', ') ?? '?' };
  const others = Object.fromEntries(shown.map((name) => [name, String(texts[name] ?? '')]));
  return { email, property: property ?? '', source, subject_id, ...others };
}

/** Spreadsheets change blanks and separators. */
function folded(cell: string): string {
  return sameName(cell.replaceAll(/[\s,;]+/g, ' '));
}
