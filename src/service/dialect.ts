import { type Check, fixedFields, type PropertyField, propertyFields } from '../model/property-fields.ts';
import { languageProblem } from '../model/values.ts';
import { apaleo } from './apaleo.ts';
import { type DialectName, type OperationId, operations } from './operations.ts';

/** A query value; an array is several values of one parameter. */
export type QueryValue = string | number | boolean | readonly string[];
export type Query = Readonly<Record<string, QueryValue | undefined>>;

/**
 * How one service spells the operations, and what it takes, as data. What a dialect does not take is refused where
 * input is read (flags, files, answers to questions), so that nothing behind that asks which dialect it is.
 */
export interface Dialect {
  readonly name: DialectName;
  /** The path template of an operation. */
  path(id: OperationId): string;
  /** The query as pairs in the order in which they are sent. */
  query(id: OperationId, query: Query): readonly (readonly [name: string, value: string])[];
  /** The body as it goes over the wire, made of one that names fields as innctl does. */
  body(id: OperationId, body: unknown): unknown;
  /** The names of the query parameters that ask for a page. */
  readonly paging: { readonly number: string; readonly size: string };
  /** Our name of a field that a file or a refusal names as the service spells it. */
  fieldName(spelt: string): string;
  /**
   * What an operation takes that the contract does not name: query parameters, or fields of the body. An operation that
   * the contract does not have is listed too.
   */
  readonly further: Readonly<Partial<Record<OperationId, readonly string[]>>>;
  /** The filter with which a list of properties has the archived ones too. */
  readonly withArchived: Query;
  /** What to ask for to see a property in every language; `undefined` where nothing need be asked for. */
  readonly allLanguages: readonly string[] | undefined;
  /** What is wrong with a language that a property is asked for in, or `undefined`. */
  readonly languageProblem: Check;
  /** The service's documents name the header of idempotency keys. */
  readonly documentsKeys: boolean;
  /** What can be shown beside a property; `undefined` if unknown. */
  readonly expansions: readonly string[] | undefined;
  /** The fields of create property that flags and files may name, required ones first. */
  readonly propertyFields: readonly PropertyField[];
  /** Fields of a property that stay what they were when it was created, in snake_case, dots between names. */
  readonly fixedFields: readonly string[];
  /** Those of them that the service's documents say so of: an update that names one is refused. */
  readonly refusedInUpdate: readonly string[];
  /** Fields of a property, dots between names, that have no value where an answer leaves them out. */
  readonly shownIfSet: ReadonlySet<string>;
  /** The scopes of which a token needs one; empty if any token will do, or it is unknown. */
  scopes(id: OperationId): readonly string[];
}

/** The contract to the letter: snake_case names, arrays by repeating the key, bodies as they are. */
export const contract: Dialect = {
  name: 'contract',
  path: (id) => operations[id].path,
  query: (_id, query) =>
    Object.entries(query).flatMap(([name, value]) => {
      if (value === undefined) return [];
      const values = Array.isArray(value) ? value : [value];
      return values.map((each) => [name, String(each)] as const);
    }),
  body: (_id, body) => body,
  paging: { number: 'page_number', size: 'page_size' },
  fieldName: (spelt) => spelt,
  further: {},
  withArchived: {},
  allLanguages: undefined,
  languageProblem,
  documentsKeys: false,
  expansions: undefined,
  propertyFields,
  fixedFields,
  refusedInUpdate: [],
  shownIfSet: new Set(),
  scopes: () => [],
};

/** Whether an operation takes a query parameter or a field that the contract does not name, in snake_case. */
export function takes({ further }: Pick<Dialect, 'further'>, id: OperationId, name: string): boolean {
  return further[id]?.includes(name) === true;
}

/** Every dialect by the name that the setting `dialect` has for it. */
export const dialects: Readonly<Record<DialectName, Dialect>> = { contract, apaleo };
