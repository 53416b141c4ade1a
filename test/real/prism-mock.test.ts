import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apaleo } from '../../src/service/apaleo.ts';
import { type OperationId, operations } from '../../src/service/operations.ts';
import { hotelEntry } from '../helpers/seeding.ts';
import { exempt, serviceCommands } from '../reference/lines.ts';
import { type Prism, startMock } from './prism.ts';
import { beyondMock, lines } from './prism-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'innctl-prism-'));
const manifest = join(folder, 'hotels.yaml');
let prism: Prism;

beforeAll(async () => {
  writeFileSync(
    manifest,
    `properties:\n${hotelEntry('HAM')}    payment_terms: { en: Payment on check-in }\n`,
  );
  prism = await startMock();
}, 400_000);

afterAll(async () => {
  await prism[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Runs a command. @returns its result, the operations that it sent, and the violations of requests and responses. */
async function runJudged(line: string, stdin = '') {
  const before = prism.judged.length;
  const { exitCode, stderr } = await prism.innctl(line, { stdin });
  const requests = prism.judged.slice(before);
  if (requests.length === 0) throw new Error(`nothing was sent: ${stderr}`);
  const sent = requests.map(({ operation }) => `${operation?.method} ${operation?.path}`);
  return { exitCode, sent, violations: requests.flatMap(({ violations }) => violations) };
}

// The keys of the table are the ids.
const ids = (Object.keys(lines) as OperationId[]).filter((id) => !beyondMock.has(id));

test.each(ids)('%s: its command sends it as the documents describe it', async (id) => {
  const wanted = `${operations[id].method} ${apaleo.path(id).replace('{subjectId}', '{userId}')}`;

  expect(await runJudged(lines[id])).toEqual({
    exitCode: 0,
    sent: expect.arrayContaining([wanted]),
    violations: [],
  });
});

/** The user in the examples of the documents. */
const milosz = '50ff45e2-9393-4040-8138-a782ce121c13';

/** Further commands, whose requests match the documents, and their exit codes with the examples there as responses. */
const further = [
  ['users list --property-ids MUC,BER --page-number 2 --page-size 10', 0],
  ['users list --email x@y.example --enabled true --sort lastname:desc', 0],
  ['users list --enabled false --sort firstname:asc --all', 0],
  [`users disable ${milosz} --confirm ${milosz} --allow-lockout user1@apaleo.com`, 0],
  [`users enable ${milosz}`, 0],
  [`users grant ${milosz} --property BER`, 0],
  [`users revoke ${milosz} --all --yes`, 0],
  ['access report', 0],
  ['access check test/reference/policy.yaml', 0],
  ['access diff test/reference/access.json', 0],
  [`users update ${milosz} --set-properties MUC --is-account-admin true --yes`, 0],
  [`users update ${milosz} --add-properties MUC --first-name Mia --last-name Vogel`, 0],
  ['invitations create kim@example.com --roles FrontDesk,Auditor --properties VIE', 0],
  ['invitations create zoe@example.com --is-account-admin --yes', 0],
  [
    'properties update MUC --name en=Fjord --description en="At the canal" --payment-terms en=Later --bic BYLADEM1001 ' +
      '--managing-directors Ben --address-line2 Attic --region-code DE-BY --iban DE89370400440532013000',
    0,
  ],
  ['properties list --status Live --country-code DE,AT --include-archived', 0],
  ['properties get MUC --languages all --expand actions', 0],
  [`plan ${manifest}`, 0],
  [`drift ${manifest}`, 0],
  [`apply ${manifest} --yes --progress none`, 0],
  ['whoami', 0],
  ['auth status', 0],
  ['api GET /inventory/v1/units --raw-field propertyId=MUC --paginate', 0],
  // The examples of the documents do not let these succeed.
  ['users get user1@apaleo.com', 12],
  ['export', 9],
  [`people offboard ${milosz} --progress none`, 3],
  ['invitations resend lea@example.com --progress none', 3],
  ['people onboard mia@example.com --properties MUC --progress none', 6],
  ['access apply test/reference/review.csv --progress none', 9],
  [`access review start 2026-H2 --to ${join(folder, 'review')}`, 0],
  [
    `access review close ${join(folder, 'review')} --approved-by Ana --evidence ${join(folder, 'evidence')}`,
    6,
  ],
  ['people sync test/reference/staff.csv --jobs test/reference/jobs.yaml --yes --progress none', 2],
] as const;

test.each(further)('%s', async (line, exitCode) => {
  expect(await runJudged(line)).toMatchObject({ exitCode, violations: [] });
});

test('every command that sends requests is tested', async () => {
  const here = [...Object.values(lines), ...further.map(([line]) => line)];
  const commands = await serviceCommands(exempt['prism-mock']);

  expect(
    commands.filter(({ command }) => !here.some((line) => `${line} `.startsWith(`${command} `))),
  ).toEqual([]);
});

test.each([
  ['an unknown path', 'GET /api/v1/role', 'no path matched'],
  ['an unknown parameter', 'GET /api/v1/users?page_size=1', 'there is no parameter page_size'],
  ['an invalid enum value', 'GET /inventory/v1/properties?status=Open', 'Test, Live'],
  ['a missing field in the body', 'POST /api/v1/account/invitations -f role=Auditor', "property 'email'"],
  ['an unknown field', 'POST /api/v1/account/invitations -f email=a@b.eu -f is_admin=1', 'is_admin'],
])('the mock reports a request with %s', async (_, request, violation) => {
  const { violations } = await runJudged(`api ${request}`);

  expect(violations.join('\n')).toContain(violation);
});

test.each([
  ['{ "op": "replace", "path": "/timeZone", "value": "Europe/Vienna" }', ['replace /timeZone']],
  ['{ "op": "remove", "path": "/name" }', ['remove /name']],
  ['{ "op": "replace", "path": "/company_name", "value": "GmbH" }', ['replace /company_name']],
  ['{ "op": "remove", "path": "/bankAccount" }', []],
  ['{ "op": "replace", "path": "/location/city", "value": "Potsdam" }', []],
])(
  'of a patch with %s the steps that the description does not allow are reported: %j',
  async (step, found) => {
    const { violations } = await runJudged(`api PATCH /inventory/v1/properties/BER --input -`, `[${step}]`);

    expect(violations).toEqual(found.map((each) => `request.body: nothing lets ${each}`));
  },
);
