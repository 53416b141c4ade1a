import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import type { Situation } from '../helpers/cli.ts';
import { hotelEntry, peopleYaml } from '../helpers/seeding.ts';
import { type Prism, startProxy } from './prism.ts';

/** A command line, and its exit code. */
type Step = readonly [line: string, exitCode: number, situation?: Situation];

const folder = mkdtempSync(join(tmpdir(), 'innctl-prism-'));
let sandbox: Sandbox;
let prism: Prism;

beforeAll(async () => {
  sandbox = await startSandbox({ folder: join(folder, 'service'), now: Date.now, dialect: 'apaleo' });
  prism = await startProxy(sandbox);
}, 400_000);

afterAll(async () => {
  await prism[Symbol.asyncDispose]();
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

/** Runs the steps in order, and checks their exit codes and that all requests and responses match the documents. */
async function expectJudged(...steps: readonly Step[]): Promise<void> {
  const ended: object[] = [];
  for (const [line, exitCode, situation] of steps) {
    const before = prism.judged.length;
    const result = await prism.innctl(line, { uuid: randomUUID(), ...situation });
    const violations = prism.judged.slice(before).flatMap((each) => each.violations);
    const stderr = result.exitCode === exitCode ? {} : { stderr: result.stderr };
    ended.push({ line, exitCode: result.exitCode, violations, ...stderr });
  }

  expect(ended).toEqual(steps.map(([line, exitCode]) => ({ line, exitCode, violations: [] })));
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const hotel = (code: string) =>
  `--code ${code} --name en=Fjord --company-name GmbH --commercial-register-entry HRB --tax-id DE1 ` +
  '--address-line1 Kai --postal-code 20457 --city Hamburg --country-code DE --time-zone Europe/Berlin ' +
  '--default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --currency-code EUR --payment-terms en=Now';

const entry = (code: string, company?: string) =>
  `${hotelEntry(code, company)}    payment_terms: { en: Payment on check-in }\n`;

test('invitations are created, rejected, listed and deleted', async () => {
  const kai = file('kai.json', '{ "email": "kai@example.com", "role": "Auditor", "properties": ["VIE"] }');

  await expectJudged(
    ['invitations list', 0],
    ['invitations list --property-id BER', 0],
    ['invitations list --property-id NOPE', 3],
    ['invitations create mia@example.com --role Housekeeping --properties BER,MUC', 0],
    ['invitations create mia@example.com --role Housekeeping --properties BER', 6],
    ['invitations create tom@example.com --role FrontDesk --properties BER', 0],
    ['invitations create zoe@example.com --is-account-admin --yes', 0],
    ['invitations create kim@example.com --roles FrontDesk,Auditor --properties VIE', 0],
    ['invitations create ned@example.com --role Housekeeping --properties NOPE', 6],
    ['invitations create ben@aurora.example --role Housekeeping --properties BER', 6],
    [`invitations create --file ${kai}`, 0],
    ['invitations list --json', 0],
    ['invitations delete mia@example.com --yes', 0],
    ['invitations delete mia@example.com --yes', 3],
    ['invitations delete kim+2@example.com --yes', 3],
  );
});

test('users are updated, and invalid changes are rejected', async () => {
  const renaming = file('patch.json', '[{ "op": "replace", "path": "/last_name", "value": "Schulz" }]');

  await expectJudged(
    ['users update karl@aurora.example --enable', 0],
    ['users update karl@aurora.example --disable --confirm karl@aurora.example', 0],
    ['users update ben@aurora.example --add-properties VIE', 0],
    ['users update ben@aurora.example --set-properties BER --yes', 0],
    ['users update ben@aurora.example --set-properties NOPE --yes', 6],
    ['users update ben@aurora.example --first-name Benny --last-name Schmidt', 0],
    ['users update emma@aurora.example --is-account-admin true --yes', 0],
    ['users update emma@aurora.example --is-account-admin false --yes', 0],
    [`users update ben@aurora.example --patch '[{"op":"replace","path":"/firstName","value":"Ben"}]'`, 0],
    [
      `users update ben@aurora.example --patch '[{"op":"replace","path":"/email","value":"ben@example.com"}]'`,
      6,
    ],
    ['users update 6f1c2a4e-0099-4a6b-9c1d-5e8f7a2b3c01 --enable', 3],
    [`users update ben@aurora.example --patch ${renaming}`, 0],
  );
});

test('properties are created, updated and deleted', async () => {
  const ghent = file('ghent.yaml', hotelEntry('GNE').replaceAll(/^(?: {2}- | {4})/gm, ''));

  await expectJudged(
    [`properties create ${hotel('KIE')}`, 0],
    [`properties create ${hotel('KIE')}`, 6],
    [
      `properties create ${hotel('AMS')} --payment-terms de=Jetzt --description en="At the canal" ` +
        '--managing-directors "Ana Lindner" --address-line2 Backyard --region-code DE-HH ' +
        '--iban DE02120300000000202051 --bic BYLADEM1001 --bank DKB',
      0,
    ],
    [`properties create --like AMS ${hotel('ROT')}`, 0],
    ['properties get AMS --languages all', 0],
    ['properties update AMS --city Altona --name en=Fiord', 0],
    ['properties update AMS --name de=Fjord', 6],
    [`properties update AMS --patch '[{"op":"add","path":"/name/de","value":"Fjord"}]'`, 0],
    [
      'properties update AMS --payment-terms en=Later --description en="At the lake" --iban DE89370400440532013000',
      0,
    ],
    [
      'properties update AMS --address-line2 Attic --region-code DE-BY --managing-directors Ben --bic BYLADEM1001',
      0,
    ],
    ['properties update AMS --patch \'[{"op":"remove","path":"/managing_directors"}]\'', 0],
    ['properties update KIE --description de=Fjord --iban DE02120300000000202051', 0],
    [
      `properties update AMS --patch '[{"op":"replace","path":"/timeZone","value":"Europe/Paris"}]' --no-validate`,
      6,
    ],
    [`properties update AMS --patch '[{"op":"replace","path":"/noSuchField","value":"x"}]' --no-validate`, 6],
    ['properties update NOPE --city Potsdam', 3],
    [`properties create --file ${ghent} --payment-terms en=Now`, 0],
    ['properties list --status Test,Live --all --json', 0],
    ['properties delete BER --confirm BER', 6],
    ['properties delete ROT --confirm ROT', 0],
    ['properties delete ROT --confirm ROT', 3],
  );
});

test('manifests are planned, applied, resumed and exported', async () => {
  const config = { folder: join(folder, 'config') };
  const hotels = file('hotels.yaml', `properties:\n${entry('HAM')}${entry('LEJ')}`);
  const renamed = file('renamed.yaml', `properties:\n${entry('HAM', 'Süd GmbH')}${entry('LEJ')}`);
  const people = file('people.yaml', peopleYaml('ida@example.com', 'ole@example.com'));
  const refused = file('refused.yaml', peopleYaml('uwe@example.com').replace('BER', 'NOPE'));
  const users = file(
    'users.yaml',
    'users:\n  - { email: ivan@aurora.example, enabled: false, properties: [VIE] }\n',
  );

  await expectJudged(
    [`plan ${hotels} --exit-code`, 10],
    [`apply ${hotels} --yes --progress none --run-id prism-1`, 0, config],
    [`apply ${hotels} --yes --progress none`, 0, config],
    [`plan ${hotels} --exit-code`, 0],
    [`apply ${renamed} --yes --progress none`, 0],
    [`apply ${file('one.yaml', `properties:\n${entry('CGN')}`)} --yes --progress none`, 0],
    [`apply ${people} --yes --progress none`, 0],
    [`apply ${people} --yes --progress none`, 0],
    [`apply ${users} --yes --max-deletes 1 --progress none`, 0],
    [`apply ${refused} --yes --progress none`, 9],
    [`apply ${people} --prune --max-deletes 50 --yes --progress none`, 0],
    ['export', 0],
  );
});

test('manifests support the additional fields of this dialect', async () => {
  const further = (description: string, iban: string) =>
    file(
      'further.yaml',
      `properties:
${entry('DRS').replace('location: {', 'location: { address_line2: Attic, region_code: DE-SN,')}
    description: { en: ${description} }
    managing_directors: Ana Lindner
    bank_account: { iban: ${iban}, bic: BYLADEM1001 }
invitations:
  - { email: jan@example.com, roles: [FrontDesk, Housekeeping], properties: [DRS] }
users:
  - { email: julia@aurora.example, first_name: Jule, last_name: Ecker, is_account_admin: true }
`,
    );
  const csv = file('people.csv', 'email,roles,properties\neva@example.com,"FrontDesk,Auditor","BER,DRS"\n');
  const config = { folder: join(folder, 'further') };
  const path = further('At the Elbe', 'DE02120300000000202051');

  await expectJudged(
    [`apply ${path} --yes --progress none`, 0, config],
    [`plan ${path} --exit-code`, 0, config],
    [`apply ${csv} --yes --progress none`, 0, config],
  );
  further('Near the Elbe', 'DE89370400440532013000');
  await expectJudged([`apply ${path} --yes --progress none`, 0, config], ['export', 0]);
  file('further.yaml', 'properties: []\ninvitations: []\n');
  await expectJudged([`apply ${path} --prune --max-deletes 50 --yes --progress none`, 0, config]);
  expect(prism.judged.map(({ request }) => request)).toEqual(
    expect.arrayContaining([
      'DELETE /inventory/v1/properties/DRS',
      'DELETE /api/v1/account/invitations/jan%40example.com',
    ]),
  );
});

test('units update sends the changes of several units with one request', async () => {
  const listed = await prism.innctl('units list --property BER --limit 2 --json');
  const [one, other] = JSON.parse(listed.stdout).items;
  const before = prism.judged.length;

  await expectJudged([`units update ${one.id} ${other.id} --max-persons 9 --yes`, 0]);

  const writes = prism.judged.slice(before).filter(({ operation }) => operation?.method === 'PATCH');
  expect(writes.map(({ operation }) => operation?.path)).toEqual(['/inventory/v1/units']);
});

test('api sends requests unchanged', async () => {
  await expectJudged(
    ['api GET /api/v1/users --paginate', 0],
    ['api GET /inventory/v1/properties --raw-field pageSize=2 --paginate', 0],
    ['api HEAD /inventory/v1/properties/BER', 0],
    ['api HEAD /inventory/v1/properties/NOPE', 3],
    ['api GET /inventory/v1/properties/BER?expand=actions --include', 0],
    ['api POST /api/v1/account/invitations -f email=yan@example.com -f role=Auditor -f properties[]=BER', 0],
    ['api POST /api/v1/account/invitations -f email=yan@example.com', 6],
    ['api DELETE /api/v1/account/invitations/yan%40example.com --yes', 0],
  );
});

test('doctor sends only documented requests and GET / to each host', async () => {
  const before = prism.judged.length;

  const { exitCode } = await prism.innctl('doctor');

  const wrong = prism.judged.slice(before).filter(({ violations }) => violations.length > 0);
  expect({ exitCode, wrong: wrong.map(({ request }) => request) }).toEqual({
    exitCode: 0,
    wrong: ['GET /', 'GET /'],
  });
});

test('missing permissions and invalid tokens are reported', async () => {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: sandbox.clientId,
    client_secret: sandbox.clientSecret,
  });
  const answer = await fetch(`${sandbox.url}/connect/token`, { method: 'POST', body: form });
  const { access_token: token } = (await answer.json()) as { readonly access_token: string };

  await expectJudged(
    ['users me', 5, { env: { INNCTL_TOKEN: token } }],
    ['users list', 4, { env: { INNCTL_TOKEN: 'token-of-nobody-1234567890' } }],
    ['properties exists BER', 4, { env: { INNCTL_TOKEN: 'token-of-nobody-1234567890' } }],
    ['properties update BER --city Potsdam', 4, { env: { INNCTL_TOKEN: 'token-of-nobody-1234567890' } }],
  );
});
