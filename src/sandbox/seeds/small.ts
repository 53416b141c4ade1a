import type { Change, InvitationRecord } from '../store/records.ts';
import { daysBefore } from './dates.ts';
import type { SeedOptions } from './seed.ts';
import { smallProperties } from './small-properties.ts';
import { smallUsers } from './small-users.ts';
import { unitGroupsOf } from './unit-groups.ts';

type Invited = Omit<InvitationRecord, 'created' | 'invited_by'> & { readonly daysAgo: number };

const invited: readonly Invited[] = [
  {
    email: 'jonas.keller@aurora.example',
    is_account_admin: false,
    properties: ['BER'],
    role: 'Housekeeping',
    roles: ['Housekeeping'],
    daysAgo: 2,
  },
  {
    email: 'lea.wagner@aurora.example',
    is_account_admin: false,
    properties: ['MUC', 'VIE'],
    role: 'FrontOffice',
    roles: ['FrontOffice'],
    daysAgo: 9,
  },
  {
    email: 'nora.fuchs@aurora.example',
    is_account_admin: true,
    properties: [],
    roles: ['AccountAdmin'],
    daysAgo: 12,
  },
  {
    email: 'paul.steiner@aurora.example',
    is_account_admin: false,
    properties: ['VIE'],
    role: 'Auditor',
    roles: ['Auditor'],
    daysAgo: 40,
  },
];

/** Three hotels, twelve people, four invitations, one of them long expired. */
export function* smallSeed({ now }: SeedOptions): Generator<Change> {
  for (const property of smallProperties(now)) {
    yield { put: ['properties', property.id, property] };
    for (const group of unitGroupsOf(property.id)) yield { put: ['unit_groups', group.id, group] };
  }
  for (const user of smallUsers()) yield { put: ['users', user.subject_id, user] };
  for (const { daysAgo, ...invitation } of invited) {
    const record = { ...invitation, invited_by: 'ana@aurora.example', created: daysBefore(now, daysAgo) };
    yield { put: ['invitations', record.email, record] };
  }
}
