import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readScope } from '../../src/people/review-folder.ts';
import type { Result } from '../helpers/cli.ts';
import { chainOf, documentsOf } from '../helpers/evidence.ts';
import { fc, few } from '../helpers/laws.ts';
import { type Seeding, seeding } from '../helpers/seeding.ts';
import { rowOf, workbookOf } from '../helpers/workbook.ts';

let service: Seeding;
let folder: string;
let evidence: string;

beforeEach(async () => {
  service = await seeding();
  folder = join(service.folder, 'h2');
  evidence = join(service.folder, 'evidence');
});

type Words = readonly string[];

const review = (...words: Words) => service.innctl(['access', 'review', ...words]);
const start = (...more: Words) => review('start', '2026-H2', '--to', folder, ...more);
const status = (...more: Words) => review('status', folder, ...more);
const close = (approver = 'Hanna Kraus, GM', ...more: Words) =>
  review('close', folder, '--approved-by', approver, '--evidence', evidence, ...more);
const apply = (...more: Words) => service.innctl(['access', 'apply', ...sheets(), ...more]);

const names = () => readdirSync(folder).filter((name) => name !== 'scope.json');
const sheets = () => names().map((name) => join(folder, name));

/** What a run said; paths are without folders. */
const told = ({ exitCode, stderr }: Result) => [exitCode, stderr.replaceAll(`${service.folder}/`, '')];
const says = (exitCode: number, text: string) => [exitCode, expect.stringContaining(text)];

