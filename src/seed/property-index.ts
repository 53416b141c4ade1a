import { CliError } from '../cli/errors.ts';
import type { ServiceRecord } from '../model/records.ts';
import { sameName } from '../model/text.ts';
import { readWhole } from '../service/paging.ts';
import { idProblem } from '../service/path.ts';
import { createPropertyNames } from '../service/property-names.ts';
import type { Api } from '../service/service.ts';

/** The part of the service that lists and reads properties. */
export interface PropertiesApi {
  readonly properties: Pick<Api['properties'], 'listAll' | 'read'>;
}

/** One property of the list. */
export interface Listed {
  /** `undefined` if the service shows none that is usable in a path. */
  readonly id: string | undefined;
  /** `undefined` if the service does not show it. */
  readonly code: string | undefined;
}

/** The properties of the account: ids, and codes as far as known. */
export type PropertyIndex = Awaited<ReturnType<typeof indexProperties>>;

/** Lists all properties. @param wanted codes whose records are kept. */
export async function indexProperties({ properties }: PropertiesApi, wanted: readonly string[] = []) {
  const isWanted = new Set(wanted.map(bareCode));
  const records = new Map<string, ServiceRecord>();
  const codes = new Map<string, string | undefined>();
  const hidden = new Set<string>();
  /** By `sameName`, then by the id, or by a number if there is none. */
  const byCode = new Map<string, Map<string | number, Listed>>();
  let unread: CliError | undefined;
  let nameless = 0;
  const names = createPropertyNames();
  const learn = (listed: Listed) => {
    const { id, code } = listed;
    if (id === undefined && code === undefined) nameless += 1;
    if (id !== undefined) {
      codes.set(id, code ?? codes.get(id));
      if (codes.get(id) === undefined) hidden.add(id);
      else hidden.delete(id);
    }
    if (code === undefined) return;
    const alike = byCode.get(sameName(code)) ?? new Map<string | number, Listed>();
    const key = id ?? alike.size;
    alike.delete(key);
    byCode.set(sameName(code), alike.set(key, listed));
  };
  const incomplete = await readWhole(properties.listAll(), 'properties', (record) => {
    const listed = { id: usableId(record['id']), code: codeOf(record) };
    learn(listed);
    names.see(record);
    const { id, code } = listed;
    if (id !== undefined && code !== undefined && isWanted.has(bareCode(code))) records.set(id, record);
  });
  return {
    hasId: (id: string) => codes.has(id),
    /** The properties with a code: exact matches, or else those in another case. */
    withCode: (code: string) => inLetters(code, [...(byCode.get(sameName(code))?.values() ?? [])]),
    /** The listed record of a property with one of the wanted codes. */
    recordOf: (id: string) => records.get(id),
    /** Finds ids by the names of properties. */
    names,
    /** For suggestions. */
    idsAndCodes: () => [...codes].flatMap(([id, code]) => (code === undefined ? [id] : [id, code])),
    /** Ids of properties with an unknown code. */
    hidden: () => [...hidden],
    /** Adds the code of a property. */
    learn: (id: string, code: string) => learn({ id, code }),
    /** Records that a property with an unknown code could not be read. */
    failed(id: string, why: CliError) {
      unread ??= failureBehind(`The list does not show the code of ${id}, which cannot be read`, why);
    },
    /** Why the first of those could not be read; `undefined` if all were. */
    unread: () => unread,
    /** Why a property that is not found may still exist, as a clause; `undefined` if it certainly does not. */
    doubt: () => incomplete ?? hiding(hidden.size + nameless),
  };
}

/** The exact matches of a code; all of them if there is none. */
export function inLetters(code: string, alike: readonly Listed[]): readonly Listed[] {
  const same = alike.filter((listed) => bareCode(listed.code ?? '') === bareCode(code));
  return same.length > 0 ? same : alike;
}

/** Waits for one record. @returns `undefined` when there is no such record. */
export async function orMissing(reading: Promise<ServiceRecord>): Promise<ServiceRecord | undefined> {
  try {
    return await reading;
  } catch (cause) {
    if (cause instanceof CliError && cause.code === 'not_found') return undefined;
    throw cause;
  }
}

/** The code of a record; `undefined` if it is not shown. */
export function codeOf({ code }: ServiceRecord): string | undefined {
  const text = textOf(code);
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** A code as services may store it: trimmed, in NFC, with its case. */
export function bareCode(code: string): string {
  return code.trim().normalize('NFC');
}

/** An id that is usable in a path; `undefined` for anything else. */
export function usableId(id: unknown): string | undefined {
  const text = textOf(id);
  return text === undefined || idProblem(text) !== undefined ? undefined : text;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

/** Why properties may have a code that is not shown, as a clause. */
function hiding(count: number): string | undefined {
  if (count === 0) return undefined;
  const which = count === 1 ? 'code of 1 property' : `codes of ${count} properties`;
  return `the service does not show the ${which}`;
}

/** The same error, with a clause about what depends on it. */
export function failureBehind(clause: string, error: CliError): CliError {
  return error.with({ message: `${clause}: ${error.message}` });
}

/** The result of a search for one code. */
export type Sight = Awaited<ReturnType<typeof listedWithCode>>;

/**
 * Looks for a code in the whole list, with archived properties if the service lists them. Reads no single property.
 *
 * @returns `found`: the property with this code; an exact match before one in another case. `doubt`: why a property that was
 *   not found may still exist, as a clause.
 */
export async function listedWithCode(
  code: string,
  { properties, dialect }: Pick<Api, 'properties' | 'dialect'>,
) {
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

/** The property with an id, if it can be read and shows the code; none for what is no id. */
export async function readCreated(
  code: string,
  id: string,
  { properties }: PropertiesApi,
): Promise<ServiceRecord | undefined> {
  try {
    const record = await orMissing(properties.read(id));
    return record !== undefined && isCode(codeOf(record), code) ? { id, ...record } : undefined;
  } catch (cause) {
    // The list may still show it.
    if (cause instanceof CliError) return undefined;
    throw cause;
  }
}

function isCode(shown: string | undefined, code: string): boolean {
  return shown !== undefined && sameName(shown) === sameName(code);
}
