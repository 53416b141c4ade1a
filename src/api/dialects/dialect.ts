import type { OperationId } from '../operations.ts';

/** A query value; an array is several values of one parameter. */
export type QueryValue = string | number | boolean | readonly string[];
export type Query = Readonly<Record<string, QueryValue | undefined>>;

/** How one service spells the contract's operations. */
export interface Dialect {
  /** The path template of an operation. */
  path(id: OperationId): string;
  /** The query as pairs in the order in which they are sent. */
  query(id: OperationId, query: Query): readonly (readonly [name: string, value: string])[];
  /** The body as it goes over the wire. */
  body(id: OperationId, body: unknown): unknown;
  /** The names of the query parameters that ask for a page. */
  readonly paging: { readonly number: string; readonly size: string };
}

export type DialectName = 'contract';
