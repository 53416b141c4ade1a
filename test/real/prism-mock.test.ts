import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hotelEntry } from '../helpers/seeding.ts';
import { serviceLines } from '../reference/lines.ts';
import { type Prism, type PrismSituation, startMock } from './prism.ts';
import { lines } from './prism-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-prism-'));
const manifest = join(folder, 'hotels.yaml');
/** Without a role, because the example of the role list has no role of the service. */
const people = join(folder, 'people.yaml');
let prism: Prism;

beforeAll(async () => {
  writeFileSync(
    manifest,
    `properties:\n${hotelEntry('HAM')}    payment_terms: { en: Payment on check-in }\n`,
  );
  writeFileSync(people, 'invitations: [{ email: mia@example.com, properties: [MUC] }]\n');
  prism = await startMock();
}, 400_000);

afterAll(async () => {
  await prism[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** The user in the examples of the documents. */
const milosz = '50ff45e2-9393-4040-8138-a782ce121c13';

const hotel =
  '--code KIE --name en=Fjord --name de=Förde --company-name GmbH --commercial-register-entry HRB --tax-id DE1 ' +
  '--address-line1 Kai --postal-code 20457 --city Hamburg --country-code DE --time-zone Europe/Berlin ' +
  '--default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --currency-code EUR --payment-terms en=Now';

const more =
  '--payment-terms de=Jetzt --description en="At the harbour" --managing-directors "Ana Lindner" ' +
  '--address-line2 Backyard --region-code DE-BY --iban DE02120300000000202051 --bic BYLADEM1001 --bank DKB';

/**
 * Commands that succeed, beside those of prism-lines.ts: all their requests match the documents. Responses are the examples of
 * the documents.
 */
const succeeding = [
  'invitations list --property-id MUC',
  'invitations create mia@example.com --role FrontDesk --properties BER',
  'invitations create mia@example.com --roles FrontDesk,Auditor --properties BER,MUC',
  'invitations create mia@example.com --is-account-admin --yes',
  `apply ${people} --yes --progress none`,
  'users list --property-ids MUC,BER --page-number 2 --page-size 10',
  'users list --email x@y.example --enabled true --sort lastname:desc',
  'users list --enabled false --sort firstname:asc --all',
  'users list --param enabled=false',
  `users update ${milosz} --enable`,
  `users update ${milosz} --disable --confirm ${milosz} --allow-lockout user1@apaleo.com`,
  `users disable ${milosz} --confirm ${milosz} --allow-lockout user1@apaleo.com`,
  `users enable ${milosz}`,
  `users update ${milosz} --add-properties BER`,
  `users update ${milosz} --set-properties BER,VIE --yes`,
  `users update ${milosz} --first-name Ana --last-name B --is-account-admin true --yes`,
  `users update ${milosz} --patch '[{"op":"replace","path":"/firstName","value":"Ana"}]'`,
  `users grant ${milosz} --property BER`,
  `users revoke ${milosz} --all --yes`,
  'access report',
  'access check test/reference/policy.yaml',
  'access diff test/reference/access.json',
  'properties list --page-number 2 --page-size 10',
  'properties list --status Live --country-code DE,AT --include-archived',
  'properties list --status Test',
  'properties list --param countryCode=AT',
  'properties get MUC --languages de,en',
  'properties get MUC --languages all --expand actions',
  'properties exists BER',
  `properties create ${hotel} ${more}`,
  `properties create ${hotel} --like MUC`,
  'properties update MUC --payment-terms en=Now --managing-directors "Ana Lindner" --iban DE02120300000000202051',
  `plan ${manifest}`,
  `apply ${manifest} --yes --progress none`,
  'whoami',
  'auth status',
  'api POST /api/v1/account/invitations --raw-field email=zoe@example.com',
  'api GET /api/v1/users --paginate',
  'api GET /inventory/v1/units --raw-field propertyId=MUC --paginate',
] as const;

test.each(succeeding)('%s', async (line) => {
  expect(await runJudged(line)).toMatchObject({ exitCode: 0, violations: [] });
});

/** Commands that the examples of the documents do not let succeed. */
const fruitless = [
  ['a user by an ambiguous address', 'users get user1@apaleo.com', 12],
  ['an export in which each property is Munich', 'export', 9],
  ['a user whom the list does not have', `people offboard ${milosz} --progress none`, 3],
  ['an invitation that the list does not have', 'invitations resend lea@example.com --progress none', 3],
  ['a joiner at a hotel', 'people onboard mia@example.com --properties MUC --progress none', 6],
  ['a review of another account', 'access apply test/reference/review.csv --progress none', 0],
] as const;

test.each(fruitless)('%s fails with the mock, without violations', async (_, line, exitCode) => {
  expect(await runJudged(line)).toMatchObject({ exitCode, violations: [] });
});

test('a run with an invitation of unknown outcome is resumed', async () => {
  const config = { folder: join(folder, 'config') };
  const inviting = prism.descriptions
    .flatMap(({ operations }) => operations)
    .find(({ method, path }) => method === 'POST' && path.endsWith('/invitations'));
  if (inviting === undefined) throw new Error('no document has it');
  const answer = { to: inviting, status: 503 };

  expect([
    await runJudged(`apply ${people} --yes --progress none --run-id prism`, {
      ...config,
      answer,
    }),
    await runJudged(`apply ${people} --yes --progress none`, config),
  ]).toMatchObject([
    { exitCode: 8, violations: [] },
    // It looks for the invitation in the list, and the example of the list does not contain it.
    { exitCode: 8, violations: [] },
  ]);
});

test('every command that sends requests is tested here or in prism-operations.test.ts', () => {
  const here = [...Object.values(lines), ...succeeding, ...fruitless.map(([, line]) => line)];
  const missing = Object.keys(serviceLines).filter(
    (command) => !here.some((line) => line.startsWith(command)),
  );

  expect(missing).toEqual([]);
});

/**
 * Runs a command that sends requests. @returns its result, and the violations of its requests and their
 * responses.
 */
async function runJudged(line: string, situation: PrismSituation = {}) {
  const before = prism.judged.length;
  const result = await prism.innctl(line, situation);
  const requests = prism.judged.slice(before);
  if (requests.length === 0) throw new Error(`nothing was sent: ${result.stderr}`);
  return { ...result, violations: requests.flatMap(({ violations }) => violations) };
}
