import { readWhole } from '../api/whole-list.ts';
import { Interruption } from '../context.ts';
import { CliError } from '../errors.ts';
import { sameName } from '../manifest/entry.ts';
import {
  codeOf,
  inLetters,
  type Listed,
  type PropertiesApi,
  readOrMissing,
  usableId,
} from './property-index.ts';
import { createRowReading } from './row-reading.ts';

/** What a look for properties tells. */
export interface Found {
  /** Ids by code, as it was given. What cannot be read or is there twice is not among them. */
  readonly ids: ReadonlyMap<string, string>;
  /** Whether a property with this code is certainly not there. */
  isAbsent(code: string): boolean;
}

/**
 * Looks once for properties whose creation was left without an answer: by the code where the list shows it, else by
 * reading those whose id is the code.
 */
export async function findCreated(codes: readonly string[], api: PropertiesApi): Promise<Found> {
  try {
    // Of a long list only what is looked for is kept.
    const wanted = new Map<string, Listed[]>(codes.map((code) => [sameName(code), []]));
    const likely: string[] = [];
    let hidden = 0;
    const incomplete = await readWhole(api.properties.listAll(), 'properties', (record) => {
      const id = usableId(record['id']);
      const code = codeOf(record);
      if (code !== undefined) wanted.get(sameName(code))?.push({ id, code });
      else hidden += 1;
      if (code === undefined && id !== undefined && wanted.has(sameName(id))) likely.push(id);
    });
    const readForRow = createRowReading(false);
    for (const id of likely) {
      const record = await readForRow(() => readOrMissing(api, id));
      const code = record === undefined || record instanceof CliError ? undefined : codeOf(record);
      if (code === undefined) continue;
      hidden -= 1;
      wanted.get(sameName(code))?.push({ id, code });
    }
    const withCode = (code: string) => inLetters(code, wanted.get(sameName(code)) ?? []);
    const ids = new Map(
      codes.flatMap((code): readonly (readonly [string, string])[] => {
        const [found, ...others] = withCode(code);
        return found?.id === undefined || others.length > 0 ? [] : [[code, found.id]];
      }),
    );
    const isWhole = incomplete === undefined && hidden === 0;
    return { ids, isAbsent: (code) => isWhole && withCode(code).length === 0 };
  } catch (cause) {
    // What cannot be read settles nothing, and what was not settled is told as such.
    if (!(cause instanceof CliError || cause instanceof Interruption)) throw cause;
    return { ids: new Map(), isAbsent: () => false };
  }
}
