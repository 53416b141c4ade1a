import { expect, test } from 'vitest';
import { buildPlan } from '../../src/change/plan.ts';
import type { ServiceRecord } from '../../src/model/records.ts';
import { entryOf, planOptions, serviceOf } from '../change/plan-service.ts';

const EMAIL = 'ben@example.com';
const properties = [
  { id: 'P-1', code: 'BER' },
  { id: 'P-2', code: 'MUC' },
];
const ben = {
  subject_id: 's-1',
  email: EMAIL,
  enabled: true,
  properties: ['P-1', 'P-2'],
  property_roles: [
    { id: 'P-1', roles: ['FrontDesk', 'Auditor'] },
    { id: 'P-2', roles: [] },
  ],
};

async function planned(fields: ServiceRecord, user: ServiceRecord = ben, more = {}) {
  const { api } = serviceOf({ properties, users: [user] });
  const [item] = await buildPlan([entryOf('user', EMAIL, fields)], api, planOptions(more));
  return item;
}

test.each([
  [[{ id: 'P-1', roles: ['FrontDesk', 'Auditor'] }]],
  [
    [
      { id: 'MUC', roles: [] },
      { id: 'ber', roles: ['Auditor', 'FrontDesk'] },
    ],
  ],
])('roles match in any order, at properties by id or code: %j', async (roles) => {
  expect(await planned({ property_roles: roles })).toMatchObject({ action: 'same' });
});

test.each([
  [[{ id: 'P-1', roles: ['Auditor'] }], [['P-1', ['FrontDesk', 'Auditor'], ['Auditor']]]],
  [[], [['P-1', ['FrontDesk', 'Auditor'], []]]],
  [
    [
      { id: 'P-1', roles: ['FrontDesk', 'Auditor'] },
      { id: 'P-2', roles: ['Auditor'] },
    ],
    [['P-2', [], ['Auditor']]],
  ],
])('a difference is reported without a change: %j', async (roles, differing) => {
  expect(await planned({ property_roles: roles })).toMatchObject({
    action: 'cannot_change',
    steps: [],
    changes: [],
    cannotChange: differing.map(([id, from, to]) => ({ field: `property_roles.${id}`, from, to })),
  });
});

test('roles at a removed property are removed with it; an added property has none', async () => {
  const taken = await planned({ properties: ['MUC'], property_roles: [{ id: 'MUC', roles: [] }] });
  const added = await planned(
    { properties: ['BER', 'MUC'], property_roles: [{ id: 'MUC', roles: ['Auditor'] }] },
    { ...ben, properties: ['P-1'], property_roles: [{ id: 'P-1', roles: [] }] },
  );

  expect(taken).toMatchObject({ action: 'change', cannotChange: [] });
  expect(added).toMatchObject({
    action: 'change',
    steps: [{ path: '/properties', value: ['P-1', 'P-2'] }],
    cannotChange: [{ field: 'property_roles.P-2', from: [], to: ['Auditor'] }],
  });
});

test.each([undefined, null])('roles shown as %j are not compared, and never sent', async (shown) => {
  const roles = [{ id: 'P-1', roles: ['Auditor'] }];
  const user = { ...ben, property_roles: shown };

  expect(await planned({ property_roles: roles }, user)).toMatchObject({
    action: 'same',
    steps: [],
  });
});
