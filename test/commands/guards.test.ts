import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect } from 'vitest';
import { operations } from '../../src/service/operations.ts';
import { connectUndici } from '../../src/service/wire/undici.ts';
import { test } from '../config/with-folder.ts';
import { API, cli, hotels, type Situation } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { emptyAccount, onlyIntercepted } from '../helpers/interceptors.ts';
import { hotelEntry, seedingIn } from '../helpers/seeding.ts';
import { beforeUndo, serviceCommands } from '../reference/lines.ts';

const NEW_YEAR = Date.parse('2026-12-31T12:00:00Z');

onlyIntercepted();
emptyAccount();

const writes = {
  invite: 'invitations create ana@example.com --role Housekeeping --properties BER',
  create:
    'properties create --code HAM --name "en=Harbour Hotel" --company-name "Hafenhotel GmbH" --commercial-register-entry "HRB 1" --tax-id DE1 --address-line1 "Am Kai 1" --postal-code 20457 --city Hamburg --country-code DE --time-zone Europe/Berlin --default-check-in-time 15:00:00 --default-check-out-time 11:00:00 --currency-code EUR',
  update: 'properties update BER --name "en=City Hotel" --no-verify',
  delete: 'properties delete BER --confirm BER --no-verify',
} as const;

type Write = keyof typeof writes;

/** Runs one write against a reachable service, with these guards in the environment. */
const attempt = (write: Write, env: Record<string, string>, situation: Situation = {}) =>
  cli(writes[write], { ...situation, env: { ...hotels, ...env } });

describe('a variable that is none of ours', () => {
  test.for<Write>(['invite', 'create', 'update', 'delete'])(
    'stops %s before anything is sent',
    async (write) => {
      expect(await attempt(write, { INNCTL_PROTET: 'BER' })).toEqual(
        ended(
          2,
          'error: INNCTL_PROTET: is not a variable of innctl\nhint: The variables: innctl help environment\n',
        ),
      );
    },
  );

  test.for(['properties list', 'config get timeout --timeout 5'])('%s warns', async (line, { folder }) => {
    nock(API).get('/inventory/v1/properties').query(true).optionally().reply(200, { count: 0, items: [] });

    expect(await cli(line, { folder, env: { ...hotels, INNCTL_PROTET: 'BER' } })).toMatchObject({
      exitCode: 0,
      stderr: 'warning: INNCTL_PROTET is not a variable of innctl. The variables: innctl help environment\n',
    });
  });
});

test('a blocked write does not prompt for confirmation', async () => {
  const { exitCode, stderr } = await cli('properties delete BER', {
    env: { ...hotels, INNCTL_PROTECT: 'ber', NO_COLOR: '1' },
    answers: [],
  });

  expect({ exitCode, stderr }).toEqual({
    exitCode: 11,
    stderr:
      'error: Could not delete the property: BER is protected by ber (INNCTL_PROTECT); nothing was sent.\nhint: innctl config list\n',
  });
});

test('freeze blocks writes on a frozen day', async ({ folder }) => {
  await cli('config set freeze 2026-12-20..2027-01-06', { folder });

  expect(await attempt('invite', {}, { folder, now: NEW_YEAR })).toEqual(
    ended(
      11,
      'error: Could not create the invitation: writes are frozen 2026-12-20..2027-01-06 (profile default); nothing was sent.\nhint: innctl config list\n',
    ),
  );
});

test('an invalid guard blocks reads, too', async ({ folder }) => {
  const inn = { safety: 'readonly', freeze: ['2026-02-30'], protect: 'BER' };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ active_profile: 'inn', profiles: { inn } }));

  expect(await cli('properties list', { folder, env: { ...hotels, INNCTL_SAFETY: 'read-only' } })).toEqual(
    ended(
      2,
      [
        'error: 2 values are not valid:',
        '  config.json: profiles.inn.safety: "readonly" is not one of none, no-delete, no-update, read-only; did you mean read-only?',
        '  config.json: profiles.inn.freeze: "2026-02-30" has a day that does not exist',
        '',
      ].join('\n'),
    ),
  );
});

test('the sandbox applies its own guards', async ({ folder }) => {
  const innctl = (line: string) => cli(line, { folder, connect: connectUndici });
  await cli('config set safety no-delete --sandbox', { folder });
  await cli('config set protect VIE --sandbox', { folder });

  const deleted = await innctl('--sandbox properties delete BER --confirm BER');
  const updated = await innctl('--sandbox properties update VIE --name en=X');
  const invited = await innctl(`--sandbox ${writes.invite}`);
  const { stdout } = await innctl('--sandbox properties list --all');

  expect([deleted, updated, invited]).toEqual([
    {
      exitCode: 11,
      stdout: '',
      stderr:
        'error: Could not delete the property: safety is no-delete (profile sandbox); nothing was sent.\nhint: innctl config list --profile sandbox\n',
    },
    {
      exitCode: 11,
      stdout: '',
      stderr:
        'error: Could not update the property: VIE is protected by VIE (profile sandbox); nothing was sent.\nhint: innctl config list --profile sandbox\n',
    },
    { exitCode: 0, stdout: '', stderr: 'Invited ana@example.com.\n' },
  ]);
  expect(stdout).toMatch(/^BER\t/m);
});

