import { expect, test } from 'vitest';
import { inOneShape } from '../../src/model/access.ts';
import type { ServiceRecord } from '../../src/model/records.ts';

test.each<[string, ServiceRecord, ServiceRecord]>([
  [
    'properties with roles, as in a list',
    {
      properties: [
        { id: 'BER', roles: ['FrontDesk'] },
        { id: 'MUC', roles: [] },
      ],
    },
    {
      properties: ['BER', 'MUC'],
      property_roles: [
        { id: 'BER', roles: ['FrontDesk'] },
        { id: 'MUC', roles: [] },
      ],
    },
  ],
  ['no properties, and therefore no roles', { properties: [] }, { properties: [], property_roles: [] }],
  [
    'no properties, and roles that are null',
    { properties: [], property_roles: null },
    { properties: [], property_roles: [] },
  ],
  ['entries with only an id', { properties: [{ id: 'BER' }] }, { properties: ['BER'] }],
  [
    'entries of both types',
    { properties: ['MUC', { id: 'BER', roles: ['Auditor'] }] },
    { properties: ['MUC', 'BER'], property_roles: [{ id: 'BER', roles: ['Auditor'] }] },
  ],
  [
    'unknown fields of an entry, which are kept',
    { properties: [{ id: 'BER', name: 'Grand Hotel', roles: ['Auditor'] }], shoeSize: 38 },
    {
      properties: ['BER'],
      property_roles: [{ id: 'BER', name: 'Grand Hotel', roles: ['Auditor'] }],
      shoeSize: 38,
    },
  ],
  [
    'roles in both fields, which are merged',
    {
      properties: [
        { id: 'BER', roles: ['Auditor', 'FrontDesk'] },
        { id: 'VIE', roles: ['Auditor'] },
      ],
      property_roles: [
        { id: 'BER', roles: ['FrontDesk', 'Accountant'] },
        { id: 'MUC', roles: null },
      ],
    },
    {
      properties: ['BER', 'VIE'],
      property_roles: [
        { id: 'BER', roles: ['FrontDesk', 'Accountant', 'Auditor'] },
        { id: 'MUC', roles: null },
        { id: 'VIE', roles: ['Auditor'] },
      ],
    },
  ],
  [
    'one property in two entries',
    {
      properties: [
        { id: 'BER', roles: ['Auditor'] },
        { id: 'BER', roles: ['FrontDesk'] },
      ],
    },
    { properties: ['BER'], property_roles: [{ id: 'BER', roles: ['Auditor', 'FrontDesk'] }] },
  ],
])('a user is normalized: %s', (_, shown, shape) => {
  expect(inOneShape(shown)).toEqual(shape);
  expect(inOneShape(shape)).toEqual(shape);
});

test.each<ServiceRecord>([
  {},
  { property_roles: [{ id: 'BER', roles: ['Auditor'] }] },
  { properties: null, property_roles: [] },
  { properties: ['BER'] },
  { properties: ['BER'], property_roles: [{ id: 'MUC', roles: ['Auditor'] }] },
  { properties: ['BER', 'BER'], property_roles: null },
])('a user that is already normalized is unchanged: %j', (user) => {
  expect(inOneShape(user)).toBe(user);
});
