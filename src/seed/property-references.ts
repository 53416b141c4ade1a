import { type CliError, OutcomeUnknown } from '../cli/errors.ts';
import { nearest, suggestion } from '../model/names.ts';
import { isRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { createPropertyNames, nameProblem, type PropertyNames } from '../service/property-names.ts';
import { type Entry, sameName } from './entry.ts';
import type { Item } from './item.ts';
import type { PropertyIndex } from './property-index.ts';
import { failureBehind } from './row-reading.ts';

/** The properties that the entry of a person names. */
export interface NamedProperties {
  /** Ids at the service, each once; the codes of properties that this plan creates. `undefined` where none are named. */
  readonly ids: readonly string[] | undefined;
  /** Why some name none, as clauses. */
  readonly problems: readonly string[];
  /** Why some could not be resolved: a property could not be read. `undefined` where another problem is certain. */
  readonly unread?: CliError | undefined;
  /** The id that a reference of the entry means; the reference itself where it means none. */
  readonly idOf: (reference: string) => string;
}

/**
 * Finds the properties that people's entries name by an id, or by a code in any case.
 *
 * @param held ids that the person has already: some may be in no list, because they are archived or not for this token.
 */
export type NameProperties = (entry: Entry, held?: readonly string[]) => NamedProperties;

/** A property that a reference means. */
type Meant = { readonly id: string } | { readonly problem: string; readonly unread?: CliError | undefined };

/** So many listed names are looked through for what was probably meant. */
const MOST_COMPARED = 10_000;

/** That takes long: so many names that nothing has are looked for. */
const MOST_GUESSES = 100;

/** The references of an entry, as its file writes them; `undefined` where it has none. */
export function referencesIn({ kind, fields }: Entry): readonly string[] | undefined {
  const { properties, property_roles: roles } = fields;
  if (kind === 'property' || !(Array.isArray(properties) || Array.isArray(roles))) return undefined;
  const all: readonly unknown[] = Array.isArray(properties) ? properties : [];
  const placed = (Array.isArray(roles) ? roles : []).map((entry) => (isRecord(entry) ? entry['id'] : entry));
  return [...all, ...placed.filter((id) => !all.includes(id))].filter((each) => typeof each === 'string');
}

/**
 * Binds references to the properties that there are and that there will be.
 *
 * @param index `undefined` where properties cannot be listed: then references are taken as ids.
 * @param items what is to be done about the properties of the manifest.
 */
export function nameProperties(index: PropertyIndex | undefined, items: Iterable<Item>): NameProperties {
  const planned = new Map([...items].map((item) => [sameName(item.name), item]));
  const guess = createGuess(() => [
    ...[...planned.values()].map(({ name }) => name),
    ...(index?.names() ?? []),
  ]);
  const codesNamed = namesOfPlanned(planned);
  const means = (reference: string, isHeld: boolean): Meant => {
    if (index === undefined) return { id: reference };
    const isId = isHeld || index.hasId(reference);
    const all = new Set([...(isId ? [reference] : []), ...byCode(reference, index, planned)]);
    const [id] = all;
    if (id === undefined) return nothingNamed(reference, index, { planned, codesNamed, guess });
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
  return (entry, held = []) => {
    const references = referencesIn(entry);
    const meant = (references ?? []).map((reference) => meantBy(reference, held));
    const problems = meant.filter((each) => 'problem' in each);
    return {
      ids: references && [...new Set(meant.flatMap((each) => ('id' in each ? [each.id] : [])))],
      problems: problems.map(({ problem }) => problem),
      unread: problems.every(({ unread }) => unread !== undefined) ? problems[0]?.unread : undefined,
      idOf: (reference) => {
        const each = meantBy(reference, held);
        return 'id' in each ? each.id : reference;
      },
    };
  };
}

/** What was probably meant instead of a name, as the end of a clause; nothing once many names were looked for. */
type Guess = (name: string) => string;

function createGuess(namesOf: () => readonly string[]): Guess {
  let names: readonly string[] | undefined;
  let left = MOST_GUESSES;
  return (name) => {
    if (left === 0) return '';
    left -= 1;
    names ??= namesOf().slice(0, MOST_COMPARED);
    const meant = nearest(name, names);
    return suggestion(meant && quote(meant));
  };
}

/** A code that will be there stands for its id. */
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

/** Whether reading failed; what may have been created stands for its id like what is to be created. */
function isUnread({ error }: Item): boolean {
  return error !== undefined && !(error instanceof OutcomeUnknown);
}

/** What explains why a reference names nothing. */
interface Known {
  readonly planned: ReadonlyMap<string, Item>;
  readonly codesNamed: (name: string) => readonly string[];
  readonly guess: Guess;
}

function nothingNamed(reference: string, index: PropertyIndex, { planned, codesNamed, guess }: Known): Meant {
  const item = planned.get(sameName(reference));
  if (item?.error !== undefined) return untold(reference, item.error);
  if (item !== undefined) return { problem: `property ${quote(reference)} is in conflict itself` };
  const isName = nameProblem(reference, [...index.named(reference), ...codesNamed(reference)]);
  if (isName !== undefined) return { problem: isName };
  const doubt = index.doubt();
  const why = doubt === undefined ? '' : `, and ${doubt}`;
  const unread = index.unread();
  if (unread !== undefined) return untold(reference, unread);
  return { problem: `no property has the id or code ${quote(reference)}${why}${guess(reference)}` };
}

/** Rows that depend on it fail as the reading did. */
function untold(reference: string, error: CliError): Meant {
  const unread = failureBehind(`Cannot tell which property is ${quote(reference)}`, error);
  return { problem: unread.message, unread };
}

/** The names of the properties to be created, with their codes; gathered when the first is looked for. */
function namesOfPlanned(planned: ReadonlyMap<string, Item>): (name: string) => readonly string[] {
  let names: PropertyNames | undefined;
  return (name) => {
    if (names === undefined) {
      names = createPropertyNames();
      for (const { action, entry } of planned.values())
        if (action === 'create') names.see({ id: entry?.name, name: entry?.fields['name'] });
    }
    return names.idsOf(name);
  };
}
