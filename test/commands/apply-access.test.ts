import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Connect } from '../../src/model/ports.ts';
import type { UserRecord } from '../../src/sandbox/people.ts';
import { openStore } from '../../src/sandbox/store.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { watched } from '../helpers/watched.ts';

const NOON = Date.UTC(2026, 3, 21, 12);

let folder = '';
let writes: string[] = [];
let reads: string[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  writes = [];
  reads = [];
});

const connect = watched((request) => {
  const { method, url, body } = request;
  const { pathname } = new URL(url);
  if (method === 'GET') reads.push(pathname);
  else writes.push([method, ...(body === undefined ? [pathname] : [String(body)])].join(' '));
});

/** Runs the program against a sandbox, in the dialect apaleo unless `env` names another. Its token is Ana's, the only admin. */
function innctl(line: string | readonly string[], { env, ...situation }: Situation = {}) {
  const words = typeof line === 'string' ? line.split(' ') : line;
  const dialect = { INNCTL_DIALECT: 'apaleo', ...env };
  return cli(['--sandbox', ...words], { folder, connect, now: NOON, ...situation, env: dialect });
}

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

/** Changes a user behind the program's back. */
async function amend(name: string, fields: Partial<UserRecord>): Promise<void> {
  const store = await openStore({ folder: join(folder, 'state', 'sandbox'), seed: 'small', now: () => NOON });
  await store.write(({ users }) => {
    const user = [...users.values()].find(({ email }) => email === `${name}@aurora.example`);
    if (user === undefined) throw new Error(`there is no ${name}`);
    return { changes: [{ put: ['users', user.subject_id, { ...user, ...fields }] }], status: 204 };
  });
  await store.close();
}

const row = (name: string, fields: string) => `  - { email: ${name}@aurora.example, ${fields} }\n`;
const users = (...rows: readonly string[]) => file('users.yaml', `users:\n${rows.join('')}`);

describe('lockout protection', () => {
  test.each(['apaleo', 'contract'])(
    'refuses to disable the current user, in the dialect %s',
    async (dialect) => {
      const path = await users(row('clara', 'enabled: false'), row('ana', 'enabled: false'));
      const line = ['apply', path, '--yes'];

      const { exitCode, stdout, stderr } = await innctl(line, { env: { INNCTL_DIALECT: dialect } });

      expect({ exitCode, stdout, writes }).toEqual({ exitCode: 11, stdout: '', writes: [] });
      expect(stderr).toBe(
        'error: This would lock you out: ana@aurora.example is your own user. Nothing was sent.\n' +
          `  ${path}: line 3: ana@aurora.example: would lose access\n` +
          'hint: Let another account admin do it, or allow it for this person: ' +
          `innctl --sandbox apply ${path} --yes --allow-lockout ana@aurora.example\n`,
      );
    },
  );

  test('refuses to remove the last account admins, both in one file, in JSON too', async () => {
    await amend('ana', { is_account_admin: false });
    await amend('ben', { is_account_admin: true });
    await amend('clara', { is_account_admin: true });
    const path = await users(row('ben', 'is_account_admin: false'), row('clara', 'enabled: false'));

    const line = ['apply', path, '--yes', '--max-deletes', '1', '--json'];
    const names = 'ben@aurora.example,clara@aurora.example';

    const { exitCode, stderr } = await innctl(line);

    expect({ exitCode, writes }).toEqual({ exitCode: 11, writes: [] });
    expect(JSON.parse(stderr).error).toEqual({
      code: 'lockout',
      message:
        'No enabled account admin would be left without ben@aurora.example, clara@aurora.example. Nothing was sent.',
      hint: `Make another user an account admin first, or allow it for these people: innctl --sandbox ${line.join(' ')} --allow-lockout ${names}`,
      details: [
        { field: `${path}: line 2: ben@aurora.example`, reason: 'would lose access' },
        { field: `${path}: line 3: clara@aurora.example`, reason: 'would lose access' },
      ],
    });
    expect((await innctl([...line, '--allow-lockout', names])).exitCode).toBe(0);
  });

  test('refuses a row if the last other admin was demoted since the plan', async () => {
    await amend('ben', { is_account_admin: true });
    const path = await users(row('ben', 'enabled: false'), row('clara', 'enabled: false'));
    const confirm = async () => {
      await amend('ana', { is_account_admin: false });
      return true;
    };

    // apply calls no other method of the prompter.
    const line = ['apply', path, '--max-deletes', '2', '--progress', 'none'];
    const { exitCode, stderr } = await innctl(line, { answers: [], prompter: { confirm } as never });

    expect({ exitCode, writes }).toEqual({
      exitCode: 9,
      writes: ['PATCH [{"op":"replace","path":"/enabled","value":false}]'],
    });
    expect(stderr).toContain(
      'ben@aurora.example: No enabled account admin would be left without ben@aurora.example. Nothing was sent.',
    );
    expect(stderr).toContain(`Fix the rejected rows, then: innctl --sandbox apply ${path} --max-deletes 2`);
  });

  test('shows a plan if the current user cannot be read, and apply sends nothing', async () => {
    const path = await users(row('ben', 'enabled: false'));
    const paged: Connect = async (options) => {
      const transport = await connect(options);
      return {
        close: transport.close,
        request: async (request) => {
          const answer = await transport.request(request);
          if (!request.url.endsWith('/users/me')) return answer;
          return { ...answer, headers: {}, bytes: Buffer.from('<html>') };
        },
      };
    };
    const situation = { connect: paged, env: { INNCTL_MAX_ATTEMPTS: '1' } };

    const planned = await innctl(['plan', path, '--json'], situation);
    const applied = await innctl(['apply', path, '--yes', '--max-deletes', '1'], situation);

    expect({ plan: planned.exitCode, apply: applied.exitCode, writes }).toEqual({
      plan: 0,
      apply: 1,
      writes: [],
    });
    expect(JSON.parse(planned.stdout).items).toHaveLength(1);
  });
});

