import { describe, expect, test } from 'vitest';
import type { ServiceRecord } from '../../src/model/records.ts';
import { factsFrom } from '../../src/people/facts.ts';
import { accessLike, grantTo } from '../../src/people/onboard.ts';

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
      'is the properties with the one role',
      { properties: ['BER', 'MUC'], property_roles: differing.property_roles.slice(0, 2) },
      [],
      { roles: ['FrontDesk'], properties: ['BER', 'MUC'] },
    ],
    [
      'of a disabled user counts, for the successor',
      { enabled: false, properties: ['BER'], property_roles: [{ id: 'BER', roles: ['FrontDesk'] }] },
      [],
      { roles: ['FrontDesk'], properties: ['BER'] },
    ],
    ['is chosen with --at', differing, ['VIE'], { roles: ['Auditor', 'FrontDesk'], properties: ['VIE'] }],
    [
      'may be chosen at several',
      differing,
      ['MUC', 'BER'],
      { roles: ['FrontDesk'], properties: ['BER', 'MUC'] },
    ],
    [
      'never has the admin flag, but the properties of an account admin',
      { is_account_admin: true, properties: ['BER'], property_roles: [{ id: 'BER', roles: ['FrontDesk'] }] },
      [],
      { roles: ['FrontDesk'], properties: ['BER'] },
    ],
    [
      'is never a union of roles that differ by property',
      differing,
      [],
      {
        problem: `the roles of ${ANNA} differ by property: FrontDesk at BER, MUC; Auditor and FrontDesk at VIE`,
        choices: [
          { roles: ['FrontDesk'], properties: ['BER', 'MUC'] },
          { roles: ['Auditor', 'FrontDesk'], properties: ['VIE'] },
        ],
      },
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

  test('is that of the user, where there is an invitation too', () => {
    const facts = factsFrom({
      users: [anna({ properties: ['BER'], property_roles: [{ id: 'BER', roles: ['FrontDesk'] }] })],
      invitations: [{ email: 'Anna@example.com', role: 'Auditor', properties: ['VIE'] }],
      properties: [],
      invitationDays: undefined,
      now: 0,
    });
    const invited = facts.filter(({ source }) => source === 'invitation');

    expect(accessLike(facts, [])).toEqual({ roles: ['FrontDesk'], properties: ['BER'] });
    expect(accessLike(invited, [])).toEqual({ roles: ['Auditor'], properties: ['VIE'] });
  });
});

describe('what a user lacks', () => {
  const wanted = { roles: ['FrontDesk'], properties: ['BER', 'VIE'] };

  test.each<[string, ServiceRecord, unknown]>([
    [
      'a property, and the role there',
      {
        enabled: true,
        properties: ['BER'],
        property_roles: [{ id: 'BER', roles: ['FrontDesk', 'Auditor'] }],
      },
      { enables: false, added: ['VIE'], lacking: [{ roles: ['FrontDesk'], properties: ['VIE'] }] },
    ],
    [
      'nothing',
      {
        enabled: true,
        properties: ['VIE', 'BER', 'MUC'],
        property_roles: [
          { id: 'BER', roles: ['FrontDesk'] },
          { id: 'VIE', roles: ['FrontDesk'] },
        ],
      },
      { enables: false, added: [], lacking: [] },
    ],
    [
      'everything, if disabled',
      { enabled: false, properties: [], property_roles: [] },
      {
        enables: true,
        added: ['BER', 'VIE'],
        lacking: [{ roles: ['FrontDesk'], properties: ['BER', 'VIE'] }],
      },
    ],
    [
      'the role at a property where none is',
      { enabled: true, properties: ['BER', 'VIE'], property_roles: [{ id: 'VIE', roles: ['FrontDesk'] }] },
      { enables: false, added: [], lacking: [{ roles: ['FrontDesk'], properties: ['BER'] }] },
    ],
    [
      'no role where roles are not shown',
      { enabled: true, properties: ['BER', 'VIE'] },
      { enables: false, added: [], lacking: [] },
    ],
    [
      'nothing, as an account admin',
      { enabled: true, is_account_admin: true },
      { enables: false, added: [], lacking: [] },
    ],
    [
      'what only an explicit command gives back: full access',
      { enabled: false, is_account_admin: true, properties: [] },
      { problem: 'is a disabled account admin, who would get full access back' },
    ],
  ])('%s', (_, user, expected) => {
    expect(grantTo(user, wanted)).toEqual(expected);
  });
});
