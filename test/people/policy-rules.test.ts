import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Fact } from '../../src/people/access-document.ts';
import { readPolicy } from '../../src/people/policy.ts';
import { type Account, judge } from '../../src/people/policy-rules.ts';
import { dialects } from '../../src/service/apaleo.ts';
import { invitationFact as invitation, userFact as user } from '../helpers/facts.ts';

const admin = { account_admin: true, property: '*', roles: [] };
const ana = 'ana@example.com';
const ben = 'ben@example.com';
const eva = 'eva@example.com';

function judged(rules: string, facts: readonly Fact[], account: Partial<Account> = {}) {
  return judge(readPolicy(`version: 1\n${rules}`, 'policy.yaml'), {
    facts,
    employees: undefined,
    roles: ['FrontDesk', 'Accountant', 'Auditor', 'PropertyAdmin'],
    properties: [{ id: 'BER' }, { id: 'MUC', code: 'MUNICH' }],
    dialect: dialects.apaleo,
    flags: [],
    now: Date.parse('2026-11-23T12:00:00Z'),
    ...account,
  });
}

/** The findings in words. */
function told(...given: Parameters<typeof judged>): readonly string[] {
  return judged(...given).findings.map(({ result, rule, email, property, message, mend }) =>
    [result, rule, email ?? '-', property ?? '-', message, mend.replace('innctl ', '')].join(' | '),
  );
}

test.each<[string, string, readonly Fact[], readonly string[]]>([
  ['one of those named', `admins: {only: [ANA@example.com]}`, [user(ana, admin)], []],
  ['somebody who is no admin', `admins: {only: [${ana}]}`, [user(ben)], []],
  ['a disabled admin', `admins: {only: [${ana}]}`, [user(ben, { ...admin, state: 'disabled' })], []],
  [
    'another admin',
    `admins: {only: [${ana}]}`,
    [user(ben, admin)],
    [
      'violated | admins.only | ben@example.com | - | Is an account admin, and not one of those named. | users update ben@example.com --is-account-admin false',
    ],
  ],
  [
    'an invited admin',
    `admins: {only: [${ana}]}`,
    [invitation(ben, admin)],
    [
      'violated | admins.only | ben@example.com | - | Is invited as an account admin, and not one of those named. | invitations delete ben@example.com',
    ],
  ],
  [
    'a user who is invited as an admin',
    `admins: {only: [${ana}]}`,
    [user(ben), invitation('Ben@example.com', admin)],
    [
      'violated | admins.only | ben@example.com | - | Is invited as an account admin, and not one of those named. | invitations delete ben@example.com',
    ],
  ],
])('admins.only: %s', (_, policy, facts, findings) => {
  expect(told(policy, facts)).toEqual(findings);
});

const twoAdmins = [user(ana, admin), invitation(ben, admin), user(eva, { ...admin, state: 'disabled' })];

test.each<[string, string, readonly Fact[], readonly string[]]>([
  ['enough', 'admins: {min: 1, max: 2}', twoAdmins, []],
  [
    'too few: an invited admin and a disabled one do not count',
    'admins: {min: 2}',
    twoAdmins,
    [
      'violated | admins.min | - | - | The account has 1 account admin without invitations, and needs 2. | invitations create --is-account-admin',
    ],
  ],
  [
    'too many: an invited admin counts',
    'admins: {max: 1}',
    twoAdmins,
    [
      'violated | admins.max | - | - | The account has 2 account admins with invitations, and may have 1. | users update --is-account-admin false',
    ],
  ],
])('admins.min and admins.max: %s', (_, policy, facts, findings) => {
  expect(told(policy, facts)).toEqual(findings);
});

const none = 'Has no second factor, which only the person can set up.';

