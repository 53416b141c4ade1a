import { type Field, fixedFields, isFurther, kindTable } from '../model/kinds.ts';
import type { Check } from '../model/ports.ts';
import { languageProblem } from '../model/values.ts';
import { type DialectName, type OperationId, operations } from './operations.ts';

/** A query value; an array is several values of one parameter. */
export type QueryValue = string | number | boolean | readonly string[];
export type Query = Readonly<Record<string, QueryValue | undefined>>;

/** What the contract shows of each kind of record. */
const required = {
  property: ['id'],
  unitGroup: ['id'],
  unit: ['id'],
  unitAttribute: ['id'],
  user: ['subject_id'],
  invitation: ['email'],
  role: [],
  country: [],
};

type RecordKind = keyof typeof required;

/**
 * How one service spells the operations, and what it accepts, as data. What a dialect does not accept is refused where
 * input is read (flags, files, prompts), so that no other code depends on the dialect.
 */
export interface Dialect {
  readonly name: DialectName;
  /** The path template of an operation. */
  path(id: OperationId): string;
  /** The query as pairs, in order. */
  query(id: OperationId, query: Query): readonly (readonly [name: string, value: string])[];
  /** The body as it is sent. @param body with innctl's names of fields. */
  body(id: OperationId, body: unknown): unknown;
  /** The names of the query parameters that ask for a page. */
  readonly paging: { readonly number: string; readonly size: string };
  /** Innctl's name of a field in the spelling of the service. */
  fieldName(spelt: string): string;
  /**
   * Query parameters and fields of the body that an operation accepts beyond the contract. Operations beyond the contract
   * are listed too.
   */
  readonly further: Readonly<Partial<Record<OperationId, readonly string[]>>>;
  /** The filter that includes archived properties in a list. */
  readonly withArchived: Query;
  /** The fields that name a property in a filter. */
  readonly filteredBy: readonly string[];
  /** The value of `languages` that shows a property in every language; `undefined` if not needed. */
  readonly allLanguages: readonly string[] | undefined;
  /** What is wrong with a requested language, or `undefined`. */
  readonly languageProblem: Check;
  /** After how many days an invitation has expired; `undefined` if unknown. */
  readonly invitationDays: number | undefined;
  /** The service's documents name the header of idempotency keys. */
  readonly documentsKeys: boolean;
  /** The values of `expand`; `undefined` if unknown. */
  readonly expansions: readonly string[] | undefined;
  /** The fields of create property that flags and files may name, required ones first. */
  readonly propertyFields: readonly Field[];
  /** Fields of a property that cannot be changed, in snake_case, with dots between names. */
  readonly fixedFields: readonly string[];
  /** Those for which the service's documents say so: an update that names one is refused. */
  readonly refusedInUpdate: readonly string[];
  /** The fields that an answer must have. All others are not set if they are missing. */
  readonly required: Readonly<Record<RecordKind, readonly string[]>>;
  /** Those of records in a list, where they are others. */
  readonly requiredInLists: Readonly<Partial<Record<RecordKind, readonly string[]>>>;
  /** A token needs one of these scopes; empty if any token is enough, or unknown. */
  scopes(id: OperationId): readonly string[];
}

/** The contract itself: snake_case names, repeated keys for lists, bodies unchanged. */
export const contract: Dialect = {
  name: 'contract',
  path: (id) => operations[id].path,
  query: (_id, query) =>
    Object.entries(query).flatMap(([name, value]) =>
      [value ?? []].flat().map((each) => [name, String(each)] as const),
    ),
  body: (_id, body) => body,
  paging: { number: 'page_number', size: 'page_size' },
  fieldName: (spelt) => spelt,
  further: {},
  withArchived: {},
  filteredBy: ['id', 'code'],
  allLanguages: undefined,
  languageProblem,
  invitationDays: undefined,
  documentsKeys: false,
  expansions: undefined,
  propertyFields: kindTable.property.fields.filter((field) => !isFurther(field)),
  fixedFields,
  refusedInUpdate: [],
  required,
  requiredInLists: { property: ['id', 'name'] },
  scopes: () => [],
};

/** The fields that a record in a list must have. */
export function requiredInList({ required, requiredInLists }: Dialect, kind: RecordKind): readonly string[] {
  return requiredInLists[kind] ?? required[kind];
}

/** Whether an operation accepts a query parameter or a field beyond the contract, in snake_case. */
export function takes({ further }: Pick<Dialect, 'further'>, id: OperationId, name: string): boolean {
  return further[id]?.includes(name) === true;
}