describe('disabled users need --max-deletes', () => {
  const both = () => users(row('ben', 'enabled: false'), row('clara', 'enabled: false'));

  test('without it the error names the number, and nothing is sent', async () => {
    const path = await both();

    const { exitCode, stderr } = await innctl(['apply', path, '--yes']);

    expect({ exitCode, writes }).toEqual({ exitCode: 11, writes: [] });
    expect(stderr).toBe(
      'error: The plan deletes or disables 2: that needs --max-deletes 2; nothing was sent.\n' +
        `  ${path}: line 2: ben@aurora.example: is disabled\n` +
        `  ${path}: line 3: clara@aurora.example: is disabled\n` +
        `hint: To allow it: innctl --sandbox apply ${path} --yes --max-deletes 2\n`,
    );
  });

  test.each([
    ['1', 11, 0],
    ['2', 0, 2],
    ['9', 0, 2],
  ])('--max-deletes %s', async (most, exitCode, sent) => {
    const result = await innctl(['apply', await both(), '--yes', '--max-deletes', most]);

    expect({ exitCode: result.exitCode, sent: writes.length }).toEqual({ exitCode, sent });
  });

  test('no-delete allows disabling a user, and blocks --prune', async () => {
    const env = { INNCTL_SAFETY: 'no-delete' };
    const path = await both();

    const pruned = await innctl(['apply', path, '--yes', '--prune', '--max-deletes', '2'], { env });
    const disabled = await innctl(['apply', path, '--yes', '--max-deletes', '2'], { env });

    expect([pruned.exitCode, disabled.exitCode, writes.length]).toEqual([11, 0, 2]);
  });
});

