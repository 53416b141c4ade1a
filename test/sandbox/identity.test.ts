import { describe, expect, test } from 'vitest';
import { refusedValues, sandboxOfEach } from './harness.ts';

const invitations = '/api/v1/invitations';
const users = '/api/v1/users';
const BEN = '6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01';
const ben = `/api/v1/identity/users/${BEN}`;
const call = sandboxOfEach();

describe('invitations', () => {
  test('are created, listed under invitations without a count, and deleted', async () => {
    const body = { email: 'Eva/Ops+1@example.com', properties: ['BER', 'VIE'], role: 'Housekeeping' };

    const created = await call('POST', invitations, { body });

    expect([created.status, created.body]).toEqual([200, { email: 'Eva/Ops+1@example.com' }]);
    const { body: list } = await call('GET', `${invitations}?property_id=BER`);
    expect(list).toEqual({
      invitations: [
        expect.objectContaining({ email: 'jonas.keller@aurora.example' }),
        {
          email: 'Eva/Ops+1@example.com',
          is_account_admin: false,
          invited_by: 'ana@aurora.example',
          created: '2026-04-21T12:00:00.000Z',
          properties: ['BER', 'VIE'],
          role: 'Housekeeping',
          roles: ['Housekeeping'],
        },
      ],
    });
    const address = `${invitations}/${encodeURIComponent('eva/ops+1@EXAMPLE.com')}`;
    expect((await call('DELETE', address)).status).toBe(204);
    expect((await call('DELETE', address)).status).toBe(404);
    expect((await call('GET', `${invitations}?propertyId=BER`)).body).toMatchObject({
      invitations: [{ email: 'jonas.keller@aurora.example' }],
    });
  });

  const known =
    'AccountAdmin, PropertyAdmin, FinanceManager, RevenueManager, ReservationOffice, FrontOffice, Housekeeping, HousekeepingManager, Auditor, StaffManager, Accountant, ReservationManager, FrontDesk, FrontDeskSenior';
  test.each([
    ['no address', {}, 'email', 'is missing'],
    ['an invalid address', { email: 'eva' }, 'email', 'must be an e-mail address'],
    ['an unknown role', { email: 'eva@example.com', role: 'Chef' }, 'role', `"Chef" is not one of ${known}`],
    [
      'a text as is_account_admin',
      { email: 'eva@example.com', is_account_admin: 'yes' },
      'is_account_admin',
      'must be true or false',
    ],
  ])('are rejected with %s', async (_, body, field, reason) => {
    const refused = await call('POST', invitations, { body });

    expect(refused.status).toBe(422);
    expect(refused.body).toEqual(refusedValues([field, reason]));
  });

  test.each([
    ['invited', 'Jonas.Keller@aurora.example', 'Jonas.Keller@aurora.example is already invited.'],
    ['of a user', 'BEN@aurora.example', 'BEN@aurora.example has a user in this account already.'],
  ])('are rejected if the address is already %s, ignoring case', async (_, email, message) => {
    const refused = await call('POST', invitations, { body: { email } });

    expect(refused.status).toBe(409);
    expect(refused.body).toEqual({
      error: { code: 'already_exists', message, details: [{ field: 'email', reason: 'is taken' }] },
    });
  });
});

describe('users', () => {
  test('have their roles inside each property in a list', async () => {
    const { property_roles: roles, ...shown } = Object((await call('GET', ben)).body);

    expect((await call('GET', `${users}?email=Ben@aurora.example`)).body).toEqual({
      count: 1,
      users: [{ ...shown, properties: roles }],
    });
  });

  test('have property ids and separate roles when read one at a time', async () => {
    expect((await call('GET', ben)).body).toMatchObject({
      subject_id: BEN,
      properties: ['BER', 'MUC'],
      property_roles: [
        { id: 'BER', roles: ['FrontDesk'] },
        { id: 'MUC', roles: ['FrontDesk'] },
      ],
    });
    expect((await call('GET', '/api/v1/identity/users/nobody')).status).toBe(404);
  });

  test.each([
    ['a page', 'page_size=5&page_number=3', 12, ['Karl', 'Lukas']],
    [
      'some properties, repeated',
      'property_ids=MUC&property_ids=VIE&sort=firstname:desc',
      7,
      ['Julia', 'Ivan', 'Hanna', 'Greta', 'Emma', 'David', 'Ben'],
    ],
    ['enabled=false', 'enabled=false', 1, ['Karl']],
    ['descending order', 'sort=lastname:desc&page_size=2', 12, ['Lukas', 'Clara']],
  ])('are listed with %s', async (_, query, count, names) => {
    const { body } = await call('GET', `${users}?${query}`);

    expect(body).toEqual({
      count,
      users: names.map((name) => expect.objectContaining({ first_name: name })),
    });
  });

  test('can be disabled, renamed and assigned properties', async () => {
    const updated = await call('PATCH', ben, {
      body: [
        { op: 'replace', path: '/enabled', value: false },
        { op: 'add', path: '/properties', value: ['VIE', 'BER'] },
        { op: 'replace', path: '/lastName', value: 'Berger' },
      ],
    });

    expect([updated.status, updated.body]).toEqual([204, undefined]);
    expect((await call('GET', ben)).body).toMatchObject({
      enabled: false,
      last_name: 'Berger',
      properties: ['VIE', 'BER'],
      property_roles: [
        { id: 'VIE', roles: [] },
        { id: 'BER', roles: ['FrontDesk'] },
      ],
    });
  });

  test.each<[string, string, string, unknown, string, string]>([
    ['of the address', 'replace', '/email', 'x@example.com', '/email', 'cannot be changed'],
    ['of a flag with add', 'add', '/enabled', true, '/enabled', 'cannot be changed with add'],
    ['of one of the properties', 'add', '/properties/-', 'VIE', '/properties/-', 'cannot be changed'],
    ['to an unknown property', 'add', '/properties', ['HAM'], 'properties', 'there is no property "HAM"'],
    ['of the prototype', 'replace', '/__proto__', {}, '/__proto__', 'cannot be changed'],
  ])('reject a change %s', async (_, op, path, value, field, reason) => {
    const refused = await call('PATCH', ben, { body: [{ op, path, value }] });

    expect(refused.status).toBe(422);
    expect(refused.body).toEqual(refusedValues([field, reason]));
  });
});

test('roles are plain names under roles', async () => {
  expect((await call('GET', '/api/v1/roles')).body).toEqual({
    roles: expect.arrayContaining(['AccountAdmin', 'FrontDeskSenior', 'StaffManager']),
  });
});
