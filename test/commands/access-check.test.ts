import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { beforeEach, expect, test } from 'vitest';
import { ana, ben as benAtBoth, paul, serveAccess } from '../helpers/account.ts';
import { cli, hotels, IDENTITY, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

let folder = '';
beforeEach(async () => {
  folder = await temporaryFolder();
});

const ben = { ...benAtBoth, properties: [{ id: 'BER', roles: ['FrontDesk', 'Accountant'] }] };

const account = (users: readonly object[] = [ana, ben], invitations: readonly object[] = [paul]) =>
  serveAccess({ dialect: 'apaleo', users, invitations });

function roles() {
  nock(IDENTITY)
    .get('/api/v1/roles')
    .query(true)
    .reply(200, { roles: ['FrontDesk', 'Accountant', 'Auditor'] });
}

/** A file of the folder. */
function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Runs `access check` in the dialect apaleo. */
async function check(policy: string, flags = '', situation: Situation = {}) {
  const path = file('policy.yaml', policy);
  const env = { ...hotels, INNCTL_DIALECT: 'apaleo', ...situation.env };
  const now = Date.parse('2026-11-23T12:00:00Z');
  const result = await cli(`access check ${path} --color never ${flags}`, { now, ...situation, env });
  const shown = (text: string) => text.replaceAll(folder, '.');
  return { ...result, stdout: shown(result.stdout), stderr: shown(result.stderr) };
}

const policy = `version: 1
separate: [[Accountant, FrontDesk]]
invitations: {max_age_days: 30}
mfa: {required_for: [everyone]}
exceptions: [{rule: mfa, who: ben@example.com, until: 2026-12-31, reason: a new phone}]
`;

onlyIntercepted();

test('a policy that everybody keeps ends with 0', async () => {
  account();

  expect(await check('version: 1\nadmins: {only: [ana@example.com], min: 1}\n')).toEqual(
    ended(0, 'Nothing was found.\n'),
  );
});

test('each finding has the rule, its line, and the command that mends it; the exit code is 10', async () => {
  account();
  roles();

  expect(await check(policy, '', { columns: 100 })).toMatchInlineSnapshot(`
    {
      "exitCode": 10,
      "stderr": "2 findings. Excepted: 1.
    ",
      "stdout": "  # separate (line 2)
      ! ben@example.com at BER is Accountant and FrontDesk at one property.
          innctl users revoke ben@example.com --property BER
      # invitations.max_age_days (line 3)
      ! paul@example.com was invited 53 days ago, more than 30.
          innctl invitations delete paul@example.com
    ",
    }
  `);
});

test('JSON has what is accepted apart from the findings', async () => {
  account();
  roles();

  const { exitCode, stdout, stderr } = await check(policy, '--json');

  const mfa = { rule: 'mfa.required_for', email: 'ben@example.com', property: null, result: 'violated' };
  expect({ exitCode, stderr }).toEqual({ exitCode: 10, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    policy: './policy.yaml',
    excepted: [
      {
        ...mfa,
        message: 'Has no second factor, which only the person can set up.',
        mend: 'innctl users disable ben@example.com',
        ...{ line: 4, until: '2026-12-31', reason: 'a new phone' },
      },
    ],
    count: 2,
    items: [expect.objectContaining({ rule: 'separate', line: 2 }), expect.any(Object)],
  });
});

test('the table of employees is found beside the policy', async () => {
  file('lists/hr.csv', 'Name;Mailadresse\nAna;ANA@example.com\nEva;eva@example.com\n');
  account();

  const { exitCode, stdout } = await check(
    'version: 1\nemployees: {file: lists/hr.csv, except: [paul@example.com]}\n',
    '-o ndjson',
  );
  expect({ exitCode, stdout }).toMatchInlineSnapshot(`
    {
      "exitCode": 10,
      "stdout": "{"rule":"employees","email":"ben@example.com","property":null,"result":"violated","message":"Is not in lists/hr.csv.","mend":"innctl people offboard ben@example.com","line":2}
    ",
    }
  `);
});

const policyHint = 'hint: innctl schema access-policy prints what a policy may have.\n';

test.each([
  [
    'the table, with all rows',
    'version: 1\nemployees: {file: hr.csv}\n',
    '2 problems in the files:\n' +
      '  hr.csv: row 2: email: "ana" is not an e-mail address\n' +
      '  hr.csv: row 4: email: "=cmd" is not an e-mail address\n',
  ],
])('refuses %s, before anything is sent', async (_, text, message) => {
  file('hr.csv', 'E-Mail\nana\nben@example.com\n=cmd\n');

  expect(await check(text)).toEqual(ended(2, `error: ${message}`));
});

test('GitHub Actions get the findings beside the lines of the policy, and their sum', async () => {
  account();
  roles();
  const summary = file('summary.md', '');

  const { stderr } = await check(policy, '', {
    env: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: folder },
  });
  expect(stderr).toMatchInlineSnapshot(`
    "::error file=policy.yaml,line=2::./policy.yaml: line 2: ben@example.com at BER is Accountant and FrontDesk at one property.
    ::error file=policy.yaml,line=3::./policy.yaml: line 3: paul@example.com was invited 53 days ago, more than 30.
    2 findings. Excepted: 1.
    "
  `);
  expect(readFileSync(summary, 'utf8')).toContain('| 2 | 0 | 1 |');
});

test('hostile names reach a terminal as text, and a line for a shell means the same', async () => {
  const hostile = { ...ben, email: "\u001b[31m$(id)'@example.com", properties: [] };
  account([ana, hostile], []);

  const { stdout } = await check('version: 1\nno_roles: forbid\n', '', { columns: 120 });
  expect(stdout).toMatchInlineSnapshot(`
    "  # no_roles (line 2)
      ! \\u{1b}[31m$(id)'@example.com has no property, and sees nothing.
          innctl people offboard "$(printf '\\033[31m$(id)'\\''@example.com')"
    "
  `);
});

test('a policy may come from stdin, with the table in the current folder', async () => {
  const { exitCode, stderr } = await cli('access check -', {
    env: hotels,
    stdin: 'version: 1\nemployees: {file: no/such/hr.csv}\nadmins: {min: -1}\n',
  });

  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `error: stdin: line 3: admins.min: must be a whole number from 0\n${policyHint}`,
  });
});
