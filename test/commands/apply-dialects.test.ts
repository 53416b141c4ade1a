import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { roles } from '../../src/sandbox/people.ts';
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
