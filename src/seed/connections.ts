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

/** How many levels of others each entry is made of: by identity, from 1. Those that lead to a circle have none. */
function levelsOf(entries: readonly Entry[]) {
  const levels = new Map<string, number>();
  let open = new Map(
    entries.flatMap((entry) => (partsOf(entry).length > 0 ? [[identityOf(entry), entry] as const] : [])),
  );
  for (let level = 1; open.size > 0; level += 1) {
    const waiting = new Map([...open].filter(([, entry]) => partsOf(entry).some((part) => open.has(part))));
    if (waiting.size === open.size) break;
    for (const identity of open.keys()) if (!waiting.has(identity)) levels.set(identity, level);
    open = waiting;
  }
  return { levels, circular: open };
}

/** How many levels of others of its kind an entry is made of, all of which are created before it: 0 for most. */
export function levelIn(entries: readonly Entry[]): (entry: Entry) => number {
  const { levels } = levelsOf(entries);
  return (entry) => levels.get(identityOf(entry)) ?? 0;
}

/** The entries that are made of each other in a circle. */
export function connectionProblems(
  entries: readonly Entry[],
): readonly (PlaceProblem & { readonly place: Place })[] {
  return [...levelsOf(entries).circular.values()].map(({ kind, name, place }) => ({
    place,
    field: kind === 'unit' ? 'connects' : 'connected',
    reason: `${quote(name)} is made of what leads back to it`,
  }));
}