test.each<[string, string, Fact, string | undefined]>([
  ['everyone, without', 'everyone', user(ben, { mfa: false }), `violated | ${none}`],
  ['admins, one without', 'admins', user(ben, { ...admin, mfa: false }), `violated | ${none}`],
  ['another role', 'Accountant', user(ben, { mfa: false }), undefined],
])('mfa.required_for: %s', (_, group, fact, finding) => {
  const expected = finding && `${finding} | users disable ${ben}`;

  expect(told(`mfa: {required_for: [${group}]}`, [fact])).toEqual(
    expected === undefined ? [] : [expected.replace(' | ', ` | mfa.required_for | ${ben} | - | `)],
  );
});

test.each<[string, string, Fact, readonly string[], string | undefined]>([
  ['in the file', '', user(ben), ['Ben@Example.com'], undefined],
  ['an exempt address', 'except: [ben@example.com]', user(ben), [ana], undefined],
  [
    'a domain that only ends alike',
    'except: ["@ample.com"]',
    user(ben),
    [ana],
    'people offboard ben@example.com',
  ],
  ['not in the file', '', user(ben), [ana], 'people offboard ben@example.com'],
  ['an invitation', '', invitation(ben), [ana], 'invitations delete ben@example.com'],
])('employees: %s', (_, except, fact, employees, mend) => {
  const expected = `violated | employees | ${ben} | - | Is not in hr.csv. | ${mend}`;

  expect(told(`employees: {file: hr.csv, ${except}}`, [fact], { employees })).toEqual(mend ? [expected] : []);
});

test.each<[string, string, Fact, readonly string[]]>([
  ['an allowed domain', '', user('ben@EXAMPLE.com'), []],
  [
    'a domain below it',
    '',
    user('ben@mail.example.com'),
    [
      'violated | domains.allow | - | Has an address of another domain. | people offboard ben@mail.example.com',
    ],
  ],
  ['a role for others', 'others: {roles: [FrontDesk]}', user('ben@partner.example'), []],
  [
    'another role',
    'others: {roles: [Auditor]}',
    user('ben@partner.example'),
    [
      'violated | domains.others | BER | Is FrontDesk with an address of another domain. | users revoke ben@partner.example --property BER',
    ],
  ],
  [
    'an admin',
    'others: {roles: [Auditor]}',
    user('ben@partner.example', admin),
    [
      'violated | domains.others | - | Is an account admin with an address of another domain. | people offboard ben@partner.example',
    ],
  ],
  [
    'no property',
    'others: {roles: [Auditor]}',
    user('ben@partner.example', { property: null, roles: [] }),
    [],
  ],
])('domains: %s', (_, others, fact, findings) => {
  const named = told(`domains: {allow: [example.com], ${others}}`, [fact]);

  expect(named.map((each) => each.replace(` ${fact.email} |`, ''))).toEqual(
    findings.map((each) => each.replace(/^(\S+) \| (\S+) \|/, '$1 | $2 |')),
  );
});

const both = ['Accountant', 'FrontDesk'];

test.each<[string, readonly Fact[], readonly string[]]>([
  ['a disabled user', [user(ben, { roles: both, state: 'disabled' })], []],
  [
    'an admin, who may do everything',
    [user(ben, admin), user(ben, { ...admin, property: 'BER', roles: both })],
    [],
  ],
  [
    'both at one property',
    [user(ben, { roles: both })],
    [
      'violated | separate | ben@example.com | BER | Is Accountant and FrontDesk at one property. | users revoke ben@example.com --property BER',
    ],
  ],
  [
    'one as a user, and invited to the other',
    [user(ben), invitation(ben, { roles: ['Accountant'] })],
    [
      'violated | separate | ben@example.com | BER | Is Accountant and FrontDesk at one property. | users revoke ben@example.com --property BER',
    ],
  ],
])('separate: %s', (_, facts, findings) => {
  expect(told('separate: [[Accountant, FrontDesk]]', facts)).toEqual(findings);
});

