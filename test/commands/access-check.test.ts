import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import nock from 'nock';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { cli, hotels, type Situation } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const IDENTITY = 'https://identity.example.com';
const API = 'https://api.example.com';

const root = mkdtempSync(join(tmpdir(), 'innctl-policy-'));
afterAll(() => rmSync(root, { recursive: true }));

let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
});

const ana = {
  subjectId: 'u-ana',
  firstName: 'Ana',
  lastName: 'Berg',
  email: 'ana@example.com',
  enabled: true,
  isAccountAdmin: true,
  isMfaEnabled: true,
  isPasskeysEnabled: false,
  properties: [],
};

const ben = {
  ...ana,
  subjectId: 'u-ben',
  firstName: 'Ben',
  email: 'ben@example.com',
  isAccountAdmin: false,
  isMfaEnabled: false,
  properties: [{ id: 'BER', roles: ['FrontDesk', 'Accountant'] }],
};

const paul = {
  email: 'paul@example.com',
  isAccountAdmin: false,
  created: '2026-10-01T08:00:00Z',
  properties: ['BER'],
  roles: ['Auditor'],
};

function account(users: readonly object[] = [ana, ben], invitations: readonly object[] = [paul]) {
  nock(IDENTITY).get('/api/v1/users').query(true).reply(200, { users, count: users.length });
  nock(IDENTITY).get('/api/v1/invitations').reply(200, { invitations });
  nock(IDENTITY).get('/api/v1/users/me').reply(200, ana);
  nock(API).get('/inventory/v1/properties').query(true).reply(200, { properties: [{ id: 'BER' }], count: 1 });
}

function roles() {
  nock(IDENTITY).get('/api/v1/roles').query(true).reply(200, { roles: ['FrontDesk', 'Accountant', 'Auditor'] });
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

  expect(await check('version: 1\nadmins: {only: [ana@example.com], min: 1}\n')).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '0 findings, and 0 that cannot be judged.\n',
  });
});

test('each finding has the rule, its line, and the command that mends it; the exit code is 10', async () => {
  account();
  roles();

  expect(await check(policy, '', { columns: 100 })).toMatchInlineSnapshot(`
    {
      "exitCode": 1,
      "stderr": "error: Error: Cannot find module './gather.ts' imported from /work/wt/C/src/commands/access/check.ts
        at reviveInvokeError (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:546:14)
        at Object.invoke (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:562:33)
        at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
        at async VitestModuleRunner.getModuleInformation (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1202:7)
        at async request (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1219:83)
        at /work/wt/C/src/commands/access/check.ts:13:1
        at async VitestModuleEvaluator._runInlinedModule (file:///work/wt/C/node_modules/vitest/dist/module-evaluator.js:206:4)
        at async VitestModuleRunner.directRequest (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1262:59)
        at async VitestModuleRunner.cachedRequest (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1169:73)
        at check (/work/wt/C/src/commands/access/index.ts:11:25) {
      code: 'ERR_MODULE_NOT_FOUND',
      runnerError: Error: RunnerError
          at reviveInvokeError (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:547:64)
          at Object.invoke (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:562:33)
          at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
          at async VitestModuleRunner.getModuleInformation (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1202:7)
          at async request (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1219:83)
          at /work/wt/C/src/commands/access/check.ts:13:1
          at async VitestModuleEvaluator._runInlinedModule (file:///work/wt/C/node_modules/vitest/dist/module-evaluator.js:206:4)
          at async VitestModuleRunner.directRequest (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1262:59)
          at async VitestModuleRunner.cachedRequest (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1169:73)
          at check (/work/wt/C/src/commands/access/index.ts:11:25)
      }
    hint: This is a bug in innctl: please report it with this text.
    ",
      "stdout": "",
    }
  `);
});

