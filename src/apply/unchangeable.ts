import { quote } from '../checks/text.ts';
import type { FieldChange } from './item.ts';

const ROLES = 'property_roles.';

/** How the roles of a user at one property are named among fields. */
export function rolesField(propertyId: string): string {
  return `${ROLES}${propertyId}`;
}

/** A field that differs and that no operation changes, as a clause. */
export function unchangeableText({ field, from, to }: FieldChange): string {
  if (field.startsWith(ROLES)) {
    const where = `roles at ${field.slice(ROLES.length)}`;
    return `${where} differ (file: ${listText(to)}, there: ${listText(from)}): cannot be changed here`;
  }
  return `${field} is ${quoteValue(from)}, not ${quoteValue(to)}, and cannot be changed after creation`;
}

function listText(roles: unknown): string {
  return Array.isArray(roles) && roles.length > 0 ? roles.join(', ') : 'none';
}

function quoteValue(value: unknown): string {
  return typeof value === 'string' ? quote(value) : quote(JSON.stringify(value) ?? 'nothing');
}
