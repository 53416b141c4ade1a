import type { Detail } from '../../errors.ts';
import type { Records } from '../store/records.ts';

/** One problem for each id that names no stored property. */
export function unknownProperties(ids: readonly string[], records: Records): readonly Detail[] {
  return ids
    .filter((id) => !records.properties.has(id))
    .map((id) => ({ field: 'properties', reason: `there is no property ${JSON.stringify(id)}` }));
}
