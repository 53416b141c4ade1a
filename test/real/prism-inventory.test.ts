import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { type Prism, startProxy } from './prism.ts';
import { openDescriptions } from './prism-documents.ts';
import { expectSteps, type Step } from './prism-steps.ts';

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

const groups = '/inventory/v1/unit-groups';
const units = '/inventory/v1/units';
const attributes = '/inventory/v1/unit-attributes';
const properties = '/inventory/v1/properties';
const actions = '/inventory/v1/property-actions';

const get = (path: string, exitCode = 0): Step => [`api GET '${path}'`, exitCode];
const head = (path: string, exitCode = 0): Step => [`api HEAD ${path}`, exitCode];
/** A request with a body, and the consent that innctl may ask for. */
const send = (method: string, path: string, body: unknown, exitCode = 0): Step => [
  `api ${method} '${path}' --input - --yes`,
  exitCode,
  { stdin: JSON.stringify(body) },
];
/** A request that cannot be undone. */
const final = (method: string, path: string, id: string, exitCode = 0): Step => [
  `api ${method} ${path} --confirm ${id}`,
  exitCode,
];

test('unit attributes are listed, created, changed and deleted', async () => {
  const id = async (name: string) => (await idsOf(attributes, 'unitAttributes'))[name] ?? '';

  await expectSteps(prism, [
    [`api GET ${attributes} --paginate`, 0],
    get(`${attributes}?pageNumber=9`),
    send('POST', attributes, { name: 'SEA', description: 'To the sea' }),
  ]);
  const [sea, quiet] = [await id('SEA'), await id('QUIET')];
  await expectSteps(prism, [
    get(`${attributes}/${sea}`),
    get(`${attributes}/NOPE`, 3),
    head(`${attributes}/${sea}`),
    head(`${attributes}/NOPE`, 3),
    send('PATCH', `${attributes}/${sea}`, [{ op: 'replace', path: '/description', value: 'Sea view' }]),
    send('PATCH', `${attributes}/${sea}`, [{ op: 'remove', path: '/description' }]),
    send('PATCH', `${attributes}/${sea}`, [{ op: 'replace', path: '/name', value: 'LAKE' }], 6),
    final('DELETE', `${attributes}/${quiet}`, quiet, 6),
    final('DELETE', `${attributes}/${sea}`, sea),
    final('DELETE', `${attributes}/${sea}`, sea, 3),
  ]);
});

test('unit groups are listed, created, replaced and deleted', async () => {
  const texts = { name: { en: 'Loft' }, description: { en: 'Under the roof' } };
  const loft = { propertyId: 'BER', code: 'LOFT', maxPersons: 3, ...texts };

  await expectSteps(prism, [
    [`api GET ${groups} -f propertyId=BER -f expand=property,connectedUnitGroups --paginate`, 0],
    get(`${groups}?propertyId=BER&unitGroupTypes=BedRoom,ParkingLot&pageSize=1&pageNumber=2`),
    get(`${groups}?propertyId=NOPE`),
    get(`${groups}/$count?unitGroupTypes=MeetingRoom`),
    get(`${groups}/BER-SUI?languages=all&expand=property,connectedUnitGroups`),
    get(`${groups}/NOPE`, 3),
    head(`${groups}/BER-SUI`),
    head(`${groups}/NOPE`, 3),
    send('POST', groups, { ...loft, connectedUnitGroups: [{ unitGroupId: 'BER-DBL', memberCount: 2 }] }),
    send('POST', groups, loft, 6),
    send('PUT', `${groups}/BER-LOFT`, { ...texts, maxPersons: 4, rank: 2 }),
    send('PUT', `${groups}/BER-LOFT`, { ...texts, connectedUnitGroups: [] }, 6),
    final('DELETE', `${groups}/BER-DBL`, 'BER-DBL', 6),
    final('DELETE', `${groups}/BER-LOFT`, 'BER-LOFT'),
  ]);
});

