import { invitesAdmin } from '../api/access-change.ts';
import { currencyWarning } from '../checks/currency.ts';
import { type Entry, placeText } from './entry.ts';

/** What a person should know of entries that are taken: one sentence for each thing, with the first place. */
export function warnOf(entries: readonly Entry[]): readonly string[] {
  return [...withdrawn(entries), ...withoutAccess(entries)];
}

function withdrawn(entries: readonly Entry[]): readonly string[] {
  const first = new Map<string, Entry>();
  for (const entry of entries) {
    const currency = String(entry.fields['currency_code']);
    if (entry.kind === 'property' && !first.has(currency)) first.set(currency, entry);
  }
  return [...first].flatMap(([currency, { place }]) => {
    const warning = currencyWarning(currency);
    return warning === undefined ? [] : [`${placeText(place)}: ${warning}`];
  });
}

function withoutAccess(entries: readonly Entry[]): readonly string[] {
  const blind = entries.filter(({ kind, fields }) => kind === 'invitation' && seesNothing(fields));
  const [first] = blind;
  if (first === undefined) return [];
  const others = blind.length === 1 ? '' : `, and ${(blind.length - 1).toLocaleString('en')} more,`;
  return [
    `Without is_account_admin, or role and properties, ${first.name} (${placeText(first.place)})${others} will see nothing.`,
  ];
}

function seesNothing(fields: Entry['fields']): boolean {
  if (invitesAdmin(fields)) return false;
  const { role, roles, properties } = fields;
  const hasRole = role !== undefined || (Array.isArray(roles) && roles.length > 0);
  return !hasRole || !Array.isArray(properties) || properties.length === 0;
}
