import { expect, test } from 'vitest';
import { missingScopes } from '../../src/service/refusal.ts';

const known = ['properties.manage', 'setup.manage'];
const read = (challenge: string, ofOperation: readonly string[] = known) =>
  missingScopes({ 'www-authenticate': challenge }, ofOperation);

test.each<[string, readonly string[]]>([
  ['Bearer error="insufficient_scope", scope="users.read"', ['users.read']],
  [
    'Bearer realm="hotels", error="insufficient_scope", scope="users.read users.manage"',
    ['users.read', 'users.manage'],
  ],
])('the scopes in the response take precedence: %s', (challenge, scopes) => {
  expect(read(challenge)).toEqual({ scopes, isOneEnough: false });
});

test.each([
  '',
  'Bearer',
  'Bearer error="insufficient_scope"',
  'Bearer error="insufficient_scope", scope=""',
  'Basic realm="hotels", scope="users.read"',
  'Bearer x_scope="users.read"',
  'Bearer scope="users.r\u00e4ad"',
  'Bearer scope="users\\read"',
  'Bearer scope="users.read \u001b[31m"',
  `Bearer scope="${'a'.repeat(501)}"`,
])(
  'without valid scopes in the response those of the operation are listed as alternatives: %j',
  (challenge) => {
    expect(read(challenge)).toEqual({ scopes: known, isOneEnough: true });
  },
);

test('without scopes from either source, none are missing', () => {
  expect(read('Bearer', [])).toBeUndefined();
  expect(missingScopes({}, [])).toBeUndefined();
});
