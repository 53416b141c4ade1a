import { describe, expect, test } from 'vitest';
import { hotel, read } from './reading.ts';

const eva = 'email: "eva@" is not an e-mail address';

describe('an entry that is not YAML hides no other', () => {
  test.each([
    [
      'a map that is not closed',
      '- { email: a@x.org\n- email: eva@\n',
      [/^2: is not valid YAML: Flow map/, 2],
    ],
    ['two on one line', '- email: a@x.org\n  role: x: y\n- email: eva@\n', [/^2: is not valid YAML/, 3]],
    [
      'another column',
      'users: []\ninvitations:\n  - email: a@x.org\n   - email: b@x.org\n  - email: eva@\n',
      [/^4: /, 5],
    ],
    ['a reserved mark', '- @foo\n- email: eva@\n', [/^1: is not valid YAML: Plain value/, 2]],
    ['a tag', '- email: !!str a@x.org\n- email: eva@\n', [/^1: has a tag/, 2]],
    ['an alias of nothing', '- email: *x\n- email: eva@\n', [/^1: has an alias \(\*x\)/, 2]],
    ['another document', 'email: "a\n---\nemail: eva@\n', [/^1: is not valid YAML/, undefined]],
    ['a document before', 'email: !!str a@x.org\n---\nemail: eva@\n', [/^1: has a tag/, 3]],
  ] as const)('%s', async (_, text, [first, line]) => {
    const problems = (await read({ 'x.yaml': text })).problems.map((each) =>
      each.replace('x.yaml: line ', ''),
    );

    expect(problems).toEqual([
      expect.stringMatching(first),
      ...(line === undefined ? [] : [`${line}: ${eva}`]),
    ]);
  });
});

test('a quote that is never closed is told with the entry that has it', async () => {
  const text = 'invitations:\n  - email: a@x.org\n    role: "x\n  - email: b@x.org\n';

  expect((await read({ 'x.yaml': text })).problems).toEqual([
    'x.yaml: line 2: is not valid YAML: Missing closing "quote',
  ]);
});

test.each([
  ['BER VIE', '"BER VIE" has a blank: ids are separated by commas, as in BER,VIE'],
  ['Grand Hotel Berlin', '"Grand Hotel Berlin" is the name of BER: give the id'],
])('%s in a list is no id', async (id, reason) => {
  expect((await read({ 'x.yaml': `email: ana@example.com\nproperties: [VIE, ${id}]\n` })).problems).toEqual([
    `x.yaml: line 1: properties: item 2: ${reason}`,
  ]);
});

test('the name of a hotel of the same files is told with its code, for roles of users too', async () => {
  const properties = [hotel({ code: 'HAM', name: { en: 'Harbour Hotel', de: 'Hotel am Hafen' } })];
  const invitations = [{ email: 'ana@example.com', properties: ['Hotel am Hafen'] }];
  const users = [{ email: 'ben@example.com', property_roles: [{ id: 'harbour hotel', roles: [] }] }];

  const { problems } = await read({ 'x.yaml': JSON.stringify({ properties, invitations, users }) });

  expect(problems).toEqual([
    'x.yaml: line 1: properties: item 1: "Hotel am Hafen" is the name of HAM: give the id',
    'x.yaml: line 1: property_roles: item 1: id "harbour hotel" is the name of HAM: give the id',
  ]);
});
