import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import { readPolicy } from '../../src/people/policy.ts';

function problemsOf(text: string): readonly string[] {
  try {
    readPolicy(text, 'policy.yaml');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const details = error.details.map(({ field, reason }) => `${field}: ${reason}`);
    return details.length > 0 ? details : [error.message];
  }
  return [];
}

const whole = `version: 1
admins: {only: [ana@example.com], min: 1, max: 2}
mfa: {required_for: [admins, Accountant]}
employees: {file: hr.csv, column: Mail, except: ["@partner.example"]}
domains: {allow: [example.com], others: {roles: [Auditor]}}
separate: [[Accountant, FrontDesk]]
invitations: {max_age_days: 14, admins: forbid}
no_roles: forbid
exceptions:
  - {rule: no_roles, who: BER, until: 2026-12-31, reason: they are hiring}
`;

test('reads all rules, with the line of each', () => {
  const { policy, lineOf } = readPolicy(whole, 'policy.yaml');

  expect(policy).toEqual({
    version: 1,
    admins: { only: ['ana@example.com'], min: 1, max: 2 },
    mfa: { required_for: ['admins', 'Accountant'] },
    employees: { file: 'hr.csv', column: 'Mail', except: ['@partner.example'] },
    domains: { allow: ['example.com'], others: { roles: ['Auditor'] } },
    separate: [['Accountant', 'FrontDesk']],
    invitations: { max_age_days: 14, admins: 'forbid' },
    no_roles: 'forbid',
    exceptions: [{ rule: 'no_roles', who: 'BER', until: '2026-12-31', reason: 'they are hiring' }],
  });
  expect([lineOf(['admins', 'min']), lineOf(['exceptions', 0, 'who'])]).toEqual([2, 10]);
});

test('JSON is read like YAML', () => {
  const json = '{"version": 1, "admins": {"max": 3}, "no_roles": "forbid"}';

  expect(readPolicy(json, 'policy.json').policy).toEqual(JSON.parse(json));
});

test('all problems are told at once, in the order of their lines', () => {
  const text = `version: 1
admins:
  only: [ana]
  min: 3
  max: 2
  mni: 1
mfa: {required_for: admins}
employee: {file: hr.csv}
domains: {allow: [ana@example.com], others: {}}
separate:
  - [Accountant]
limits: {properties_per_person: 0}
invitations: {admins: never}
exceptions:
  - {rule: mfa, who: "@", until: 2026-02-30}
  - nothing
`;

  expect(problemsOf(text)).toEqual([
    'policy.yaml: line 3: admins.only: "ana" is not an e-mail address',
    'policy.yaml: line 6: admins.mni: is not part of it; did you mean min?',
    'policy.yaml: line 7: mfa.required_for: must be a list of at least 1: [admins]',
    'policy.yaml: line 8: employee: is not part of it; did you mean employees?',
    'policy.yaml: line 9: domains.allow: "ana@example.com" is not a domain: write example.com',
    'policy.yaml: line 9: domains.others.roles: is missing',
    'policy.yaml: line 11: separate: must be a list of at least 2: [Accountant, FrontDesk]',
    'policy.yaml: line 12: limits: is not part of it; there is version, admins, mfa, employees, domains, separate, ' +
      'invitations, no_roles, exceptions',
    'policy.yaml: line 13: invitations.admins: write allow or forbid',
    'policy.yaml: line 15: exceptions.who: "" is not a domain: write example.com',
    'policy.yaml: line 15: exceptions.until: "2026-02-30" is not a day: write 2026-12-31',
    'policy.yaml: line 15: exceptions.reason: is missing',
    'policy.yaml: line 16: exceptions: must hold names and values',
  ]);
});

test.each([
  ['an empty file', '', 'policy.yaml is empty.'],
  ['no rule', 'version: 1', 'policy.yaml: line 1: has no rule, so that nothing would be checked'],
  ['an empty rule', 'version: 1\nadmins:', 'policy.yaml: line 2: admins: must hold names and values'],
  ['no version', 'no_roles: forbid', 'policy.yaml: line 1: version: is missing'],
  [
    'another version',
    'no_roles: forbid\nversion: 2',
    'policy.yaml: line 2: version: must be 1: this innctl reads no other version',
  ],
  [
    'an exception without a rule',
    `${whole}  - {rule: passwords.age, who: "*", until: 2027-01-01, reason: x}`,
    'policy.yaml: line 11: exceptions.rule: "passwords" is not one of admins, mfa, employees, domains, separate, ' +
      'invitations, no_roles',
  ],
  [
    'a name with an escape sequence',
    'version: 1\nno_roles: forbid\n"\\e[31m": 1',
    'policy.yaml: line 3: "\\u001b[31m": is not part of it; there is version, admins, mfa, employees, domains, ' +
      'separate, invitations, no_roles, exceptions',
  ],
])('refuses %s', (_, text, problem) => {
  expect(problemsOf(text)).toEqual([problem]);
});

test('docs/access.md has a policy with all rules, and says what each finds', () => {
  const page = readFileSync('docs/access.md', 'utf8');
  const [, example = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];
  const described = [...page.matchAll(/^\| `(\w+)/gm)].map(([, rule]) => rule);

  const { version: _, exceptions: __, ...rules } = readPolicy(example, 'policy.yaml').policy;
  expect(new Set(described)).toEqual(new Set(Object.keys(rules)));
  expect(Object.keys(rules)).toHaveLength(7);
});
