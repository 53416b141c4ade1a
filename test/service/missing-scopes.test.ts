import { expect, test } from 'vitest';
import { missingScopes } from '../../src/service/refusal.ts';
import { fc } from '../helpers/laws.ts';

const known = ['properties.manage', 'setup.manage'];
const read = (challenge: string, ofOperation: readonly string[] = known) =>
  missingScopes({ 'www-authenticate': challenge }, ofOperation);

test.each<[string, readonly string[]]>([
  ['Bearer error="insufficient_scope", scope="users.read"', ['users.read']],
  [
    'Bearer realm="hotels", error="insufficient_scope", scope="users.read users.manage"',
    ['users.read', 'users.manage'],
  ],
  ['bearer scope=users.read', ['users.read']],
  ['BEARER SCOPE = "users.read",ERROR=insufficient_scope', ['users.read']],
  ['Basic realm="hotels", Bearer error="insufficient_scope", scope="users.read"', ['users.read']],
  [
    'Bearer error="insufficient_scope", error_description="No, scope=\\"other\\"", scope="a  a b"',
    ['a', 'b'],
  ],
])('the scopes in the response take precedence: %s', (challenge, scopes) => {
  expect(read(challenge)).toEqual({ scopes, isOneEnough: false });
});

test.each([
  '',
  'Bearer',
  'Bearer error="insufficient_scope"',
  'Bearer error="insufficient_scope", scope=""',
  'Bearer error="invalid_token", scope="users.read"',
  'Basic realm="hotels", scope="users.read"',
  'Bearer x_scope="users.read"',
  'Bearer scope="users.r\u00e4ad"',
  'Bearer scope="users\\read"',
  'Bearer scope="users.read \u001b[31m"',
  'Bearer scope="a b c d e f"',
  `Bearer scope="${'a'.repeat(101)}"`,
  `Bearer realm="${'a'.repeat(4_000)}", scope="users.read"`,
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

test('from any header, only few and plain scopes are read', () => {
  const noise = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('scope=', '"', 'Bearer ', ', ', '\\', 'a b'),
  );

  fc.assert(
    fc.property(
      fc.array(noise).map((parts) => `Bearer ${parts.join('')}`),
      (challenge) => {
        const { scopes } = read(challenge) ?? { scopes: [] };
        expect(scopes.length).toBeLessThanOrEqual(5);
        for (const scope of scopes) expect(scope).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/);
      },
    ),
  );
});