describe('what a write touches, in its path, query or body', async () => {
  const group = '--name en=New --description en=N --max-persons 2';
  const hotel = writes.create.slice('properties create --code HAM '.length);

  /** By operation: what is protected, and lines that it forbids; after a line its stdin or the file `file`. */
  const protectedWrites: readonly (readonly [
    operation: keyof typeof operations,
    protect: string,
    ...lines: (string | readonly [line: string, input: string])[],
  ])[] = [
    [
      'createInvitation',
      'zed@x.example',
      'invitations create zed@x.example --role Housekeeping BER',
      'people onboard zed@x.example --role Housekeeping --property BER',
      ['people onboard --file file --yes', 'email,role,properties\nZED@x.example,Housekeeping,BER\n'],
      ['apply file --yes', 'email,role,properties\nzed@x.example,Housekeeping,BER\n'],
      ['api POST /api/v1/account/invitations --input - --yes', '{"email":"zed@x.example"}'],
    ],
    [
      'deleteInvitation',
      'jonas.*,paul.*',
      'invitations delete jonas.keller@aurora.example --yes',
      'invitations delete jonas.keller@aurora.example lea.wagner@aurora.example --yes',
      'invitations delete --older-than 1h --yes --max-deletes 9',
      'invitations resend jonas.keller@aurora.example --yes',
      'api DELETE /api/v1/account/invitations/jonas.keller@aurora.example --yes',
    ],
    [
      'updateUser',
      'ben@*',
      'users update ben@aurora.example --disable --confirm ben@aurora.example',
      'users disable ben@aurora.example ivan@aurora.example --confirm ben@aurora.example,ivan@aurora.example',
      'users grant ben@aurora.example --property VIE --yes',
      'people offboard ben@aurora.example --confirm ben@aurora.example',
      ['people offboard --file file --yes --max-deletes 1', 'email\nben@aurora.example\n'],
      ['apply file --yes', 'users: [{ email: ben@aurora.example, properties: [BER, MUC, VIE] }]'],
      [
        'apply file --yes',
        'users: [{ subject_id: 6f1c2a4e-0002-4a6b-9c1d-5e8f7a2b3c01, properties: [BER, MUC, VIE] }]',
      ],
    ],
    [
      'createProperty',
      'HAM',
      `properties create --code HAM ${hotel} --payment-terms en=Now`,
      ['apply file --yes', `properties:\n${hotelEntry('HAM')}    payment_terms: { en: Now }\n`],
      ['api POST /inventory/v1/properties --input -', '{"code":"HAM"}'],
    ],
    [
      'cloneProperty',
      'HAM',
      'properties clone BER --code HAM --default-check-in-time 15:00:00 --default-check-out-time 11:00:00',
      ['api POST /inventory/v1/property-actions/BER/clone --input -', '{"code":"HAM"}'],
    ],
    [
      'updateProperty',
      'BER',
      'properties update BER --city Potsdam',
      'properties update MUC BER --city Potsdam --yes',
    ],
    [
      'deleteProperty',
      'MUC',
      'properties delete MUC --confirm MUC',
      'properties delete MUC VIE --confirm MUC,VIE',
    ],
    ['setPropertyLive', 'MUC', 'properties set-live MUC --confirm MUC'],
    ['archiveProperty', 'MUC', 'properties archive MUC --confirm MUC'],
    ['resetProperty', 'MUC', 'properties reset MUC --confirm MUC'],
    [
      'createUnitGroup',
      'BER',
      `unit-groups create --property BER --code NEW ${group}`,
      ['apply file --yes', 'property,code,name.en,description.en,max_persons,rank\nBER,NEW,New,N,2,9\n'],
      ['api POST /inventory/v1/unit-groups --input -', '{"propertyId":"BER","code":"NEW"}'],
    ],
    ['createUnitGroup', 'BER-NEW', `unit-groups create --property BER --code NEW ${group}`],
    [
      'replaceUnitGroup',
      'BER-SGL',
      'unit-groups update BER-SGL --rank 7',
      ['apply file --yes', 'property,code,rank\nBER,SGL,7\n'],
    ],
    ['deleteUnitGroup', 'BER-PRK', 'unit-groups delete BER-PRK --confirm BER-PRK'],
    [
      'createUnit',
      'BER-SGL',
      'units create --property BER --name 999 --group BER-SGL',
      'units create --property BER --name 999 --group SGL --description en=R --max-persons 1',
      ['api POST /inventory/v1/units --input -', '{"propertyId":"BER","unitGroupId":"BER-SGL"}'],
    ],
    [
      'createUnits',
      'BER',
      'units create --property BER --names 901..903 --group BER-SGL',
      ['apply file --yes', 'property,name,group\nBER,999,SGL\n'],
      [
        'api POST /inventory/v1/units/bulk --input -',
        '{"units":[{"attributes":[{"id":"A"}],"propertyId":"BER"}]}',
      ],
    ],
    ['createUnits', 'BER-*', 'units create --property BER --names 901..903 --group SGL'],
    ['createUnits', 'BER-SGL', ['apply file --yes', 'property,name,group\nBER,999,SGL\n']],
    [
      'updateUnit',
      'BER-SUI',
      'units update BER-EKJ --group BER-SUI',
      ['apply file --yes', 'property,name,group\nBER,101,SUI\n'],
      [
        'api PATCH /inventory/v1/units/BER-EKJ --input -',
        '[{"op":"replace","path":"/unitGroupId","value":"BER-SUI"}]',
      ],
    ],
    [
      'updateUnits',
      'BER-FGS',
      'units update BER-EKJ BER-FGS --max-persons 2 --yes',
      ['api PATCH /inventory/v1/units?unitIds=BER-EKJ,BER-FGS --input -', '[]'],
    ],
    [
      'deleteUnit',
      'BER',
      'units delete 101 --property BER --confirm BER-EKJ',
      'units delete BER-EKJ BER-FGS --confirm BER-EKJ,BER-FGS',
    ],
    ['archiveUnit', 'BER-EKJ', 'units archive BER-EKJ --confirm BER-EKJ'],
    [
      'createUnitAttribute',
      'BER',
      ['api POST /inventory/v1/unit-attributes --input -', '{"propertyId":"BER"}'],
    ],
    ['updateUnitAttribute', 'BWIXREDA', 'unit-attributes update BWIXREDA --description Sea'],
    ['deleteUnitAttribute', 'BWIXREDA', 'unit-attributes delete BWIXREDA --confirm BWIXREDA'],
  ];

  /** Runs a line at a service of its own. @returns its exit code, and what it wrote. */
  const run = async (line: string | readonly [line: string, input: string], env: Record<string, string>) => {
    const service = await seedingIn('apaleo', () => NEW_YEAR);
    const [words, input = ''] = typeof line === 'string' ? [line] : line;
    const name = /^(property|email|code)/.test(input) ? 'file.csv' : 'file.yaml';
    const path = await service.file(name, input);
    const { exitCode, stderr } = await service.innctl(words.replace(' file ', ` ${path} `), {
      env,
      stdin: input,
    });
    const [rule] = /is protected by|safety is/.exec(stderr) ?? [];
    return { exitCode, rule, writes: service.writes };
  };

  test('covers every operation that writes', () => {
    const ids = Object.entries(operations).flatMap(([id, { safety }]) => (safety === 'read' ? [] : [id]));

    expect([...new Set(protectedWrites.map(([id]) => id))].toSorted()).toEqual(ids.toSorted());
  });

  const cases = protectedWrites.flatMap(([id, protect, ...lines]) =>
    lines.map((line) => ({ id, protect, line })),
  );

  test.each(cases)('$id, protect $protect: $line', async ({ protect, line }) => {
    expect(await run(line, { INNCTL_PROTECT: protect })).toEqual({
      exitCode: 11,
      rule: 'is protected by',
      writes: [],
    });
  });

  test.each(cases.filter(({ id }) => operations[id].effect === 'destroys'))(
    '$id, no-delete: $line',
    async ({ line }) => {
      expect(await run(line, { INNCTL_SAFETY: 'no-delete' })).toEqual({
        exitCode: 11,
        rule: 'safety is',
        writes: [],
      });
    },
  );

  const rowless = (await serviceCommands()).filter(
    ({ command, isWriting }) => isWriting && !cases.some(({ line }) => `${line}`.startsWith(`${command} `)),
  );

  test.each(rowless)('protect *: $command', async ({ command, rest, env }) => {
    const dialect = 'INNCTL_DIALECT' in env ? 'apaleo' : 'contract';
    const service = await seedingIn(dialect, () => NEW_YEAR);
    if (command === 'undo') await service.innctl(beforeUndo);
    const before = service.writes.length;

    const { exitCode, stderr } = await service.innctl(`${command} ${rest}`, {
      env: { ...env, INNCTL_PROTECT: '*' },
    });

    expect({ exitCode, stderr, writes: service.writes.slice(before) }).toEqual({
      exitCode: 11,
      stderr: expect.stringContaining('is protected by *'),
      writes: [],
    });
  });

  test('no-delete: people offboard --strip', async () => {
    const line = 'people offboard ben@aurora.example --strip --confirm ben@aurora.example';

    expect(await run(line, { INNCTL_SAFETY: 'no-delete' })).toEqual({
      exitCode: 11,
      rule: 'safety is',
      writes: [],
    });
  });
});
