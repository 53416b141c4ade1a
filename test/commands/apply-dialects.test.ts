import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { roles } from '../../src/sandbox/records.ts';
import { openStore } from '../../src/sandbox/store.ts';
import { cli, type Situation } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { watched } from '../helpers/watched.ts';

const NOON = Date.UTC(2026, 3, 21, 12);

let folder = '';
/** Requests other than GET, with their bodies. */
let writes: (readonly [request: string, body: unknown])[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  writes = [];
});

const connect = watched((request) => {
  const { method, url, body } = request;
  if (method !== 'GET')
    writes.push([`${method} ${new URL(url).pathname}`, body === undefined ? body : JSON.parse(String(body))]);
});

/** Runs the program against a sandbox, in the dialect apaleo unless `env` names another. */
function innctl(line: string | readonly string[], { env, ...situation }: Situation = {}) {
  const words = typeof line === 'string' ? line.split(' ') : line;
  const dialect = { INNCTL_DIALECT: 'apaleo', ...env };
  return cli(['--sandbox', ...words], { folder, connect, now: NOON, ...situation, env: dialect });
}

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return join(folder, name);
}

/** Writes fields of a property directly to the store, including values that innctl cannot write. */
async function amend(code: string, fields: object): Promise<void> {
  const store = await openStore({ folder: join(folder, 'state', 'sandbox'), seed: 'small', now: () => NOON });
  await store.write(({ properties }) => {
    const property = properties.get(code);
    if (property === undefined) throw new Error(`there is no ${code}`);
    return { changes: [{ put: ['properties', code, { ...property, ...fields }] }], status: 204 };
  });
  await store.close();
}

const HAM = `  - code: HAM
    name: { en: Harbour Hotel, de: Hafenhotel }
    company_name: Nord GmbH
    managing_directors: Ana Adler
    commercial_register_entry: HRB 1
    tax_id: DE1
    location:
      { address_line1: Am Kai 1, address_line2: Hof 2, postal_code: 20457, city: Hamburg, region_code: DE-HH, country_code: DE }
    bank_account: { iban: DE89370400440532013000, bic: COBADEFFXXX }
    payment_terms: { en: Payment on check-in }
    description: { en: At the harbour }
    time_zone: Europe/Berlin
    default_check_in_time: 15:00:00
    default_check_out_time: 11:00:00
    currency_code: EUR
`;
const people = `invitations:
  - { email: ana@example.com, roles: [FrontDesk, Housekeeping], properties: [HAM, BER] }
  - { email: ben@example.com, role: FrontDesk, properties: [HAM] }
users:
  - { email: clara@aurora.example, first_name: Klara, is_account_admin: true }
`;

