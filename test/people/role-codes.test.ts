import { expect, test } from 'vitest';
import type { Fact } from '../../src/people/access-document.ts';
import { roleCodes } from '../../src/people/role-codes.ts';
import { fc } from '../helpers/laws.ts';

function codes(...roles: readonly string[]) {
  // Nothing else of a fact matters.
  return Object.fromEntries(roleCodes([{ roles } as unknown as Fact]));
}

test('the roles of the service have short codes', () => {
  const roles =
    'PropertyAdmin Accountant RevenueManager ReservationManager FrontDesk FrontDeskSenior Housekeeping HousekeepingManager Auditor StaffManager';

  expect(codes(...roles.split(' '))).toEqual({
    Accountant: 'AC',
    Auditor: 'AU',
    FrontDesk: 'FD',
    FrontDeskSenior: 'FDS',
    Housekeeping: 'HK',
    HousekeepingManager: 'HKM',
    PropertyAdmin: 'PA',
    ReservationManager: 'RESM',
    RevenueManager: 'REVM',
    StaffManager: 'SM',
  });
});

test.each([
  [['night_audit', 'Night Audit'], { night_audit: 'night_audit', 'Night Audit': 'Night Audit' }],
  [['RM', 'RoomManager'], { RM: 'RM', RoomManager: 'ROM' }],
  [['§§', ''], { '§§': '§§', '': '' }],
])('%j', (roles, expected) => {
  expect(codes(...roles)).toEqual(expected);
});

test('no two roles have the same code', () => {
  const role = fc.oneof(
    fc.stringMatching(/^([A-Z][a-z]{0,5}){1,3}$/),
    fc.constantFrom('RM', 'ReM', 'REM', 'RoomManager', 'ReM Manager', 'rem'),
  );
  fc.assert(
    fc.property(fc.uniqueArray(role, { maxLength: 12 }), (roles) => {
      expect(new Set(Object.values(codes(...roles))).size).toBe(roles.length);
    }),
  );
});
