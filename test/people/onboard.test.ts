import { describe, expect, test } from 'vitest';
import type { ServiceRecord } from '../../src/model/records.ts';
import { factsFrom } from '../../src/people/facts.ts';
import { accessLike } from '../../src/people/onboard.ts';

const ANNA = 'anna@example.com';

function factsOf(...users: readonly ServiceRecord[]) {
  return factsFrom({ users, invitations: [], properties: [], invitationDays: undefined, now: 0 });
}

const anna = (more: ServiceRecord): ServiceRecord => ({
  subject_id: 'a-1',
  email: ANNA,
  enabled: true,
  is_account_admin: false,
  ...more,
});

const differing = {
  properties: ['BER', 'MUC', 'VIE'],
  property_roles: [
    { id: 'BER', roles: ['FrontDesk'] },
    { id: 'MUC', roles: ['FrontDesk'] },
    { id: 'VIE', roles: ['Auditor', 'FrontDesk'] },
  ],
};

describe('the same access as a colleague', () => {
  test.each<[string, ServiceRecord, readonly string[], unknown]>([
    [
      'of a disabled user counts, for the successor',
      { enabled: false, properties: ['BER'], property_roles: [{ id: 'BER', roles: ['FrontDesk'] }] },
      [],
      { roles: ['FrontDesk'], properties: ['BER'] },
    ],
    [
      'may be chosen at several',
      differing,
      ['MUC', 'BER'],
      { roles: ['FrontDesk'], properties: ['BER', 'MUC'] },
    ],
    [
      'differs also where there is no role',
      { properties: ['BER', 'HAM'], property_roles: [{ id: 'BER', roles: ['FrontDesk'] }] },
      [],
      expect.objectContaining({
        problem: `the roles of ${ANNA} differ by property: FrontDesk at BER; no role at HAM`,
      }),
    ],
    [
      'is nothing at a property of others',
      differing,
      ['HAM', 'BER'],
      { problem: `${ANNA} does not have HAM, but BER, MUC, VIE` },
    ],
    [
      'is not full access',
      { is_account_admin: true, properties: [] },
      [],
      { problem: `${ANNA} is an account admin without properties, and full access is not copied` },
    ],
    [
      'is not full access by role',
      { properties: ['BER'], property_roles: [{ id: 'BER', roles: ['AccountAdmin'] }] },
      [],
      { problem: `${ANNA} is an account admin by role, and full access is not copied` },
    ],
    ['is nothing without a property', { properties: [] }, [], { problem: `${ANNA} has no property` }],
    [
      'is unknown if roles are not shown',
      { properties: ['BER'] },
      [],
      { problem: `the service does not show which roles ${ANNA} has where` },
    ],
  ])('%s', (_, more, at, expected) => {
    expect(accessLike(factsOf(anna(more)), at)).toEqual(expected);
  });
});
