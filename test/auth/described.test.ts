import { expect, test } from 'vitest';
import { type Described, typeOf } from '../../src/auth/identity.ts';

const described = (more: Partial<Described>): Described => ({
  method: 'token',
  stored: 'environment',
  who: {},
  clientId: undefined,
  scopes: undefined,
  expiresAt: undefined,
  ...more,
});

test.each<[Partial<Described>, Parameters<typeof typeOf>[1], ReturnType<typeof typeOf>]>([
  [{}, 'token', 'client'],
  [{ clientId: 'AURORA-CI' }, 'token', 'client'],
  [{ who: { subject: 'AURORA-CI' }, clientId: 'AURORA-CI' }, 'token', 'client'],
  [{ who: { subject: 'ana-7' }, clientId: 'AURORA-WEB' }, 'token', 'user'],
  [{ who: { subject: 'ana-7' } }, 'token', 'user'],
  [{ who: { email: 'ana@aurora.example' } }, 'token', 'user'],
  [{ who: { account: 'AURORA' }, clientId: 'AURORA-CI' }, 'token', 'client'],
  [{ who: { subject: 'service-1' }, clientId: 'AURORA-CI' }, 'client-credentials', 'client'],
  [{ method: 'web' }, 'client-credentials', 'client'],
  [{}, 'user', 'user'],
  [{ method: 'web', clientId: 'INNCTL' }, 'token', 'user'],
  [{ method: 'device', clientId: 'INNCTL' }, 'token', 'user'],
])('%j under the grant %s belongs to a %s', (claims, grant, type) => {
  expect(typeOf(described(claims), grant)).toBe(type);
});
