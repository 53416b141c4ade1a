import { idProblem } from '../api/path.ts';
import { readWhole } from '../api/whole-list.ts';
import type { ServiceRecord } from '../records.ts';
import type { PlanApi } from './plan-options.ts';

/** One property by what is known of it. */
export interface Listed {
  /** `undefined` where the service shows none that could go into a path. */
  readonly id: string | undefined;
  /** `undefined` as long as the service does not show it. */
  readonly code: string | undefined;
}

/** The properties of the account: ids, and codes as far as they are shown. */
export interface PropertyIndex {
  hasId(id: string): boolean;
  /** Those with a code: in these letters, or in any case where none has these. */
  withCode(code: string): readonly Listed[];
  /** What may be meant where nothing was found. */
  names(): readonly string[];
  /** Ids of properties whose code is not known. */
  hidden(): readonly string[];
  /** A reading, or a journal, says which code a property has. */
  learn(id: string, code: string): void;
  /** Why a property that is not found may be there all the same, as a clause; `undefined` where it is not there. */
  doubt(): string | undefined;
}

/** Lists all properties. */
export async function indexProperties({ properties }: Pick<PlanApi, 'properties'>): Promise<PropertyIndex> {
  const codes = new Map<string, string | undefined>();
  const byCode = new Map<string, readonly Listed[]>();
  let nameless = 0;
  const learn = (listed: Listed) => {
    if (listed.code === undefined) return;
    const name = bareCode(listed.code).toLowerCase();
    const others = (byCode.get(name) ?? []).filter(({ id }) => id === undefined || id !== listed.id);
    byCode.set(name, [...others, listed]);
  };
  const incomplete = await readWhole(properties.listAll(), 'properties', (record) => {
    const listed = { id: usableId(record['id']), code: codeOf(record) };
    if (listed.id !== undefined) codes.set(listed.id, listed.code);
    else if (listed.code === undefined) nameless += 1;
    learn(listed);
  });
  const hidden = () => [...codes].flatMap(([id, code]) => (code === undefined ? [id] : []));
  return {
    hasId: (id) => codes.has(id),
    withCode: (code) => {
      const alike = byCode.get(bareCode(code).toLowerCase()) ?? [];
      const same = alike.filter((listed) => bareCode(listed.code ?? '') === bareCode(code));
      return same.length > 0 ? same : alike;
    },
    names: () => [...codes].flatMap(([id, code]) => (code === undefined ? [id] : [id, code])),
    hidden,
    learn: (id, code) => {
      codes.set(id, code);
      learn({ id, code });
    },
    doubt: () => incomplete ?? hiding(hidden().length + nameless),
  };
}

/** The code that a record shows; `undefined` where it shows none. */
export function codeOf({ code }: ServiceRecord): string | undefined {
  const text = textOf(code);
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** A code without what services add to texts or take from them. */
export function bareCode(code: string): string {
  return code.trim().normalize();
}

/** An id that can go into a path; `undefined` for anything else. */
export function usableId(id: unknown): string | undefined {
  const text = textOf(id);
  return text === undefined || idProblem(text) !== undefined ? undefined : text;
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

function hiding(count: number): string | undefined {
  if (count === 0) return undefined;
  const which = count === 1 ? 'code of 1 property' : `codes of ${count} properties`;
  return `the service does not show the ${which}`;
}
