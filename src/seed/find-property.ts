import { CliError } from '../cli/errors.ts';
import type { ServiceRecord } from '../model/records.ts';
import { readWhole } from '../service/paging.ts';
import { idProblem } from '../service/path.ts';
import type { Api } from '../service/service.ts';
import { sameName } from './entry.ts';
import { bareCode, codeOf, hiding, readOrMissing } from './property-index.ts';

/** What a look for a code tells. */
export interface Sight {
  /** The property that has it: in these letters, or in any case where none has these. */
  readonly found: ServiceRecord | undefined;
  /** Why one that was not found may be there all the same, as a clause. */
  readonly doubt: string | undefined;
}

type Service = Pick<Api, 'properties' | 'dialect'>;

/** Looks for a code in the whole list, archived properties included where the service lists them. No property is read singly. */
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

/** Looks for a code where it may have been created: by the id that many services make of it, then in the list. */
export async function findByCode(code: string, service: Service): Promise<Sight> {
  const found = await readByCode(code, service);
  return found === undefined ? listedWithCode(code, service) : { found, doubt: undefined };
}

/** The property whose id is the code: it counts only if it shows that code, because ids may be anything. */
export async function readByCode(code: string, service: Service): Promise<ServiceRecord | undefined> {
  if (idProblem(code) !== undefined) return undefined;
  try {
    const record = await readOrMissing(service, code);
    return record !== undefined && isCode(codeOf(record), code) ? { id: code, ...record } : undefined;
  } catch (cause) {
    // The list may still tell.
    if (cause instanceof CliError) return undefined;
    throw cause;
  }
}

function isCode(shown: string | undefined, code: string): boolean {
  return shown !== undefined && sameName(shown) === sameName(code);
}
