import type { UserRecord } from '../store/records.ts';
import { invalid } from './refusal.ts';

const fields = {
  firstname: 'first_name',
  lastname: 'last_name',
  email: 'email',
} as const;

type SortField = keyof typeof fields;

/**
 * The users in the order of `firstname|lastname|email`, then `:asc` or `:desc`; as stored without an order. Of several
 * orders the first counts most.
 *
 * @throws {Refusal} 422 when an order is none of these.
 */
export function sortUsers(users: readonly UserRecord[], orders: readonly string[]): readonly UserRecord[] {
  return orders.reduceRight(sortedBy, users);
}

function sortedBy(users: readonly UserRecord[], order: string): readonly UserRecord[] {
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
