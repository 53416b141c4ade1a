import type { Records } from '../../src/sandbox/records.ts';

/** What a service holds, by names instead of ids, without dates, roles of users, and the order of lists. */
export function stateOf(records: Records) {
  const { users, invitations, properties, unit_groups: groups, units, unit_attributes: attributes } = records;
  const names = new Map([
    // `role` has an older name for it.
    ['FrontOffice', 'FrontDesk'] as const,
    ...[...attributes.values()].map((each) => [each.id, String(each['name'])] as const),
    ...[...units.values()].map((each) => [each.id, `${each.property_id}/${each['name']}`] as const),
  ]);
  const all = { users, invitations, properties, groups, units, attributes };
  const lists = Object.entries(all).map(([kind, table]) => {
    const shown = [...(table as ReadonlyMap<string, object>).values()].map((record) =>
      JSON.stringify(record, (field, value) => {
        if (['created', 'id', 'property_roles', 'is_occupied', 'role'].includes(field)) return undefined;
        if (Array.isArray(value)) return [...new Set(value.map((each) => names.get(each) ?? each))].sort();
        if (typeof value !== 'object' || value === null) return value;
        return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
      }),
    );
    return [kind, shown.sort()];
  });
  return Object.fromEntries(lists);
}
