import { fixedFields, type PropertyField, propertyFields } from '../model/property-fields.ts';
import { apaleo } from './apaleo.ts';
import type { DialectName } from './dialect-names.ts';
import { type OperationId, operations } from './operations.ts';

/** A query value; an array is several values of one parameter. */
export type QueryValue = string | number | boolean | readonly string[];
export type Query = Readonly<Record<string, QueryValue | undefined>>;

/** How one service spells the operations, and what it has beside the contract. */
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
  /**
   * Whether the service has what the contract leaves out: filters of lists, the question whether a property exists,
   * several roles of an invitation, names and the admin flag of a user, the actions of a property.
   */
  readonly goesBeyond: boolean;
  /** What can be shown beside a property; `undefined` where nobody says. */
  readonly expansions: readonly string[] | undefined;
  /** The fields of create property that flags and files may name, required ones first. */
  readonly propertyFields: readonly PropertyField[];
  /** Fields of a property that stay what they were when it was created, in snake_case, dots between names. */
  readonly fixedFields: readonly string[];
  /** The scopes of which a token needs one; none where any token will do, or nobody says. */
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
  goesBeyond: false,
  expansions: undefined,
  propertyFields,
  fixedFields,
  scopes: () => [],
};

/** Every dialect by the name that the setting `dialect` has for it. */
export const dialects: Readonly<Record<DialectName, Dialect>> = { contract, apaleo };
