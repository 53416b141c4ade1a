import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { cli } from '../helpers/cli.ts';

const flags = [
  ...['--code', 'HAM', '--name', 'en=Harbour Hotel', '--company-name', 'Hafenhotel GmbH'],
  ...['--commercial-register-entry', 'HRB 1', '--tax-id', 'DE1', '--address-line1', 'Am Kai 1'],
  ...['--address-line2', 'Pier 2', '--postal-code', '20457', '--city', 'Hamburg', '--region-code', 'DE-HH'],
  ...['--country-code', 'DE', '--time-zone', 'Europe/Berlin', '--currency-code', 'EUR'],
  ...['--default-check-in-time', '15:00:00', '--default-check-out-time', '11:00:00'],
  ...['--payment-terms', 'en=On check-in'],
];

/** A sandbox with the dialect apaleo that persists over several commands. */
async function openSandbox() {
  const folder = await mkdtemp(join(tmpdir(), 'innctl-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const env = { INNCTL_DIALECT: 'apaleo' };
  return (words: readonly string[]) =>
    cli(['--sandbox', 'properties', ...words], { env, folder, connect: connectUndici });
}

test('a property is created with payment terms, and optional fields are added, changed and removed', async () => {
  const innctl = await openSandbox();
  const shown = async () => {
    const { description, managing_directors, bank_account, payment_terms, location } = JSON.parse(
      (await innctl(['get', 'HAM', '--languages', 'all', '--json'])).stdout,
    );
    return { description, managing_directors, bank_account, payment_terms, location };
  };

  const results = [await innctl(['create', ...flags])];
  const created = await shown();
  const first = ['--description', 'en=At the harbour', '--iban', 'DE02', '--managing-directors', 'Ana'];
  results.push(await innctl(['update', 'HAM', ...first, '--payment-terms', 'en=Cash']));
  results.push(await innctl(['update', 'HAM', '--description', 'de=Am Hafen', '--bank', 'DKB']));
  const changed = await shown();
  const paths = ['/description', '/bank_account', '/managing_directors', '/location/region_code'];
  results.push(
    await innctl([
      'update',
      'HAM',
      ...paths.flatMap((path) => ['--patch', `[{"op":"remove","path":"${path}"}]`]),
    ]),
  );
  const emptied = await shown();

  expect(results.map(({ stderr }) => stderr)).toEqual([
    'Created property HAM.\n',
    ...Array(3).fill('Updated property HAM: confirmed.\n'),
  ]);
  expect([created, changed, emptied]).toEqual([
    {
      payment_terms: { en: 'On check-in' },
      location: expect.objectContaining({ address_line2: 'Pier 2', region_code: 'DE-HH' }),
    },
    {
      description: { en: 'At the harbour', de: 'Am Hafen' },
      managing_directors: 'Ana',
      bank_account: { iban: 'DE02', bank: 'DKB' },
      payment_terms: { en: 'Cash' },
      location: created.location,
    },
    { payment_terms: { en: 'Cash' }, location: expect.not.objectContaining({ region_code: 'DE-HH' }) },
  ]);
});

test('create --like copies all fields', async () => {
  const innctl = await openSandbox();
  const times = ['--default-check-in-time', '15:00:00', '--default-check-out-time', '11:00:00'];

  const result = await innctl(['create', '--like', 'BER', '--code', 'BE2', '--name', 'en=Second', ...times]);
  const [first, second] = await Promise.all(
    ['BER', 'BE2'].map(async (id) =>
      JSON.parse((await innctl(['get', id, '--languages', 'all', '--json'])).stdout),
    ),
  );

  const own = { id: 'BE2', code: 'BE2', name: { en: 'Second' }, status: 'Test', created: second.created };
  expect(result).toEqual({ exitCode: 0, stdout: '', stderr: 'Created property BE2.\n' });
  expect(second).toEqual({ ...first, ...own });
  expect(first.bank_account).toBeDefined();
});

test('the sandbox rejects changes of immutable fields, too, with --no-validate', async () => {
  const innctl = await openSandbox();

  const { exitCode, stderr } = await innctl([
    'update',
    'BER',
    '--time-zone',
    'Europe/Vienna',
    '--no-validate',
  ]);

  expect({ exitCode, stderr }).toEqual({ exitCode: 6, stderr: expect.stringContaining('timeZone') });
});

test('a language missing from the payment terms is added as the hint says', async () => {
  const innctl = await openSandbox();

  const refused = await innctl(['update', 'BER', '--payment-terms', 'fr=Comptant']);
  const [, hint = ''] = / properties (update BER --patch \S+)/.exec(refused.stderr) ?? [];
  const added = await innctl(hint.replaceAll("'", '').split(' '));

  expect(refused.exitCode).toBe(6);
  expect(refused.stderr).toContain('A language that a text does not have yet is added: ');
  expect(added.stderr).toBe('Updated property BER: confirmed.\n');
});