describe('a plan reports granted and removed access on separate lines', () => {
  const manifest = `users:
${row('ben', 'is_account_admin: true, properties: [BER, VIE]')}${row('hanna', 'properties: []')}invitations:
  - { email: eva@example.com, is_account_admin: true }
  - { email: ida@example.com, role: AccountAdmin }
`;
  const lines =
    'Plan: 2 to create, 2 to change.\n' +
    'gives full access: 3 (ben@aurora.example; eva@example.com; ida@example.com)\n' +
    'takes properties away: 2 (ben@aurora.example: takes away MUC, removes roles that cannot be restored through the API: FrontDesk at MUC; hanna@aurora.example: takes away BER, MUC, VIE, removes roles that cannot be restored through the API: Accountant at BER, Accountant at MUC, Accountant at VIE)\n' +
    'sends mails: 2 (eva@example.com; ida@example.com)\n';

  test('in a plan', async () => {
    const { exitCode, stdout, stderr } = await innctl(['plan', await file('all.yaml', manifest)]);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: lines });
    expect(stdout).toContain('gives full access');
    expect(stdout).toContain(
      '; takes away BER, MUC, VIE; removes roles that cannot be restored through the API: Accountant at BER, Accountant at MUC, Accountant at VIE\t',
    );
  });

  test('in a plan as JSON, row by row', async () => {
    const { stdout } = await innctl(['plan', await file('all.yaml', manifest), '--json']);

    expect(JSON.parse(stdout).items).toMatchObject([
      { gives_full_access: true, added: ['VIE'], removed: ['MUC'], removed_roles: [{ id: 'MUC' }] },
      { added: [], removed: ['BER', 'MUC', 'VIE'] },
      { gives_full_access: true },
      { gives_full_access: true },
    ]);
  });

  test('in the error without a terminal', async () => {
    const path = await file('all.yaml', manifest);

    const { exitCode, stderr } = await innctl(['apply', path]);

    expect({ exitCode, writes }).toEqual({ exitCode: 11, writes: [] });
    expect(stderr).toContain(lines);
  });
});

describe('results report access changes', () => {
  test('users who got a property but no role there, except admins', async () => {
    await amend('hanna', { is_account_admin: true, properties: ['BER'] });
    const path = await users(
      row('ben', 'properties: [BER, MUC, VIE]'),
      row('hanna', 'properties: [BER, VIE]'),
      row('clara', 'properties: []'),
    );

    const { exitCode, stdout, stderr } = await innctl(['apply', path, '--yes', '--json']);

    expect(exitCode).toBe(0);
    const { items } = JSON.parse(stdout);
    expect(items.map(({ without_roles: ids }: { readonly without_roles?: unknown }) => ids)).toEqual([
      ['VIE'],
      undefined,
      undefined,
    ]);
    expect(items).toMatchObject([
      { name: 'ben@aurora.example', added: ['VIE'], removed: [], without_roles: ['VIE'] },
      { name: 'hanna@aurora.example', added: ['VIE'], removed: [] },
      { name: 'clara@aurora.example', added: [], removed: ['BER'] },
    ]);
    expect(stderr).toBe(
      "warning: ben@aurora.example has no role at VIE and will see nothing there; set roles in the service's web app.\n",
    );
  });
});

describe('property ids encoded as a list in a string', () => {
  test.each([
    ['users.csv', 'email,enabled,properties\nben@aurora.example,,[BER]\n', 'row 2'],
    ['users.yaml', 'users: [{ email: ben@aurora.example, properties: ["[]"] }]', 'line 1'],
    ['users.json', '{"users":[{"email":"ben@aurora.example","properties":["\\"BER\\""]}]}', 'line 1'],
  ])('are rejected in %s: %s', async (name, text, place) => {
    const { exitCode, stderr } = await innctl(['apply', await file(name, text), '--yes']);

    expect({ exitCode, writes }).toEqual({ exitCode: 2, writes: [] });
    expect(stderr).toContain(`${name}: ${place}: properties: `);
  });

  test('are accepted as [] in CSV, which removes all properties', async () => {
    const path = await file('users.csv', 'email,properties,kind\nben@aurora.example,[],user\n');

    expect((await innctl(['apply', path, '--yes'])).exitCode).toBe(0);
    expect(writes).toEqual(['PATCH [{"op":"replace","path":"/properties","value":[]}]']);
  });
});
