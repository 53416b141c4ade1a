import { fixedFields, propertyFields } from '../../checks/property-fields.ts';
import { operations } from '../operations.ts';
import type { Dialect } from './dialect.ts';

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
