import type { UserRecord } from '../store/records.ts';
import { invalid } from './refusal.ts';

const fields = {
  firstname: 'first_name',
  lastname: 'last_name',
  email: 'email',
} as const;

type SortField = keyof typeof fields;

/**
 * The users in the order of `firstname|lastname|email`, then `:asc` or `:desc`; as stored without an order.
 *
 * @throws {Refusal} 422 when the order is none of these.
 */
export function sortUsers(users: readonly UserRecord[], order: string | undefined): readonly UserRecord[] {
  if (order === undefined) return users;
  const [name = '', direction = 'asc', ...rest] = order.toLowerCase().split(':');
  if (!isSortField(name) || !['asc', 'desc'].includes(direction) || rest.length > 0) {
    throw invalid([
      {
        field: 'sort',
        reason: `${JSON.stringify(order)} is not firstname, lastname or email with :asc or :desc`,
      },
    ]);
  }
  const sign = direction === 'asc' ? 1 : -1;
  const field = fields[name];
  return users.toSorted((a, b) => sign * a[field].localeCompare(b[field], 'en'));
}

function isSortField(name: string): name is SortField {
  return Object.hasOwn(fields, name);
}
