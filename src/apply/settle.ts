import { Interruption } from '../context.ts';
import { CliError } from '../errors.ts';
import { sameName } from '../manifest/entry.ts';
import { codeOf, indexProperties, type PropertiesApi, readOrMissing } from './property-index.ts';
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
    const index = await indexProperties(api);
    const wanted = new Set(codes.map(sameName));
    const readForRow = createRowReading(false);
    for (const id of index.hidden().filter((each) => wanted.has(sameName(each)))) {
      const record = await readForRow(() => readOrMissing(api, id));
      const code = record === undefined || record instanceof CliError ? undefined : codeOf(record);
      if (code !== undefined) index.learn(id, code);
    }
    const ids = new Map(
      codes.flatMap((code): readonly (readonly [string, string])[] => {
        const [found, ...others] = index.withCode(code);
        return found?.id === undefined || others.length > 0 ? [] : [[code, found.id]];
      }),
    );
    return { ids, isAbsent: (code) => index.doubt() === undefined && index.withCode(code).length === 0 };
  } catch (cause) {
    // What cannot be read settles nothing, and what was not settled is told as such.
    if (!(cause instanceof CliError || cause instanceof Interruption)) throw cause;
    return { ids: new Map(), isAbsent: () => false };
  }
}
