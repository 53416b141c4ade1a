import { CliError } from '../cli/errors.ts';
import { Interruption } from '../cli/ports.ts';
import type { ServiceRecord } from '../model/records.ts';
import { readWhole } from '../service/paging.ts';
import { idProblem } from '../service/path.ts';
import type { Api } from '../service/service.ts';
import { createReadBreaker } from './breakers.ts';
import { sameName } from './entry.ts';
import {
  bareCode,
  codeOf,
  hiding,
  indexProperties,
  type PropertiesApi,
  readOrMissing,
} from './property-index.ts';

/** The result of a search for one code. */
export interface Sight {
  /** The property with this code; an exact match before one in another case. */
  readonly found: ServiceRecord | undefined;
  /** Why a property that was not found may still exist, as a clause. */
  readonly doubt: string | undefined;
}

type Service = Pick<Api, 'properties' | 'dialect'>;

/** Looks for a code in the whole list, with archived properties if the service lists them. Reads no single property. */
export async function listedWithCode(code: string, { properties, dialect }: Service): Promise<Sight> {
  let same: ServiceRecord | undefined;
  let alike: ServiceRecord | undefined;
  let hidden = 0;
  const incomplete = await readWhole(properties.listAll(dialect.withArchived), 'properties', (record) => {
    const shown = codeOf(record);
    if (shown === undefined) hidden += 1;
    else if (bareCode(shown) === bareCode(code)) same ??= record;
    else if (isCode(shown, code)) alike ??= record;
  });
  return { found: same ?? alike, doubt: incomplete ?? hiding(hidden) };
}

/** Looks for a code: by the id, which many services derive from the code, then in the list. */
export async function findByCode(code: string, service: Service): Promise<Sight> {
  const found = await readByCode(code, service);
  return found === undefined ? listedWithCode(code, service) : { found, doubt: undefined };
}

/** The property whose id is the code; only if it shows that code, because ids may be anything. */
export async function readByCode(code: string, service: Service): Promise<ServiceRecord | undefined> {
  if (idProblem(code) !== undefined) return undefined;
  try {
    const record = await readOrMissing(service, code);
    return record !== undefined && isCode(codeOf(record), code) ? { id: code, ...record } : undefined;
  } catch (cause) {
    // The list may still show it.
    if (cause instanceof CliError) return undefined;
    throw cause;
  }
}

function isCode(shown: string | undefined, code: string): boolean {
  return shown !== undefined && sameName(shown) === sameName(code);
}

/** The result of a search for several codes. */
export interface Found {
  /** Ids by code, as given; without properties that cannot be read or that exist twice. */
  readonly ids: ReadonlyMap<string, string>;
  /** Whether a property with this code certainly does not exist. */
  isAbsent(code: string): boolean;
}

/** Looks for properties whose creation is in doubt: by the code in the list, else by reading those whose id is the code. */
export async function findCreated(codes: readonly string[], api: PropertiesApi): Promise<Found> {
  try {
    const index = await indexProperties(api);
    const wanted = new Set(codes.map(sameName));
    const readForRow = createReadBreaker(false);
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
    const isWhole = index.doubt() === undefined;
    return { ids, isAbsent: (code) => isWhole && index.withCode(code).length === 0 };
  } catch (cause) {
    // Without the list nothing is settled: the rows stay unknown.
    if (!(cause instanceof CliError || cause instanceof Interruption)) throw cause;
    return { ids: new Map(), isAbsent: () => false };
  }
}