/** Changes the text of a file of the review. */
function edit(name: string, change: (text: string) => string): void {
  const path = join(folder, name);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

const decisions = {
  'ben@aurora.example MUC': 'revoke',
  'hanna@aurora.example BER': 'revoke',
  'hanna@aurora.example VIE': 'revoke',
  'felix@aurora.example BER': 'disable',
  'jonas.keller@aurora.example BER': 'withdraw',
};

/** Starts a review, and fills in every row; others are kept. */
async function startFilled(decided: Readonly<Record<string, string>> = decisions): Promise<void> {
  expect((await start()).exitCode).toBe(0);
  const filled = (line: string) => {
    const [, email, , , , , property] = line.split(',');
    return line.replace(/,,,$/, `,${decided[`${email} ${property}`] ?? 'keep'},Mia,seen`);
  };
  for (const name of names()) edit(name, (text) => text.split('\n').map(filled).join('\n'));
}

async function closeCarriedOut(): Promise<void> {
  await startFilled();
  expect((await apply('--yes', '--max-deletes', '2')).exitCode).toBe(0);
  expect((await close()).exitCode).toBe(0);
}

test('a review is started, filled in, carried out and closed', async () => {
  const report = await service.innctl('access report --for-review -o csv');
  await startFilled({ ...decisions, 'hanna@aurora.example VIE': '' });

  const written = sheets().flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  const bare = written.map((line) => line.replace(/,\w*,Mia,seen$/, ',,,'));
  expect(names()).toEqual(['BER.csv', 'MUC.csv', 'VIE.csv', 'every-property.csv']);
  expect(new Set(bare)).toEqual(new Set(report.stdout.trimEnd().split('\n')));
  const { items, open } = JSON.parse((await status('--json')).stdout);
  expect(items[3]).toEqual({ sheet: 'VIE.csv', rows: 6, decided: 5, open: 1 });
  expect(open).toMatchObject([{ file: join(folder, 'VIE.csv'), line: 4, email: 'hanna@aurora.example' }]);
  expect(told(await status())).toEqual([0, '1 row without a decision: hanna@aurora.example at VIE.\n']);

  edit('VIE.csv', (text) => text.replace(',,Mia,seen', ',Revoke,Mia,seen'));
  expect((await apply('--yes', '--max-deletes', '2')).exitCode).toBe(0);
  await service.innctl('users grant clara@aurora.example --property VIE');
  service.writes.length = 0;
  expect([(await close('Ana', '--dry-run')).exitCode, existsSync(evidence)]).toEqual([0, false]);

  const gained = 'Access without a row, not reviewed or gained since: clara@aurora.example at VIE.';
  const closed = 'Closed the review 2026-H2, approved by Hanna Kraus, GM; its evidence is in evidence.';
  expect(told(await close())).toEqual([0, `warning: ${gained}\n${closed}\n`]);
  const [document, ...others] = await documentsOf(evidence);
  const about = {
    name: '2026-H2',
    by: 'property',
    rows: 20,
    not_reviewed: [{ email: 'clara@aurora.example' }],
  };
  const done = document.rows.map(
    ({ email, property, decision, reviewer, comment, done, now }: Record<string, Record<string, string>>) =>
      `${email} ${property}: ${decision} ${reviewer} ${comment}, ${done}, ${now?.['state']}`,
  );
  expect([others, service.writes]).toEqual([[], []]);
  expect(document).toMatchObject({
    job: 'access review close',
    approved_by: 'Hanna Kraus, GM',
    review: about,
  });
  expect(done.filter((text: string) => !/: keep Mia seen, kept, \w+$/.test(text))).toEqual([
    'felix@aurora.example BER: disable Mia seen, disabled, disabled',
    'hanna@aurora.example BER: revoke Mia seen, revoked, undefined',
    'jonas.keller@aurora.example BER: withdraw Mia seen, withdrawn, undefined',
    'ben@aurora.example MUC: revoke Mia seen, revoked, undefined',
    'hanna@aurora.example VIE: revoke Mia seen, revoked, undefined',
  ]);
});

describe('start', () => {
  test('writes a sheet for each inviter, into a folder without files', async () => {
    await start('--by', 'inviter');

    expect(names()).toEqual(['ana@aurora.example.csv', 'no-inviter.csv']);
    expect(told(await start())).toEqual(says(2, 'h2 has files ("ana@aurora.example.csv")'));
  });

  test('that was killed is no review, and begins again in an empty folder', async () => {
    expect([(await start('--dry-run')).exitCode, existsSync(folder)]).toEqual([0, false]);
    await start();
    rmSync(join(folder, 'scope.json'));

    expect(told(await status())).toEqual(says(3, 'There is no review in h2.'));
    expect(told(await start())).toEqual(says(2, 'h2 has files ("BER.csv")'));
  });
});

test('a sheet may be saved by a spreadsheet: semicolons, a byte order mark, blanks and case, a workbook', async () => {
  await startFilled();
  const semicolons = (text: string) => text.replaceAll(/,(?! )/g, ';').replace('ben@', ' Ben@');
  edit('BER.csv', (text) => `\ufeff${semicolons(text)}`);
  const lines = readFileSync(join(folder, 'MUC.csv'), 'utf8').trimEnd().split('\n');
  const rows = lines.map((line, index) => rowOf(index + 1, line.split(',')));
  writeFileSync(join(folder, 'MUC.xlsx'), workbookOf(rows.join('')));
  expect(told(await status())).toEqual(says(6, 'MUC.csv: is there as h2/MUC.xlsx, too: keep one of them'));
  rmSync(join(folder, 'MUC.csv'));

  expect(told(await status())).toEqual([0, 'Every row is decided.\n']);
});

const twice = (text: string) => `${text}${text.split('\n')[1]}\n`;

test.each<[string, (text: string) => string, string]>([
  ['a row is removed', (text) => text.replace(/\nr.*\n/, '\n'), 'BER.csv: lacks the row r'],
  ['a row is there twice', twice, 'row 9: row_id: is new, or there twice'],
  ['a row is added', (text) => text.replace(/\nr./, '\nrf'), 'row 2: row_id: is new'],
  ['an address is another one', (text) => text.replace('ben@', 'bea@'), 'row 2: email: was "ben@'],
  ['a role is another one', (text) => text.replace(',FrontDesk,', ',Auditor,'), 'roles: was "FrontDesk"'],
  ['a name is another one', (text) => text.replace('Ben', 'Bea'), 'row 2: name: was "Ben Schuster"'],
  ['a column is missing', (text) => text.replace('decision', 'remarks'), 'has no column decision'],
  ['it is no table', () => 'x', 'BER.csv'],
])('a sheet is refused when %s: exit 6', async (_, change, reason) => {
  await start();
  edit('BER.csv', change);

  for (const ended of [await status(), await close()]) expect(told(ended)).toEqual(says(6, reason));
});

const flipped = (bytes: Buffer, at: number, by: number) => Buffer.from(bytes.with(at, (bytes[at] ?? 0) ^ by));
const byte = fc.integer({ min: 1, max: 255 });

test('any changed byte of the scope or of a fixed column is found', async () => {
  await startFilled();
  const scope = readFileSync(join(folder, 'scope.json'));
  fc.assert(
    fc.property(fc.nat(scope.length - 1), byte, (at, by) => {
      expect(readScope(flipped(scope, at, by).toString())).toBeUndefined();
    }),
  );
  const path = join(folder, 'BER.csv');
  const sheet = readFileSync(path);
  const fixed = ['ben@aurora.example', 'FrontDesk', ',active,', ',BER,', ',user,'].flatMap((cell) =>
    Array.from(cell, (_, index) => sheet.indexOf(cell) + index),
  );
  const folded = (bytes: Buffer) => bytes.toString('latin1').toLowerCase();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...fixed), byte, async (at, by) => {
      const changed = flipped(sheet, at, by);
      fc.pre(folded(changed) !== folded(sheet));
      writeFileSync(path, changed);

      expect((await status()).exitCode).toBe(6);
    }),
    few(15),
  );
});

