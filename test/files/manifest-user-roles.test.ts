import { expect, test } from 'vitest';
import { apaleo } from '../../src/service/apaleo.ts';
import { contract } from '../../src/service/dialect.ts';
import { read } from './reading.ts';

const roles = [
  { id: 'BER', roles: ['FrontDesk', 'Auditor'] },
  { id: 'VIE', roles: [] },
];
const ben = { email: 'ben@example.com', properties: ['BER', 'VIE'], property_roles: roles };

test.each([contract, apaleo])(
  'roles of users are part of the manifests of every dialect (case %#)',
  async (dialect) => {
    const { entries, problems } = await read({ 'x.json': JSON.stringify([ben]) }, { dialect });

    expect({ problems, entries }).toMatchObject({ problems: [], entries: [{ kind: 'user', fields: ben }] });
  },
);

test.each(['BER: FrontDesk, Auditor; VIE: none', ' BER:FrontDesk,Auditor ;VIE:none;'])(
  'a table holds them in one cell: %j',
  async (cell) => {
    const text = `email,properties,property_roles\nben@example.com,BER;VIE,"${cell}"\n`;

    const { entries, problems } = await read({ 'x.csv': text });

    expect({ problems, entries }).toMatchObject({ problems: [], entries: [{ kind: 'user', fields: ben }] });
  },
);

test('a table can state that a user has no roles', async () => {
  const { entries } = await read({ 'x.csv': 'email,property_roles\nben@example.com,[]\n' });

  expect(entries.map(({ fields }) => fields)).toEqual([{ email: 'ben@example.com', property_roles: [] }]);
});

test.each([
  ['BER', 'property_roles: item 1: write it as'],
  ['a b: Auditor', 'property_roles: item 1: id "a b" has characters'],
  ['BER: Auditor,', 'property_roles: item 1: roles must not be empty'],
  ['BER: none, Auditor', 'property_roles: item 1: roles "none" is not a role: write roles: []'],
  ['BER: Auditor; ber: FrontDesk', 'property_roles: names a property twice'],
])('the cell %j is rejected', async (cell, problem) => {
  const { problems } = await read({ 'x.csv': `email,property_roles\nben@example.com,"${cell}"\n` });

  expect(problems).toEqual([expect.stringContaining(`x.csv: row 2: ${problem}`)]);
});

test.each([
  [{ property_roles: 'BER' }, 'property_roles: must be a list of properties and roles'],
  [{ property_roles: ['BER'] }, 'property_roles: item 1: write it as {id: BER, roles: [FrontDesk]}'],
  [{ property_roles: [{ id: '../x', roles: [] }] }, 'property_roles: item 1: id '],
  [{ property_roles: [{ id: 'BER', roles: [7] }] }, 'property_roles: item 1: roles '],
  [{ property_roles: [{ id: 'BER', roles: ['A, B'] }] }, 'property_roles: item 1: roles "A, B" is more than'],
  [{ property_roles: [{ id: 'BER', roles: [], name: 'x' }] }, 'property_roles: item 1: write it as'],
  [{ ...ben, properties: [] }, 'property_roles names "BER", "VIE", not among properties'],
])('%j is rejected', async (fields, problem) => {
  const user = { kind: 'user', email: 'ben@example.com', ...fields };

  const { problems } = await read({ 'x.json': JSON.stringify([user]) });

  expect(problems).toEqual([expect.stringContaining(`x.json: line 1: ${problem}`)]);
});