describe('in the dialect apaleo', () => {
  test('fields beyond the contract are sent in camel case, and a second run sends nothing', async () => {
    const manifest = await file('all.yaml', `properties:\n${HAM}${people}`);

    const first = await innctl(['apply', manifest, '--yes']);

    expect(first.exitCode).toBe(0);
    expect(first.stderr).toContain('Applied: 3 created, 1 changed.');
    expect(writes.map(([request]) => request.replace(/[0-9a-f-]{36}/, '{id}')).sort()).toEqual([
      'PATCH /api/v1/users/{id}',
      'POST /api/v1/account/invitations',
      'POST /api/v1/account/invitations',
      'POST /inventory/v1/properties',
    ]);
    expect(writes.find(([request]) => request.startsWith('POST /inventory'))?.[1]).toMatchObject({
      managingDirectors: 'Ana Adler',
      location: { addressLine2: 'Hof 2', regionCode: 'DE-HH' },
      bankAccount: { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
      paymentTerms: { en: 'Payment on check-in' },
    });
    expect(writes.filter(([request]) => request.endsWith('invitations')).map(([, body]) => body)).toEqual(
      expect.arrayContaining([
        { email: 'ana@example.com', roles: ['FrontDesk', 'Housekeeping'], properties: ['HAM', 'BER'] },
        { email: 'ben@example.com', roles: ['FrontDesk'], properties: ['HAM'] },
      ]),
    );
    expect(writes.find(([request]) => request.startsWith('PATCH'))?.[1]).toEqual([
      { op: 'replace', path: '/firstName', value: 'Klara' },
      { op: 'replace', path: '/isAccountAdmin', value: true },
    ]);

    writes = [];
    const second = await innctl(['apply', manifest, '--yes']);
    const planned = await innctl(['plan', manifest, '--exit-code', '--json']);

    expect([second.exitCode, planned.exitCode, writes]).toEqual([0, 0, []]);
    expect(JSON.parse(planned.stdout).summary).toEqual({ same: 4 });
  });

  test('a patch replaces different fields and adds missing ones, and leaves out read-only fields', async () => {
    const bare = HAM.replace(/ +(managing_directors|bank_account|description): .*\n/g, '').replace(
      / region_code: DE-HH,| address_line2: Hof 2,/g,
      '',
    );
    await innctl(['apply', await file('bare.yaml', `properties:\n${bare}`), '--yes']);
    writes = [];
    const changed = HAM.replace('Payment on check-in', 'Payment on check-out');

    const { exitCode } = await innctl(['apply', await file('all.yaml', `properties:\n${changed}`), '--yes']);

    expect(exitCode).toBe(0);
    expect(writes).toEqual([
      [
        'PATCH /inventory/v1/properties/HAM',
        [
          { op: 'replace', path: '/paymentTerms/en', value: 'Payment on check-out' },
          { op: 'add', path: '/description', value: { en: 'At the harbour' } },
          { op: 'add', path: '/managingDirectors', value: 'Ana Adler' },
          { op: 'replace', path: '/location/addressLine2', value: 'Hof 2' },
          { op: 'replace', path: '/location/regionCode', value: 'DE-HH' },
          {
            op: 'add',
            path: '/bankAccount',
            value: { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
          },
        ],
      ],
    ]);
    expect(JSON.parse((await innctl('properties get HAM --json')).stdout)).toMatchObject({
      bank_account: { iban: 'DE89370400440532013000' },
      location: { region_code: 'DE-HH' },
      payment_terms: { en: 'Payment on check-out' },
    });
  });

  test('the prompt counts new account admins, and declining it sends nothing', async () => {
    const users = ['ben', 'clara', 'david'].map(
      (name) => `  - { email: ${name}@aurora.example, is_account_admin: true, enabled: ${name !== 'ben'} }\n`,
    );
    const manifest = await file('users.yaml', `users:\n${users.join('')}`);
    const questions: string[] = [];
    const prompter = {
      confirm: async (question: string) => {
        questions.push(question);
        return false;
      },
    };

    // apply calls no other method of the prompter.
    const line = ['apply', manifest, '--max-deletes', '1'];
    const { exitCode } = await innctl(line, { answers: [], prompter: prompter as never });

    expect(questions).toEqual([
      'Apply 3 changes to the sandbox, including 1 user to disable and 3 people to give full access?',
    ]);
    expect([exitCode, writes]).toEqual([11, []]);
  });

  test('a manifest of the contract with these fields under extra still works', async () => {
    const older = HAM.replace(/ +(managing_directors|bank_account|description|payment_terms): .*\n/g, '')
      .replace(/ region_code: DE-HH,| address_line2: Hof 2,/g, '')
      .concat('    extra: { payment_terms: { en: cash }, location: { region_code: DE-HH } }\n');
    const manifest = await file('older.yaml', `properties:\n${older}`);

    const applied = await innctl(['apply', manifest, '--yes']);
    const planned = await innctl(['plan', manifest, '--json']);

    expect(applied.exitCode).toBe(0);
    expect(JSON.parse(planned.stdout)).toMatchObject({ summary: { same: 1 } });
    expect(writes[0]?.[1]).toMatchObject({
      paymentTerms: { en: 'cash' },
      location: { regionCode: 'DE-HH', addressLine1: 'Am Kai 1' },
    });
  });

  test('a live hotel is not deleted, and the reason is reported', async () => {
    const both = `properties:\n${HAM}${HAM.replace('HAM', 'DRS')}`;
    const manifest = await file('all.yaml', both);
    await innctl(['apply', manifest, '--yes']);
    await amend('HAM', { status: 'Live' });
    await file('all.yaml', 'properties: []\n');
    writes = [];

    const { exitCode, stderr } = await innctl([
      ...['apply', manifest, '--prune', '--yes', '--max-deletes', '2'],
    ]);

    expect(exitCode).toBe(9);
    expect(stderr).toContain('not deleted: Only a property in status Test allows this.');
    expect(writes.map(([request]) => request)).toEqual(['DELETE /inventory/v1/properties/DRS']);
  });

  test.each(['yaml', 'json', 'ndjson', 'csv'])(
    'planning an export as %s finds no changes',
    async (format) => {
      await innctl(['apply', await file('all.yaml', `properties:\n${HAM}${people}`), '--yes']);

      const { exitCode, stdout, stderr } = await innctl(['export', '-o', format]);
      const planned = await innctl(['plan', await file(`back.${format}`, stdout), '--json']);

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      const { summary, count } = JSON.parse(planned.stdout);
      expect(summary).toEqual({ same: count });
      expect(stdout).not.toContain('extra');
    },
  );

  test('an export contains every field that a manifest accepts', async () => {
    await innctl(['apply', await file('all.yaml', `properties:\n${HAM}${people}`), '--yes']);

    const { stdout } = await innctl('export --property HAM -o json');

    expect(JSON.parse(stdout)).toMatchObject({
      properties: [
        {
          code: 'HAM',
          managing_directors: 'Ana Adler',
          location: { address_line2: 'Hof 2', region_code: 'DE-HH' },
          bank_account: { iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
          payment_terms: { en: 'Payment on check-in' },
          description: { en: 'At the harbour' },
        },
      ],
      invitations: [
        { email: 'ana@example.com', roles: ['FrontDesk', 'Housekeeping'] },
        { email: 'ben@example.com', role: 'FrontDesk' },
      ],
    });
    expect(JSON.parse((await innctl('export --kind user -o json')).stdout).users).toContainEqual({
      email: 'clara@aurora.example',
      first_name: 'Klara',
      last_name: 'Vogel',
      properties: ['BER'],
      property_roles: [{ id: 'BER', roles: ['PropertyAdmin'] }],
      is_account_admin: true,
      enabled: true,
    });
  });

  test('every role is exported by name, and importing it into another account invites with the same role', async () => {
    const invited = roles.map((role) => `  - { email: ${role}@example.com, roles: [${role}] }\n`).join('');
    const given = await file('people.yaml', `invitations:\n${invited}`);
    const another = join(folder, 'another');
    const rolesIn = async (situation: Situation) => {
      const { stdout } = await innctl('invitations list --fields email,roles --json', situation);
      const items: { email: string; roles: unknown }[] = JSON.parse(stdout).items;
      return Object.fromEntries(items.map((each) => [each.email, each.roles]));
    };
    await innctl(['apply', given, '--yes', '--max-changes', '100']);

    const { stdout } = await innctl('export --kind invitation');
    const back = await file('back.yaml', stdout);
    const planned = await innctl(['plan', back, '--exit-code', '--json']);
    const applied = await innctl(['apply', back, '--yes', '--max-changes', '100'], { folder: another });

    const { summary, count } = JSON.parse(planned.stdout);
    expect([planned.exitCode, summary, applied.exitCode]).toEqual([0, { same: count }, 0]);
    expect(await rolesIn({ folder: another })).toEqual(await rolesIn({}));
    expect(await rolesIn({})).toMatchObject(
      Object.fromEntries(roles.map((role) => [`${role}@example.com`, [role]])),
    );
  });

  test('a value that no field of a manifest accepts is exported under extra, and read from there', async () => {
    const extra =
      '    extra: { description: { en: "two\\nlines" }, bank_account: { bic: "a\\tb", iban: DE89 } }\n';
    const some = HAM.replace(/ +(bank_account|description): .*\n/g, '').concat(extra);
    await innctl(['apply', await file('all.yaml', `properties:\n${some}`), '--yes']);

    const { stdout, stderr } = await innctl('export --property HAM --kind property -o json');
    const planned = await innctl(['plan', await file('back.json', stdout), '--json']);

    expect(stderr).toBe('');
    expect(JSON.parse(stdout).properties[0]).toMatchObject({
      managing_directors: 'Ana Adler',
      extra: { description: { en: 'two\nlines' }, bank_account: { bic: 'a\tb', iban: 'DE89' } },
    });
    expect(JSON.parse(planned.stdout).summary).toEqual({ same: 1 });
  });
});

test.each(['apaleo', 'contract'])(
  'an export in the dialect %s omits fields without a value',
  async (dialect) => {
    await innctl(['apply', await file('all.yaml', `properties:\n${HAM}`), '--yes']);
    const bank = { iban: 'DE89370400440532013000' };
    const description = { en: 'At the harbour' };
    await amend('HAM', {
      bank_account: { ...bank, bic: null, bank: '' },
      description: { ...description, de: '' },
      managing_directors: null,
      payment_terms: {},
    });

    const { stdout } = await innctl('export --property HAM --kind property -o json', {
      env: { INNCTL_DIALECT: dialect },
    });

    const [{ extra, ...property }] = JSON.parse(stdout).properties;
    const further = dialect === 'apaleo' ? property : extra;
    expect(Object.keys(further)).not.toContain('managing_directors');
    expect(Object.keys({ ...property, ...extra })).not.toContain('payment_terms');
    expect(further.bank_account).toEqual(bank);
    expect(further.description).toEqual(description);
  },
);

describe('in the dialect contract', () => {
  const env = { INNCTL_DIALECT: 'contract' };

  test.each([
    ['apply', '--yes'],
    ['apply', '--dry-run'],
    ['plan', '--json'],
  ])(
    '%s %s rejects each field beyond the contract with its line, and writes no journal',
    async (command, flag) => {
      const manifest = await file('all.yaml', `properties:\n${HAM}${people}`);

      const { exitCode, stderr } = await innctl([command, manifest, flag], { env });

      expect([exitCode, writes]).toEqual([2, []]);
      const fields = [...stderr.matchAll(/all\.yaml: line (\d+): (\S+): is not part of the contract/g)];
      expect(fields.map(([, line, field]) => `${line} ${field}`)).toEqual([
        ...['2 payment_terms', '2 description', '2 managing_directors', '2 location.address_line2'],
        ...['2 location.region_code', '2 bank_account.iban', '2 bank_account.bic'],
        ...['18 roles', '21 first_name', '21 is_account_admin'],
      ]);
      expect(await readdir(join(folder, 'state'))).toEqual(['sandbox']);
    },
  );
});