describe('close', () => {
  test('refuses what is not decided, or not carried out, with all places', async () => {
    await startFilled({ ...decisions, 'emma@aurora.example MUC': '' });

    const [exitCode, stderr] = told(await close());

    expect([exitCode, String(stderr).split('\n').slice(1, 7), await documentsOf(evidence)]).toEqual([
      6,
      [
        '  h2/BER.csv: row 4: decision: disable of felix@aurora.example is not carried out',
        '  h2/BER.csv: row 5: decision: revoke of hanna@aurora.example is not carried out',
        '  h2/BER.csv: row 6: decision: withdraw of jonas.keller@aurora.example is not carried out',
        '  h2/MUC.csv: row 2: decision: revoke of ben@aurora.example is not carried out',
        '  h2/MUC.csv: row 3: decision: is missing',
        '  h2/VIE.csv: row 4: decision: revoke of hanna@aurora.example is not carried out',
      ],
      [],
    ]);
  });

  test('refuses a decision that is none, and another account', async () => {
    await startFilled({ 'ben@aurora.example BER': 'kept' });
    expect(told(await close())).toEqual(says(6, 'BER.csv: row 2: decision: "kept" is not one of keep'));

    const env = { INNCTL_IDENTITY_URL: service.url.replace('127.0.0.1', 'localhost') };
    edit('BER.csv', (text) => text.replace('kept', 'keep'));
    const line = ['access', 'review', 'close', folder, '--approved-by', 'Ana', '--evidence', evidence];
    expect(told(await service.innctl(line, { env }))).toEqual(says(6, 'identity_url: is http://localhost'));
  });

  test('is done once: repeated when access has changed since, and not otherwise', async () => {
    await closeCarriedOut();
    await service.innctl('users grant ben@aurora.example --property MUC');

    expect(told(await close())).toEqual(says(0, '2026-H2 is closed already'));
    expect(told(await close('Ben'))).toEqual(says(6, 'line 2 of the evidence: has the review with'));
    edit('BER.csv', (text) => text.replace('Mia', 'Max'));
    expect(told(await close())).toEqual(says(6, 'line 2 of the evidence: has the review with'));
    expect(await documentsOf(evidence)).toHaveLength(1);
  });

  test('gives one document when it was killed anywhere, and finds any changed byte of it', async () => {
    await closeCarriedOut();
    const whole = readFileSync(chainOf(evidence));
    const head = Buffer.from(`${JSON.stringify({ version: 1, count: 0, last: null }).padEnd(127)}\n`);
    // Before it wrote, while it wrote, before the head counted the line.
    for (const end of [128, 129, whole.length - 20, whole.length - 1, whole.length]) {
      writeFileSync(chainOf(evidence), Buffer.concat([head, whole.subarray(128, end)]));

      expect((await close()).exitCode).toBe(0);
      expect(await documentsOf(evidence)).toHaveLength(1);
      expect(told(await service.innctl(['evidence', 'verify', evidence]))).toEqual([0, '']);
    }
    const kept = readFileSync(chainOf(evidence));
    await fc.assert(
      fc.asyncProperty(fc.nat(kept.length - 1), byte, async (at, by) => {
        writeFileSync(chainOf(evidence), flipped(kept, at, by));

        expect((await close()).exitCode).toBe(6);
      }),
      few(15),
    );
  });
});

test('access apply judges a person in two sheets as one, and takes stdin alone', async () => {
  await startFilled({ 'ben@aurora.example BER': 'disable' });

  const reason = 'BER.csv: row 2: decision: is about the whole user, and h2/MUC.csv: row 2 keeps it';
  expect(told(await apply('--yes'))).toEqual(says(2, reason));
  expect(told(await apply('-', '--yes'))).toEqual(says(2, '- reads one table from stdin'));
});

test('access apply keeps one document of several sheets, with the digest of all', async () => {
  await startFilled({});
  await apply('--evidence', evidence);

  const sha256 = hash('sha256', Buffer.concat(sheets().map((path) => readFileSync(path))), 'hex');
  const file = 'BER.csv, MUC.csv, VIE.csv, every-property.csv';
  expect(await documentsOf(evidence)).toMatchObject([{ review: { file, sha256 } }]);
});
