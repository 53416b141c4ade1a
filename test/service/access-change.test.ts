import { describe, expect, test } from 'vitest';
import { inOneShape, invitesAdmin } from '../../src/model/access.ts';
import { givesFullAccess, propertyChange, reductionBy, withoutRoles } from '../../src/model/access-change.ts';
import type { PatchStep } from '../../src/model/patch.ts';

const set = (path: string, value: unknown): PatchStep => ({ op: 'replace', path, value });

describe('a step', () => {
  test.each<[string, PatchStep, object | undefined]>([
    ['replace false', set('/enabled', false), { disables: 'surely' }],
    ['add false', { op: 'add', path: '/enabled', value: false }, { disables: 'surely' }],
    ['replace true', set('/enabled', true), undefined],
    ['remove', { op: 'remove', path: '/enabled' }, { disables: 'maybe' }],
    ['a string', set('/enabled', 'true'), { disables: 'maybe' }],
    ['capital letters', set('/Enabled', false), { disables: 'surely' }],
    ['a trailing slash', set('/enabled/', false), { disables: 'surely' }],
    ['a move from it', { op: 'move', from: '/enabled', path: '/x' }, { disables: 'maybe' }],
    ['a move onto it', { op: 'move', from: '/x', path: '/enabled' }, { disables: 'maybe' }],
    ['a copy onto it', { op: 'copy', from: '/x', path: '/enabled' }, { disables: 'maybe' }],
    ['a test', { op: 'test', path: '/enabled', value: false }, undefined],
    ['the whole record', set('', {}), { disables: 'maybe', demotes: 'maybe' }],
    ['no leading slash', set('enabled', false), { disables: 'maybe', demotes: 'maybe' }],
    ['the admin flag', set('/isAccountAdmin', false), { demotes: 'surely' }],
    ['the admin flag in snake_case', set('/is_account_admin', false), { demotes: 'surely' }],
    ['a path below the admin flag', set('/isAccountAdmin/x', true), { demotes: 'maybe' }],
    ['another field', set('/firstName', 'Ben'), undefined],
    ['an escaped name', set('/x~1enabled', false), undefined],
  ])('the reduced access is detected: %s', (_, step, reduction) => {
    expect(reductionBy([step])).toEqual(reduction);
  });

  test('a reducing step counts although a later step reverts it', () => {
    expect(reductionBy([set('/enabled', false), set('/enabled', true)])).toEqual({ disables: 'surely' });
  });

  test.each<[PatchStep, boolean]>([
    [set('/isAccountAdmin', true), true],
    [set('/is_account_admin', 'true'), true],
    [set('/isAccountAdmin', false), false],
    [{ op: 'remove', path: '/isAccountAdmin' }, false],
    [{ op: 'copy', from: '/enabled', path: '/IsAccountAdmin' }, true],
    [{ op: 'move', from: '/isAccountAdmin', path: '/x' }, false],
    [{ op: 'test', path: '/isAccountAdmin', value: true }, false],
    [set('', { isAccountAdmin: true }), true],
    [set('', { is_account_admin: false }), false],
    [{ op: 'copy', from: '/x', path: '' }, true],
  ])('%j gives full access: %s', (step, isGiven) => {
    expect(givesFullAccess([step])).toBe(isGiven);
  });
});

test.each<[Record<string, unknown>, boolean]>([
  [{ is_account_admin: true }, true],
  [{ isAccountAdmin: 'yes' }, true],
  [{ is_account_admin: false }, false],
  [{ role: 'AccountAdmin' }, true],
  [{ role: 'account_admin' }, true],
  [{ Roles: ['Housekeeping', 'AccountAdmin'] }, true],
  [{ roles: ['PropertyAdmin'], role: 'Auditor' }, false],
  [{ email: 'accountadmin@example.com' }, false],
  [{ roles: [{ toString: 1 }, 'AccountAdmin'] }, true],
])('an invitation with %j makes an account admin: %s', (invitation, isMade) => {
  expect(invitesAdmin(invitation)).toBe(isMade);
});

describe('the properties of a user', () => {
  const ben = {
    properties: ['BER', 'MUC'],
    property_roles: [
      { id: 'BER', roles: ['FrontDesk'] },
      { id: 'MUC', roles: [] },
    ],
  };
  const none = { added: [], removed: [], removedRoles: [], isOpen: false };
  const berRoles = [{ id: 'BER', roles: ['FrontDesk'] }];

  test.each([
    [
      { steps: [set('/properties', ['MUC', 'VIE'])] },
      { added: ['VIE'], removed: ['BER'], removedRoles: berRoles },
    ],
    [{ steps: [set('/properties', [])] }, { removed: ['BER', 'MUC'], removedRoles: berRoles }],
    [{ addProperties: ['VIE', 'BER'] }, { added: ['VIE'] }],
    [{ removeProperties: ['MUC', 'VIE'] }, { removed: ['MUC'] }],
    [
      { addProperties: ['VIE'], removeProperties: ['MUC'] },
      { added: ['VIE'], removed: ['MUC'] },
    ],
    [{ steps: [set('/enabled', true)] }, {}],
  ])('differ by %j', (changes, change) => {
    expect(propertyChange(ben, { steps: [], ...changes })).toEqual({ ...none, ...change });
  });

  test.each<[PatchStep, object]>([
    [set('/Properties/', ['BER']), { removed: ['MUC'] }],
    [
      { op: 'remove', path: '/properties' },
      { removed: ['BER', 'MUC'], removedRoles: berRoles },
    ],
    [{ op: 'remove', path: '/properties/1' }, { removed: ['MUC'] }],
    [set('/properties/1', 'VIE'), { added: ['VIE'], removed: ['MUC'] }],
    [{ op: 'add', path: '/properties/-', value: 'VIE' }, { added: ['VIE'] }],
    [{ op: 'copy', from: '/x', path: '/properties' }, { isOpen: true }],
    [{ op: 'move', from: '/properties', path: '/x' }, { isOpen: true }],
    [set('/properties', 'BER'), { isOpen: true }],
    [set('/properties/7', 'BER'), { isOpen: true }],
    [set('', {}), { isOpen: true }],
    [{ op: 'test', path: '/properties', value: [] }, {}],
  ])('differ by the step %j', (step, change) => {
    expect(propertyChange(ben, { steps: [step] })).toEqual({ ...none, ...change });
  });

  test('may be removed when the user was not read', () => {
    expect(propertyChange(undefined, { steps: [set('/properties', ['BER'])] })).toEqual({
      ...none,
      isOpen: true,
    });
  });

  test('are also read from lists that carry the roles', () => {
    const listed = inOneShape({ properties: ben.property_roles });

    expect(propertyChange(listed, { steps: [set('/properties', ['MUC'])] })).toEqual({
      ...none,
      removed: ['BER'],
      removedRoles: berRoles,
    });
  });

  test.each([
    [ben, ['MUC']],
    [{ ...ben, properties: ['BER', 'MUC', 'VIE'] }, ['MUC', 'VIE']],
    [inOneShape({ properties: ben.property_roles }), ['MUC']],
    [{ ...ben, is_account_admin: true }, []],
    [{ properties: ['BER', 'MUC', 'VIE'] }, []],
    [{ properties: ['BER', 'MUC', 'VIE'], property_roles: [] }, ['BER', 'MUC', 'VIE']],
  ])('that carry no role, in %j, are %j (case %#)', (record, ids) => {
    expect(withoutRoles(record, ['BER', 'MUC', 'VIE'])).toEqual(ids);
  });
});
