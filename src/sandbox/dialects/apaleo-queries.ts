import type { OperationId } from '../../api/operations.ts';

/** The parameters that the service reads, and what operations call them. All others it ignores in silence. */
const namesOf: Partial<Record<OperationId, Readonly<Record<string, string>>>> = {
  listInvitations: { propertyId: 'property_id' },
  listUsers: {
    propertyIds: 'property_ids',
    email: 'email',
    enabled: 'enabled',
    pageNumber: 'page_number',
    pageSize: 'page_size',
    sort: 'sort',
  },
  listProperties: {
    status: 'status',
    includeArchived: 'include_archived',
    countryCode: 'country_code',
    pageNumber: 'page_number',
    pageSize: 'page_size',
    expand: 'expand',
  },
  getProperty: { languages: 'languages', expand: 'expand' },
};

const orders = /^(firstname|lastname|email):(asc|desc)$/;

/** The query under the names that operations read, without what the service takes no notice of. */
export function queryAsRead(id: OperationId, query: URLSearchParams): URLSearchParams {
  const names = namesOf[id] ?? {};
  const read = new URLSearchParams();
  for (const [name, value] of query) {
    const known = Object.hasOwn(names, name) ? names[name] : undefined;
    if (known !== undefined && isHeeded(id, known, value)) read.append(known, value);
  }
  return read;
}

function isHeeded(id: OperationId, name: string, value: string): boolean {
  if (name === 'sort') return orders.test(value);
  const isPaging = id === 'listUsers' && name.startsWith('page_');
  return !isPaging || !/^-?\d+$/.test(value) || Number(value) > 0;
}