test('JSON has what is accepted apart from the findings', async () => {
  account();
  roles();

  const { exitCode, stdout, stderr } = await check(policy, '--json --profile aurora', {
    folder: settings(),
  });
  expect({ exitCode, stderr, document: JSON.parse(stdout) }).toMatchInlineSnapshot();
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
      "exitCode": 1,
      "stdout": "",
    }
  `);
});

test.each([
  [
    'the policy, with all problems',
    'version: 1\nno_role: forbid\nadmins: {min: two}\n',
    '2 values are not valid:\n' +
      '  ./policy.yaml: line 2: no_role: is not part of it; did you mean no_roles?\n' +
      '  ./policy.yaml: line 3: admins.min: must be a whole number from 0\n',
  ],
  [
    'the table, with all rows',
    'version: 1\nemployees: {file: hr.csv}\n',
    '2 problems in the files:\n' +
      '  hr.csv: row 2: email: "ana" is not an e-mail address\n' +
      '  hr.csv: row 4: email: "=cmd" is not an e-mail address\n',
  ],
  ['a table that is not there', 'version: 1\nemployees: {file: gone.csv}\n', 'Cannot read ./gone.csv: there is no such file (ENOENT).\n'],
])('refuses %s, before anything is sent', async (_, text, message) => {
  file('hr.csv', 'E-Mail\nana\nben@example.com\n=cmd\n');

  expect(await check(text)).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${message}` });
});

test('a list that is not whole is an error, and no finding', async () => {
  nock(IDENTITY).get('/api/v1/users').query(true).reply(200, { users: [ana], count: 2 }).persist();
  nock(IDENTITY).get('/api/v1/invitations').reply(200, { invitations: [] });
  nock(IDENTITY).get('/api/v1/users/me').reply(200, ana);
  nock(API).get('/inventory/v1/properties').query(true).reply(200, { properties: [], count: 0 });

  const { exitCode, stdout } = await check(policy);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  nock.cleanAll();
});

test('GitHub Actions get the findings beside the lines of the policy, and their sum', async () => {
  account();
  roles();
  const summary = file('summary.md', '');

  const { stderr } = await check(policy, '', {
    env: { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary, GITHUB_WORKSPACE: folder },
  });
  expect(stderr).toMatchInlineSnapshot(`
    "error: Error: Cannot find module './gather.ts' imported from /work/wt/C/src/commands/access/check.ts
        at reviveInvokeError (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:546:14)
        at Object.invoke (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:562:33)
        at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
        at async VitestModuleRunner.getModuleInformation (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1202:7)
        at async request (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1219:83)
        at /work/wt/C/src/commands/access/check.ts:13:1
        at async VitestModuleEvaluator._runInlinedModule (file:///work/wt/C/node_modules/vitest/dist/module-evaluator.js:206:4)
        at async VitestModuleRunner.directRequest (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1262:59)
        at async VitestModuleRunner.cachedRequest (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1169:73)
        at check (/work/wt/C/src/commands/access/index.ts:11:25) {
      code: 'ERR_MODULE_NOT_FOUND',
      runnerError: Error: RunnerError
          at reviveInvokeError (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:547:64)
          at Object.invoke (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:562:33)
          at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
          at async VitestModuleRunner.getModuleInformation (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1202:7)
          at async request (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1219:83)
          at /work/wt/C/src/commands/access/check.ts:13:1
          at async VitestModuleEvaluator._runInlinedModule (file:///work/wt/C/node_modules/vitest/dist/module-evaluator.js:206:4)
          at async VitestModuleRunner.directRequest (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1262:59)
          at async VitestModuleRunner.cachedRequest (file:///work/wt/C/node_modules/vite/dist/node/module-runner.js:1169:73)
          at check (/work/wt/C/src/commands/access/index.ts:11:25)
      }
    hint: This is a bug in innctl: please report it with this text.
    "
  `);
  expect(readFileSync(summary, 'utf8')).toContain('| 2 | 0 | 1 |');
});

test('hostile names reach a terminal as text, and a line for a shell means the same', async () => {
  const hostile = { ...ben, email: "\u001b[31m$(id)'@example.com", properties: [] };
  account([ana, hostile], []);

  const { stdout } = await check('version: 1\nno_roles: forbid\n', '', { columns: 120 });
  expect(stdout).toMatchInlineSnapshot(`""`);
});
