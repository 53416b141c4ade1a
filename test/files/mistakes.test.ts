import { expect, test } from 'vitest';
import { hotel, read } from './reading.ts';

test('the first error of each document is reported, and documents without one are read', async () => {
  const text = 'email: "a"x\n---\nemail: eva@\n---\nemail: !!str a@x.org\nrole: *x\n';

  expect((await read({ 'x.yaml': text })).problems).toEqual([
    'x.yaml: line 1: is not valid YAML: Unexpected scalar at node end',
    'x.yaml: line 3: email: "eva@" is not an e-mail address',
    'x.yaml: line 5: has a tag (tag:yaml.org,2002:str), and tags are not taken',
    'x.yaml: line 6: has an alias (*x) without an anchor (&x) before it',
  ]);
});

test('the name of a hotel in the same files is reported with its code, also in roles of users', async () => {
  const properties = [hotel({ code: 'HAM', name: { en: 'Harbour Hotel', de: 'Hotel am Hafen' } })];
  const invitations = [{ email: 'ana@example.com', properties: ['Hotel am Hafen'] }];
  const users = [{ email: 'ben@example.com', property_roles: [{ id: 'harbour hotel', roles: [] }] }];

  const { problems } = await read({ 'x.yaml': JSON.stringify({ properties, invitations, users }) });

  expect(problems).toEqual([
    'x.yaml: line 1: properties: item 1: "Hotel am Hafen" is the name of HAM: give the id',
    'x.yaml: line 1: property_roles: item 1: id "harbour hotel" is the name of HAM: give the id',
  ]);
});
