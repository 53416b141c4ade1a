import { type CliError, OutcomeUnknown } from '../cli/errors.ts';
import { nearest, suggestion } from '../model/names.ts';
import { isRecord } from '../model/records.ts';
import { quote, sameName } from '../model/text.ts';
import { propertyNameProblem } from '../service/property-names.ts';
import { type Entry, isInventory } from './entry.ts';
import type { Item } from './item.ts';
import { failureBehind, type PropertyIndex } from './property-index.ts';

/** Resolves the properties that people's entries name by an id, or by a code, case-insensitively. */
export type ResolveReferences = ReturnType<typeof createResolver>;

/** The property of a reference, or why there is none. */
type Meant = { readonly id: string } | { readonly problem: string; readonly unread?: CliError | undefined };

/** Names that are searched for a suggestion. */
const MOST_COMPARED = 10_000;

/** Suggestions per plan: each takes long. */
const MOST_GUESSES = 100;

/** The references of an entry, as its file writes them; `undefined` if it has none. */
export function referencesIn({ kind, fields }: Entry): readonly string[] | undefined {
  const { properties, property_roles: roles, property } = fields;
  if (isInventory(kind)) return typeof property === 'string' ? [property] : undefined;
  if (kind === 'property' || !(Array.isArray(properties) || Array.isArray(roles))) return undefined;
  const all: readonly unknown[] = Array.isArray(properties) ? properties : [];
  const placed = (Array.isArray(roles) ? roles : []).map((entry) => (isRecord(entry) ? entry['id'] : entry));
  return [...all, ...placed.filter((id) => !all.includes(id))].filter((each) => typeof each === 'string');
}

/**
 * Creates a resolver of references to existing and planned properties.
 *
 * @param index `undefined` if properties cannot be listed: then references are taken as ids.
 * @param items the planned properties of the manifest.
 */
export function createResolver(index: PropertyIndex | undefined, items: Iterable<Item>) {
  const planned = new Map([...items].map((item) => [sameName(item.name), item]));
  for (const { action, entry } of planned.values())
    if (action === 'create') index?.names.see({ id: entry?.name, name: entry?.fields['name'] });
  let names: readonly string[] | undefined;
  let left = MOST_GUESSES;
  const guess = (name: string) => {
    if (left === 0) return '';
    left -= 1;
    names ??= [...[...planned.values()].map((item) => item.name), ...(index?.idsAndCodes() ?? [])];
    const meant = nearest(name, names.slice(0, MOST_COMPARED));
    return suggestion(meant && quote(meant));
  };
  const means = (reference: string, isHeld: boolean): Meant => {
    if (index === undefined) return { id: reference };
    const isId = isHeld || index.hasId(reference);
    const all = new Set([...(isId ? [reference] : []), ...byCode(reference, index, planned)]);
    const [id] = all;
    if (id === undefined) return unresolved(reference, index, planned, guess);
    if (all.size > 1) return { problem: `${quote(reference)} may mean ${[...all].join(' or ')}` };
    const namesake = planned.get(sameName(id));
    const isTaken = namesake?.action === 'create' && namesake.id === undefined && (isHeld || index.hasId(id));
    return isTaken ? { problem: `${quote(id)} is an id, and the code of a property to be created` } : { id };
  };
  const known = new Map<string, Meant>();
  const meantBy = (reference: string, held: readonly string[]): Meant => {
    if (held.includes(reference)) return means(reference, true);
    const meant = known.get(reference) ?? means(reference, false);
    known.set(reference, meant);
    return meant;
  };
  /** @param held ids that the person has; the list may lack them, because they are archived or not visible. */
  return (entry: Entry, held: readonly string[] = []) => {
    const references = referencesIn(entry);
    const meant = (references ?? []).map((reference) => meantBy(reference, held));
    const problems = meant.filter((each) => 'problem' in each);
    return {
      /** The distinct ids; codes for properties that this plan creates. `undefined` if the entry names none. */
      ids: references && [...new Set(meant.flatMap((each) => ('id' in each ? [each.id] : [])))],
      /** Why some references cannot be resolved, as clauses. */
      problems: problems.map(({ problem }) => problem),
      /** The error of a property that could not be read; `undefined` if another problem is certain. */
      unread: problems.every(({ unread }) => unread !== undefined) ? problems[0]?.unread : undefined,
      /** The id of a reference; the reference itself if it cannot be resolved. */
      idOf(reference: string): string {
        const each = meantBy(reference, held);
        return 'id' in each ? each.id : reference;
      },
    };
  };
}

/** Resolves a code; a property that will be created is named by its code. */
function byCode(
  reference: string,
  index: PropertyIndex,
  planned: ReadonlyMap<string, Item>,
): readonly string[] {
  const item = planned.get(sameName(reference));
  if (item?.id !== undefined) return [item.id];
  if (item !== undefined && isUnread(item)) return [];
  if (item?.action === 'create' || item?.action === 'cannot_tell') return [item.name];
  return index.withCode(reference).flatMap(({ id }) => (id === undefined ? [] : [id]));
}

/** Whether reading failed. A property that may have been created counts as one that will be. */
function isUnread({ error }: Item): boolean {
  return error !== undefined && !(error instanceof OutcomeUnknown);
}

/** @param guess the suggestion for an unknown name, as the end of a clause; empty after `MOST_GUESSES` calls. */
function unresolved(
  reference: string,
  index: PropertyIndex,
  planned: ReadonlyMap<string, Item>,
  guess: (name: string) => string,
): Meant {
  const item = planned.get(sameName(reference));
  if (item?.error !== undefined) return unreadable(reference, item.error);
  if (item !== undefined) return { problem: `property ${quote(reference)} is in conflict itself` };
  const isName = propertyNameProblem(reference, index.names.idsOf(reference));
  if (isName !== undefined) return { problem: isName };
  const doubt = index.doubt();
  const why = doubt === undefined ? '' : `, and ${doubt}`;
  const unread = index.unread();
  if (unread !== undefined) return unreadable(reference, unread);
  return { problem: `no property has the id or code ${quote(reference)}${why}${guess(reference)}` };
}

/** A row with this reference fails with the error of the read. */
function unreadable(reference: string, error: CliError): Meant {
  const unread = failureBehind(`Cannot tell which property is ${quote(reference)}`, error);
  return { problem: unread.message, unread };
}