test.each([
  ['mfa: {required_for: [FrontDesk]}', 'mfa.required_for'],
  ['domains: {allow: [example.com], others: {roles: [FrontDesk]}}', 'domains.others'],
  ['separate: [[Accountant, FrontDesk]]', 'separate'],
  ['no_roles: forbid', 'no_roles'],
])('roles of users that the service does not show are one finding of %s', (policy, rule) => {
  expect(told(policy, [user(ben, { roles: null })])).toEqual([
    `unknown | ${rule} | - | - | The service does not show the roles of 1 person. | users list`,
  ]);
});

test.each<[string, string, Fact, string | undefined]>([
  [
    'too old',
    'max_age_days: 2',
    invitation(ben),
    'violated | invitations.max_age_days | Was invited 3 days ago, more than 2.',
  ],
  [
    'expired, and still listed',
    'max_age_days: 2',
    invitation(ben, { state: 'expired', age_days: 45 }),
    'violated | invitations.max_age_days | Was invited 45 days ago, more than 2.',
  ],
  [
    'to full access',
    'admins: forbid',
    invitation(ben, admin),
    'violated | invitations.admins | Is invited to full access.',
  ],
  ['expired, to full access', 'admins: forbid', invitation(ben, { ...admin, state: 'expired' }), undefined],
])('invitations: %s', (_, rule, fact, finding) => {
  const words = finding?.replace(/(\S+ \| \S+)/, `$1 | ${ben} | -`);

  expect(told(`invitations: {${rule}}`, [fact])).toEqual(
    words === undefined ? [] : [`${words} | invitations delete ${ben}`],
  );
});

test('invitations: all with one address are judged', () => {
  const facts = [invitation(ben, { property: null, roles: [] }), invitation(ben, { ...admin, age_days: 20 })];

  expect(told('invitations: {max_age_days: 14, admins: forbid}', facts)).toEqual([
    `violated | invitations.max_age_days | ${ben} | - | Was invited 20 days ago, more than 14. | invitations delete ${ben}`,
    `violated | invitations.admins | ${ben} | - | Is invited to full access. | invitations delete ${ben}`,
  ]);
});

test.each<[string, string, readonly Fact[], readonly string[]]>([
  ['allowed', 'allow', [user(ben, { roles: [] })], []],
  ['an admin', 'forbid', [user(ben, admin)], []],
  [
    'no role at a property',
    'forbid',
    [user(ben), user(ben, { property: 'MUC', roles: [] })],
    [
      'violated | no_roles | ben@example.com | MUC | Has no role there, and sees nothing. | users revoke ben@example.com --property MUC',
    ],
  ],
  [
    'no property',
    'forbid',
    [user(ben, { property: null, roles: [] })],
    [
      'violated | no_roles | ben@example.com | - | Has no property, and sees nothing. | people offboard ben@example.com',
    ],
  ],
  [
    'no property yet, and an invitation',
    'forbid',
    [user(ben, { property: null, roles: [] }), invitation(ben)],
    [],
  ],
])('no_roles: %s', (_, decision, facts, findings) => {
  expect(told(`no_roles: ${decision}`, facts)).toEqual(findings);
});

test('roles that do not exist are findings: their rules would never be broken', () => {
  const policy = `mfa: {required_for: [admins, Acountant]}
separate: [[Auditor, Cook]]
domains: {allow: [example.com], others: {roles: [Guest]}}`;

  const { findings } = judged(policy, [user(ben, { roles: ['Cook'] })]);
  expect(
    findings.map(({ result, rule, line, message, mend }) => [result, rule, line, message, mend]),
  ).toEqual([
    [
      'unknown',
      'mfa.required_for',
      2,
      'The service lists no role "Acountant". Did you mean Accountant?',
      'innctl roles list',
    ],
    ['unknown', 'domains.others', 4, 'The service lists no role "Guest".', 'innctl roles list'],
  ]);
});

