import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { jsonSchemaOf } from '../../src/files/json-schema.ts';
import { policySchema, readPolicy } from '../../src/people/policy.ts';
import { cli } from '../helpers/cli.ts';

const published = jsonSchemaOf(policySchema());

function verdicts(policy: unknown) {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  let isRead = true;
  try {
    readPolicy(JSON.stringify(policy), 'policy.json');
  } catch {
    isRead = false;
  }
  return { schema: ajv.validate(published, policy), reader: isRead };
}

const exception = { rule: 'mfa', who: 'ana@example.com', until: '2026-12-31', reason: 'a new phone' };

test.each<[string, unknown]>([
  [
    'every rule',
    {
      $schema: 'access-policy.schema.json',
      version: 1,
      admins: { only: ['ana@example.com'], min: 1, max: 2 },
      mfa: { required_for: ['everyone'] },
      employees: { file: 'hr.csv', column: 'Mail', except: ['@partner.example'] },
      domains: { allow: ['example.com'], others: { roles: [] } },
      separate: [['Accountant', 'FrontDesk']],
      invitations: { max_age_days: 14, admins: 'forbid' },
      no_roles: 'forbid',
      exceptions: [exception],
    },
  ],
])('the JSON Schema accepts %s, as the reader does', (_, policy) => {
  expect(verdicts(policy)).toEqual({ schema: true, reader: true });
});

test.each<[string, unknown]>([
  ['no rule', { version: 1 }],
  ['another version', { version: 2, no_roles: 'forbid' }],
  ['an unknown rule', { version: 1, no_roles: 'forbid', mfas: {} }],
  ['an unknown field', { version: 1, admins: { min: 1, mix: 2 } }],
  ['a number as a text', { version: 1, admins: { min: '1' } }],
  ['another decision', { version: 1, no_roles: 'never' }],
  [
    'an exception without a reason',
    { version: 1, mfa: { required_for: ['admins'] }, exceptions: [{ ...exception, reason: undefined }] },
  ],
])('the JSON Schema refuses %s, as the reader does', (_, policy) => {
  expect(verdicts(policy)).toEqual({ schema: false, reader: false });
});

test('schema access-policy prints it', async () => {
  const { exitCode, stdout } = await cli('schema access-policy');

  expect({ exitCode, document: JSON.parse(stdout) }).toEqual({
    exitCode: 0,
    document: JSON.parse(JSON.stringify(published)),
  });
  expect(published).toMatchObject({ title: 'innctl access policy', required: ['version'] });
});
