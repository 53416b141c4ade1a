import { isRecord } from '../model/records.ts';
import { quote } from '../model/text.ts';
import { type Entry, keyOf, type Place, type PlaceProblem } from './entry.ts';

/** The property of an entry, by one of its names. */
type HomeOf = (entry: Entry) => string;

/** The unit groups or units that an entry is made of, by `keyOf`. */
function partsOf({ kind, fields }: Entry, home: string): readonly string[] {
  const { connected, connects } = fields;
  const names = kind === 'unit_group' && isRecord(connected) ? Object.keys(connected) : connects;
  if ((kind !== 'unit_group' && kind !== 'unit') || !Array.isArray(names)) return [];
  return names.map((name) => keyOf(kind, home, String(name)));
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

function levelsIn(entries: readonly Entry[], homeOf: HomeOf) {
  const keyFor = (entry: Entry) => {
    const { kind, fields } = entry;
    return keyOf(kind, homeOf(entry), String(kind === 'unit_group' ? fields['code'] : fields['name']));
  };
  const parts = entries.map((entry) => [keyFor(entry), partsOf(entry, homeOf(entry))] as const);
  return { keyFor, ...levelsOf(new Map(parts.filter(([, names]) => names.length > 0))) };
}

/** How many levels of others of its kind an entry is made of, all of which are created before it: 0 for most. */
export function levelIn(entries: readonly Entry[], homeOf: HomeOf): (entry: Entry) => number {
  const { levels, keyFor } = levelsIn(entries, homeOf);
  return (entry) => levels.get(keyFor(entry)) ?? 0;
}

/** The entries that are made of each other in a circle, or of such. */
export function connectionProblems(
  entries: readonly Entry[],
): readonly (PlaceProblem & { readonly place: Place })[] {
  const { circular, keyFor } = levelsIn(entries, ({ fields }) => String(fields['property']));
  return entries
    .filter((entry) => circular.has(keyFor(entry)))
    .map(({ kind, name, place }) => ({
      place,
      field: kind === 'unit' ? 'connects' : 'connected',
      reason: `${quote(name)} leads into a circle of ${kind === 'unit' ? 'units' : 'unit groups'}`,
    }));
}
