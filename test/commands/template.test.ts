import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const dialects = ['contract', 'apaleo'] as const;
const formats = ['yaml', 'csv'] as const;

/** A sandbox of its own in a dialect, and a folder of files. */
async function openDesk(dialect: (typeof dialects)[number]) {
  const folder = await temporaryFolder();
  const file = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const innctl = (...words: readonly string[]) =>
    cli(['--sandbox', ...words], { folder, connect: connectUndici, env: { INNCTL_DIALECT: dialect } });
  return { file, innctl };
}

/** The values that are typed into a template, by column. */
const values: Readonly<Record<string, string>> = {
  code: 'HAM',
  'name.en': 'Harbour Hotel',
  company_name: 'Nord GmbH',
  commercial_register_entry: 'HRB 1',
  tax_id: 'DE1',
  'location.address_line1': 'Am Kai 1',
  'location.postal_code': '01067',
  'location.city': 'Hamburg',
  'location.country_code': 'DE',
  time_zone: 'Europe/Berlin',
  default_check_in_time: '15:00:00',
  default_check_out_time: '11:00:00',
  currency_code: 'EUR',
  'payment_terms.en': 'Payment on check-in',
  email: 'mia@example.com',
  role: 'Housekeeping',
  properties: 'BER',
};

/** Fills in a table: a third row. */
function filledTable(text: string): string {
  const [header = ''] = text.split('\n');
  return `${text}${header
    .split(',')
    .map((name) => values[name] ?? '')
    .join(',')}\n`;
}

/** Types values after the colons of a YAML text, which has the last names of the fields. */
function filledYaml(text: string): string {
  const typed = new Map(Object.entries(values).map(([path, value]) => [lastName(path), value]));
  return text.replaceAll(/^( +(?:- )?)(\w+):(?= +#.*)/gm, (line, indent: string, name: string) => {
    const value = typed.get(name);
    if (value === undefined) return line;
    const sample = /^(name|payment_terms)$/.test(name) ? `{ en: ${value} }` : value;
    return `${indent}${name}: ${name === 'properties' ? `[${value}]` : sample}`;
  });
}

function lastName(path: string): string {
  return path.replace(/^location\.|\.en$/g, '');
}

describe.each(dialects)('in the dialect %s', (dialect) => {
  describe.each(formats)('as %s', (format) => {
    test.each([
      ['properties', 'property', 'HAM'],
      ['people', 'invitation', 'mia@example.com'],
    ])('a filled-in template of %s is applied', async (content, kind, name) => {
      const { file, innctl } = await openDesk(dialect);
      const template = await innctl('template', content, '-o', format);
      const filled = format === 'csv' ? filledTable(template.stdout) : filledYaml(template.stdout);

      const applied = await innctl('apply', await file(`filled.${format}`, filled), '--yes', '--json');

      expect(template).toMatchObject({ exitCode: 0, stderr: '' });
      expect(applied.exitCode).toBe(0);
      expect(JSON.parse(applied.stdout).items).toMatchObject([
        { kind, name, action: 'create', outcome: 'done' },
      ]);
    });
  });

  test('an untouched table is a manifest without entries', async () => {
    const { file, innctl } = await openDesk(dialect);
    const { stdout } = await innctl('template', 'properties', '-o', 'csv');

    const planned = await innctl('plan', await file('hotels.csv', stdout));

    expect(planned).toEqual(ended(0, expect.stringContaining('Plan: nothing.')));
  });

  test('an untouched YAML file is rejected, with each required field', async () => {
    const { file, innctl } = await openDesk(dialect);
    const { stdout } = await innctl('template', 'people');

    const planned = await innctl('plan', await file('people.yaml', stdout));

    expect(planned).toMatchObject(ended(2, expect.stringContaining('line 3: email: is missing')));
  });
});

test('a template has the fields that the dialect takes', async () => {
  const { innctl } = await openDesk('contract');
  const { innctl: inApaleo } = await openDesk('apaleo');
  const headerOf = async (run: typeof innctl, content: string) =>
    (await run('template', content, '-o', 'csv')).stdout.split('\n')[0]?.split(',');

  const contract = Object.keys(values).slice(0, 13);
  expect(await headerOf(innctl, 'properties')).toEqual(contract);
  expect(await headerOf(inApaleo, 'properties')).toEqual([
    ...contract,
    ...['payment_terms.en', 'description.en', 'managing_directors', 'location.address_line2'],
    ...['location.region_code', 'bank_account.iban', 'bank_account.bic', 'bank_account.bank'],
  ]);
  expect(await headerOf(innctl, 'people')).toEqual(['email', 'role', 'properties', 'is_account_admin']);
  expect(await headerOf(inApaleo, 'people')).toEqual([
    ...['email', 'role', 'roles', 'properties', 'is_account_admin'],
  ]);
});

test.each([
  ['properties', Object.keys(values).slice(0, 14)],
  ['people', ['email']],
  ['unit-groups', ['property', 'code', 'name.en', 'description.en', 'max_persons']],
  ['units', ['property']],
])('a template of %s calls exactly the fields required that an entry needs', async (content, required) => {
  const { innctl } = await openDesk('apaleo');
  const { stdout } = await innctl('template', content, '-o', 'csv');
  const [header = [], notes = []] = parse(stdout) as readonly string[][];

  expect(header.filter((_, at) => notes[at]?.startsWith('#: required: '))).toEqual(required);
});

test('a row whose comments are filled in only partly is rejected, with the cells that are left', async () => {
  const { file, innctl } = await openDesk('contract');
  const { stdout } = await innctl('template', 'people', '-o', 'csv');
  const [header] = stdout.split('\n');
  const row = 'mia@example.com,#: optional: role,BER,';

  const planned = await innctl('plan', await file('people.csv', `${header}\n${row}\n`));

  expect(planned).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(
      'people.csv: row 2: role: begins with #:, as a comment does: write a value, or nothing',
    ),
  });
});

test.each([
  [['properties', '--json'], '--json', 'innctl template properties -o csv'],
  [['people', '-o', 'table'], '-o table', 'innctl template people -o csv'],
  [['people', '-q'], '--quiet', 'innctl template people -o csv'],
])('%j is no format of a template', async (words, given, line) => {
  const { exitCode, stdout, stderr } = await cli(['template', ...words]);

  const [message, hint] = [`A template is yaml or csv, not ${given}.`, line];
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toBe(
    given === '--json'
      ? `${JSON.stringify({ error: { code: 'usage', message, hint, details: [] } })}\n`
      : `error: ${message}\nhint: ${hint}\n`,
  );
});

test('a misspelt template is refused with those that exist', async () => {
  expect(await cli('template peple')).toEqual(
    ended(2, 'error: There is no template "peple"; there are properties, people, unit-groups and units.\n'),
  );
});