test('units are listed, created, changed, archived and deleted', async () => {
  const { 101: used = '', 103: free = '', 301: suite = '' } = await idsOf(`${units}?propertyId=BER`, 'units');
  const attribute = (await idsOf(attributes, 'unitAttributes'))['BALCONY'];
  const unit = { propertyId: 'BER', name: '401', description: { en: 'Large' }, maxPersons: 4 };
  const suites = { ...unit, unitGroupId: 'BER-SUI', attributes: [{ id: attribute }] };
  const steps = [
    { op: 'replace', path: '/condition', value: 'Dirty' },
    { op: 'replace', path: '/description', value: { en: 'To the street' } },
    { op: 'add', path: '/unitGroupId', value: 'BER-DBL' },
    { op: 'replace', path: '/maxPersons', value: 2 },
    { op: 'add', path: '/attributes/-', value: { id: attribute } },
    { op: 'remove', path: '/attributes/0' },
  ];

  await expectSteps(prism, [
    [`api GET ${units} -f propertyId=BER -f status=All -f expand=actions --paginate`, 0],
    get(`${units}?isOccupied=true&condition=Clean&expand=property,unitGroup,connectedUnits,actions`),
    get(`${units}?maintenanceType=OutOfOrder&unitGroupIds=BER-DBL,BER-SGL&unitAttributeIds=${attribute}`),
    get(`${units}?textSearch=nothing`),
    get(`${units}/$count?status=Archived`),
    get(`${units}/${suite}?languages=de,en&expand=property,unitGroup,connectedUnits,actions`),
    get(`${units}/NOPE`, 3),
    head(`${units}/${suite}`),
    head(`${units}/NOPE`, 3),
    send('POST', units, { ...suites, condition: 'CleanToBeInspected', connectedUnits: [{ unitId: free }] }),
    send('POST', units, { ...unit, unitGroupId: 'MUC-DBL' }, 6),
    send('POST', `${units}/bulk`, { units: [unit, { ...unit, name: '402' }] }),
    send('POST', `${units}/bulk`, { units: [unit, { ...unit, propertyId: 'NOPE' }] }, 6),
    send('PATCH', `${units}/${used}`, [...steps, { op: 'replace', path: '/name', value: '101a' }]),
    send('PATCH', `${units}/${used}`, [{ op: 'replace', path: '/propertyId', value: 'MUC' }], 6),
    send('PATCH', `${units}?unitIds=${used},${free}`, [
      { op: 'replace', path: '/condition', value: 'Clean' },
    ]),
    final('DELETE', `${units}/${used}`, used, 6),
    final('PUT', `/inventory/v1/unit-actions/${suite}/archive`, suite, 6),
    final('DELETE', `${units}/${suite}`, suite),
    final('PUT', `/inventory/v1/unit-actions/${used}/archive`, used),
    final('PUT', `/inventory/v1/unit-actions/${used}/archive`, used, 6),
  ]);
});

test('properties are cloned, reset, set live and archived', async () => {
  const { stdout } = await prism.innctl(`api GET ${properties}/BER`);
  const { id, created, status, isArchived, isTemplate, ...fields } = JSON.parse(stdout);
  const times = { defaultCheckInTime: '15:00:00', defaultCheckOutTime: '11:00:00' };
  const clone = { ...fields, ...times, code: 'KIE' };

  await expectSteps(prism, [
    send('POST', `${actions}/BER/clone`, clone),
    send('POST', `${actions}/BER/clone`, clone, 6),
    send('POST', `${actions}/NOPE/clone`, { ...clone, code: 'ROS' }, 3),
    get(`${units}?propertyId=KIE&expand=connectedUnits,unitGroup`),
    get(`${properties}/KIE?expand=actions`),
    final('PUT', `${actions}/KIE/archive`, 'KIE', 6),
    final('PUT', `${actions}/KIE/reset`, 'KIE'),
    final('PUT', `${actions}/KIE/set-live`, 'KIE'),
    final('PUT', `${actions}/KIE/set-live`, 'KIE', 6),
    final('PUT', `${actions}/KIE/reset`, 'KIE', 6),
    final('PUT', `${actions}/KIE/archive`, 'KIE'),
    get(`${properties}?includeArchived=true&expand=actions`),
  ]);
  expect([id, status, isArchived, isTemplate, typeof created]).toEqual([
    'BER',
    'Live',
    false,
    false,
    'string',
  ]);
});

test('every operation on what a property rents out, and on its life, was judged', () => {
  const sent = new Set(prism.judged.map(({ operation }) => `${operation?.method} ${operation?.path}`));
  const wanted = openDescriptions()
    .flatMap(({ operations }) => operations)
    .filter(({ path }) => /\/(unit-groups|units|unit-actions|unit-attributes|property-actions)/.test(path));

  expect(wanted).toHaveLength(27);
  expect(wanted.map(({ method, path }) => `${method} ${path}`).filter((key) => !sent.has(key))).toEqual([]);
});

/** The ids of a list by the names of their records. */
async function idsOf(path: string, key: string): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await prism.innctl(['api', 'GET', path, '--paginate']);
  const document = JSON.parse(stdout);
  const records: readonly { readonly id: string; readonly name: string }[] = document[key] ?? document.items;
  return Object.fromEntries(records.map(({ name, id }) => [name, id]));
}