test('in the contract, an admin can only be disabled', () => {
  const account = { dialect: dialects.contract };

  expect(judged(`admins: {only: [${ana}], max: 0}`, [user(ben, admin)], account).findings).toMatchObject([
    { rule: 'admins.only', mend: `innctl users disable ${ben}` },
    { rule: 'admins.max', mend: 'innctl users disable' },
  ]);
});

test.each<[string, string, 'excepted' | 'open' | 'ran out']>([
  ['the rule and the address', `rule: mfa.required_for, who: BEN@example.com, until: 2026-11-23`, 'excepted'],
  ['everybody', 'rule: mfa, who: "*", until: 2027-01-01', 'excepted'],
  ['its last day was yesterday', 'rule: mfa, who: ben@example.com, until: 2026-11-22', 'ran out'],
  ['somebody else', 'rule: mfa, who: ana@example.com, until: 2027-01-01', 'open'],
  ['a domain that only ends alike', 'rule: mfa, who: "@ample.com", until: 2027-01-01', 'open'],
])('an exception: %s', (_, words, result) => {
  const policy = `mfa: {required_for: [everyone]}\nno_roles: forbid\nexceptions: [{${words}, reason: a new phone}]`;

  const { findings, excepted } = judged(policy, [user(ben, { mfa: false })]);
  const { ran_out: ranOut } = findings[0] ?? {};
  expect({ open: findings.length, excepted: excepted.length, ranOut }).toEqual({
    open: result === 'excepted' ? 0 : 1,
    excepted: result === 'excepted' ? 1 : 0,
    ranOut: result === 'ran out' ? '2026-11-22' : undefined,
  });
});

test('an exception says why, and the last of several counts', () => {
  const policy = `mfa: {required_for: [everyone]}
exceptions:
  - {rule: mfa, who: ben@example.com, until: 2027-02-01, reason: a new phone}
  - {rule: mfa, who: ben@example.com, until: 2026-01-01, reason: an old phone}`;

  expect(judged(policy, [user(ben, { mfa: false })])).toMatchObject({
    findings: [],
    excepted: [{ rule: 'mfa.required_for', email: ben, until: '2027-02-01', reason: 'a new phone', line: 2 }],
  });
});

test.each([
  ['ber', 'MUC'],
  ['Munich', 'BER'],
])('an exception for a property, named %s', (who, other) => {
  const policy = `no_roles: forbid
exceptions: [{rule: no_roles, who: ${who}, until: 2027-01-01, reason: the hotel is closed}]`;
  const facts = ['BER', 'MUC'].map((property) => user(ben, { property, roles: [] }));

  expect(judged(policy, facts).findings).toMatchObject([{ property: other }]);
});

test('the commands that mend findings exist, with their flags', () => {
  const surface = readFileSync('docs/surface.txt', 'utf8').split('\n');
  const policy = `admins: {only: [${ana}], max: 0}
mfa: {required_for: [everyone]}
employees: {file: hr.csv}
separate: [[Accountant, FrontDesk, Cook]]
invitations: {max_age_days: 1}`;
  const facts = [user(eva, admin), user(ben, { roles: both, mfa: false }), invitation('mia@example.com')];

  const mends = Object.values(dialects).flatMap((dialect) =>
    judged(policy, facts, { dialect, employees: [] }).findings.map(({ mend }) => mend.split(' ').slice(1)),
  );
  const used = mends.flatMap(([noun, verb, ...words]) => {
    const command = `innctl ${noun} ${verb}`;
    return [command, ...words.filter((word) => word.startsWith('--')).map((flag) => `${command} ${flag}`)];
  });
  expect(used.filter((line) => !surface.some((each) => `${each} `.startsWith(`${line} `)))).toEqual([]);
  expect(new Set(mends.map(([noun, verb]) => `${noun} ${verb}`))).toEqual(
    new Set([
      ...['users update', 'users disable', 'users revoke', 'people offboard', 'invitations delete'],
      ...['roles list'],
    ]),
  );
});
