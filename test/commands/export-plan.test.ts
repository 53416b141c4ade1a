import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { dialectNames } from '../../src/service/operations.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const formats = ['yaml', 'json', 'ndjson', 'csv'];

let folder = '';

beforeEach(async () => {
  folder = await temporaryFolder();
});

const innctl = (words: readonly string[], stdin = '', dialect = 'contract') =>
  cli(['--sandbox', ...words], {
    folder,
    connect: connectUndici,
    stdin,
    env: { INNCTL_DIALECT: dialect },
  });

/** What needs quoting or escaping in some format; test/files/write-laws.test.ts has more. */
const texts = [`=The "Grand" 'Hotel': #1; 30, 5`, 'a\\nb {c} [d] *e &f !g |h >i %j Zürich 🏨'];

async function addHotels(): Promise<void> {
  const words = ['properties', 'create', '--allow-unknown-fields', '--file', '-', '--idempotency-key'];
  for (const [index, text] of texts.entries()) {
    const hotel = {
      code: `HO${index}`,
      name: { en: text, de: `${text} 👩‍👩‍👧` },
      ...{ company_name: text, commercial_register_entry: text, tax_id: text },
      location: {
        ...{ address_line1: text, address_line2: text, postal_code: text, city: text },
        country_code: 'DE',
      },
      ...{ time_zone: 'Europe/Berlin', currency_code: 'EUR' },
      ...{ default_check_in_time: '15:00:00', default_check_out_time: '11:00:00' },
      description: { en: `${text}\n\n second line\t` },
      managing_directors: `${text}\n`,
      bank_account: { iban: text, bank: `${text} Bank` },
      payment_terms: { en: text },
    };
    const created = await innctl([...words, hotel.code], JSON.stringify(hotel));
    expect(created.stderr).toBe(`Created property HO${index}.\n`);
  }
}

async function addPeople(): Promise<void> {
  for (const email of ['=ben@example.com', 'ünal@münchen.example']) {
    const words = [
      'invitations',
      'create',
      `--email=${email}`,
      '--role',
      'Auditor',
      '--properties',
      'BER,HO1',
    ];
    expect((await innctl(words)).exitCode).toBe(0);
  }
}

test.each(dialectNames)(
  'planning an export finds no changes, in every format, from stdin and files: %s',
  async (dialect) => {
    await addHotels();
    await addPeople();

    for (const format of formats) {
      const { exitCode, stdout: text, stderr } = await innctl(['export', '-o', format], '', dialect);
      const told = format.endsWith('json') ? '' : 'Exported 5 properties, 6 invitations and 12 users.\n';
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: told });
      const file = join(folder, `all.${format}`);
      await writeFile(file, text);
      for (const [source, stdin] of [['-', text], [file]] as const) {
        const planned = await innctl(['plan', '--json', source], stdin, dialect);
        expect(planned.exitCode).toBe(0);
        expect(JSON.parse(planned.stdout).summary).toEqual({ same: texts.length + 21 });
      }
    }
  },
  60_000,
);
