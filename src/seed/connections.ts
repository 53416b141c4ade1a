import { isRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { type Entry, identityOf, type Place, type PlaceProblem } from './entry.ts';

/** The unit groups or units that an entry is made of, by their identities. */
function partsOf({ kind, fields }: Entry): readonly string[] {
  const { property, connected, connects } = fields;
  const names = kind === 'unit_group' && isRecord(connected) ? Object.keys(connected) : connects;
  if ((kind !== 'unit_group' && kind !== 'unit') || !Array.isArray(names)) return [];
  return names.map((name) => identityOf({ kind, name: `${property}/${name}` }));
}

/**
 * How many levels of others each record is made of, from 1; others have none.
 *
 * @param partsOfEach by record, without records that have no parts.
 * @returns `circular`: the records that are made of each other, or of such.
 */
export function levelsOf(partsOfEach: ReadonlyMap<string, readonly string[]>) {
  const levels = new Map<string, number>();
  let open = new Map(partsOfEach);
  for (let level = 1; open.size > 0; level += 1) {
    const waiting = new Map([...open].filter(([, parts]) => parts.some((part) => open.has(part))));
    if (waiting.size === open.size) break;
    for (const record of open.keys()) if (!waiting.has(record)) levels.set(record, level);
    open = waiting;
  }
  return { levels, circular: new Set(open.keys()) };
}

function levelsIn(entries: readonly Entry[]) {
  const parts = entries.map((entry) => [identityOf(entry), partsOf(entry)] as const);
  return levelsOf(new Map(parts.filter(([, names]) => names.length > 0)));
}

/** How many levels of others of its kind an entry is made of, all of which are created before it: 0 for most. */
export function levelIn(entries: readonly Entry[]): (entry: Entry) => number {
  const { levels } = levelsIn(entries);
  return (entry) => levels.get(identityOf(entry)) ?? 0;
}

/** The entries that are made of each other in a circle, or of such. */
export function connectionProblems(
  entries: readonly Entry[],
): readonly (PlaceProblem & { readonly place: Place })[] {
  const { circular } = levelsIn(entries);
  return entries
    .filter((entry) => circular.has(identityOf(entry)))
    .map(({ kind, name, place }) => ({
      place,
      field: kind === 'unit' ? 'connects' : 'connected',
      reason: `${quote(name)} leads into a circle of ${kind === 'unit' ? 'units' : 'unit groups'}`,
    }));
}
