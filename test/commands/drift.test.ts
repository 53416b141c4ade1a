import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Difference } from '../../src/change/drift.ts';
import { ended } from '../helpers/ended.ts';
import { fc } from '../helpers/laws.ts';
import { hotelEntry, peopleYaml, type Seeding, seedingIn } from '../helpers/seeding.ts';

const NOON = Date.UTC(2026, 10, 30, 12);

const aurora = () => seedingIn('apaleo', () => NOON);

/** The differences that a run prints, as `change kind name`, sorted. */
async function drift(service: Seeding, ...words: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout } = await service.innctl(['drift', '--json', ...words], { now: NOON });
  expect(exitCode).toBe(0);
  const items: readonly Difference[] = JSON.parse(stdout).items;
  return items.map(({ change, kind, name }) => `${change} ${kind} ${name}`).sort();
}

async function exported(service: Seeding): Promise<string> {
  return service.file('account.yaml', (await service.innctl('export --inventory')).stdout);
}

/** A hotel with 60 units, as an entry of a list. */
const hotelWithUnits = (code: string) => `${hotelEntry(code)}    payment_terms: { en: Cash }
    unit_groups: [{ code: DBL, name: { en: Double }, description: { en: Queen bed }, max_persons: 2 }]
    units: [{ group: DBL, names: 1..60, description: { en: Quiet }, max_persons: 3 }]
`;

/** What is edited beside the files: records, a request of `innctl api`, the difference that it makes, and the body. */
async function editsOf(service: Seeding) {
  const list = async (words: string): Promise<readonly Record<string, string>[]> =>
    JSON.parse((await service.innctl(`${words} --json`)).stdout).items;
  const set = (path: string, value: unknown) => [{ op: 'replace', path, value }];
  const named = (...names: readonly string[]) => names.map((name) => ({ name }));
  const [rooms, people] = [await list('units list --property KIE'), await list('users list --enabled true')];
  const [units, hotels] = ['/inventory/v1/units', '/inventory/v1/properties'];
  const room = { name: '{name}', propertyId: 'KIE', unitGroupId: 'KIE-DBL', maxPersons: 2, ...texts };
  const mails = '/api/v1/account/invitations';
  const eve = { email: '{name}', role: 'Auditor', properties: ['KIE'] };
  const table = [
    [rooms.slice(0, 6), `DELETE ${units}/{id}`, 'missing unit KIE/{name}'],
    [rooms.slice(6, 12), `PATCH ${units}/{id}`, 'changed unit KIE/{name}', set('/maxPersons', 9)],
    [named('901', '902'), `POST ${units}`, 'unmanaged unit KIE/{name}', room],
    [named('BER', 'KIE'), `PATCH ${hotels}/{name}`, 'changed property {name}', set('/taxId', 'X')],
    [named('NEW'), `POST ${hotels}`, 'unmanaged property {name}', newHotel],
    [named('guest1', 'guest2'), `DELETE ${mails}/{name}@x.example`, 'missing invitation {name}@x.example'],
    [named('eve@x.example', 'mal@x.example'), `POST ${mails}`, 'unmanaged invitation {name}', eve],
    [people.slice(1, 6), 'PATCH /api/v1/users/{subject_id}', 'changed user {email}', set('/enabled', false)],
  ] as const;
  return table.flatMap(([records, ...edit]) =>
    records.map((record: Readonly<Record<string, string>>): [string, string, unknown?] =>
      JSON.parse(JSON.stringify(edit).replaceAll(/\{(\w+)\}/g, (_, field) => record[field] ?? '')),
    ),
  );
}

const texts = { description: { en: 'A' } };

/** As the service takes it. */
const newHotel: unknown = JSON.parse(`{"code":"NEW","name":{"en":"A"},"companyName":"A","taxId":"C",
  "location":{"addressLine1":"A","postalCode":"20457","city":"Hamburg","countryCode":"DE"},"currencyCode":"EUR",
  "timeZone":"Europe/Berlin","paymentTerms":{"en":"A"},"commercialRegisterEntry":"B",
  "defaultCheckInTime":"15:00:00","defaultCheckOutTime":"11:00:00"}`);

test('of 223 records without an edit nothing is shown, and then exactly the k edits that were made', async () => {
  const service = await aurora();
  const guests = Array.from({ length: 40 }, (_, index) => `guest${index}@x.example`);
  const hotels = ['KIE', 'HAM'].map(hotelWithUnits).join('');
  const stdin = `properties:\n${hotels}${peopleYaml(...guests)}`;
  expect(await service.innctl('apply - --yes', { stdin })).toMatchObject({ exitCode: 0 });
  const all = await exported(service);
  const none = ended(0, 'No drift: 223 records are as the files say.\n');

  for (const words of [[], ['--scope', 'all'], ['--exit-code']])
    expect(await service.innctl(['drift', all, ...words])).toEqual(none);
  const edits = await editsOf(service);
  const [order = []] = fc.sample(fc.shuffledSubarray(edits, { minLength: edits.length }), 1);
  const made: string[] = [];
  while (order.length > 0) {
    for (const [request, makes, body] of order.splice(0, 1 + (order.length % 8))) {
      const sent = body === undefined ? [] : ['--input', '-'];
      const words = [...request.split(' '), '--yes', '--confirm', request.split('/').at(-1) ?? '', ...sent];
      const situation = { stdin: JSON.stringify(body) ?? '', uuid: randomUUID() };
      const { exitCode } = await service.innctl(['api', ...words], situation);
      expect([request, exitCode]).toEqual([request, 0]);
      made.push(makes);
    }
    expect(await drift(service, all, '--scope', 'all')).toEqual(made.toSorted());
    const inFiles = made.filter((each) => each !== 'unmanaged property NEW');
    expect(await drift(service, all)).toEqual(inFiles.toSorted());
  }
  expect(made.length).toBe(26);
}, 120_000);

const ben = 'users: [{ email: ben@aurora.example, properties: [BER, MUC] }]\n';
const vie = 'properties: [{ code: VIE, tax_id: ATU1 }]\n';

describe('what is judged', () => {
  test('files of hotels say nothing of people, and files of people nothing of hotels', async () => {
    const service = await aurora();
    const hotels = await service.file('vie.yaml', vie);
    const people = await service.file('ben.yaml', ben);

    expect(await drift(service, hotels)).toEqual(['changed property VIE']);
    // Those at Vienna alone are not in scope, nor is Karl, who is disabled.
    const found = await drift(service, people);
    const ana = ['unmanaged user ana@aurora.example'];
    expect(found.filter((each) => /property|ana@|ben|david|karl|paul/.test(each))).toEqual(ana);
    const all = (await drift(service, hotels, people, '--scope', 'all')).join('; ');
    expect(all).toMatch(/unmanaged property BER; unmanaged property MUC; unmanaged unit BER.101/);
    expect(all).toMatch(/unit_attribute BALCONY.*unit_group MUC.DBL.*user david@.*user karl@/);
    expect(all).not.toMatch(/ben@/);
  });

  test('who works here by a policy is no drift, and without that rule there is nothing to judge by', async () => {
    const service = await aurora();
    const hotels = await service.file('vie.yaml', vie);
    await service.file('staff.csv', 'email\nDAVID@aurora.example\nlea.wagner@aurora.example\n');
    const employees = 'employees: { file: staff.csv, except: [ana@aurora.example, "@elsewhere.example"] }';
    const policy = await service.file('policy.yaml', `version: 1\n${employees}\n`);
    const other = await service.file('other.yaml', 'version: 1\nno_roles: forbid\n');

    const found = await drift(service, hotels, '--policy', policy);
    const greta = ['unmanaged user greta@aurora.example'];
    expect(found.filter((each) => /david|lea|ana@|ben@|greta/.test(each))).toEqual(greta);
    const { stderr } = await service.innctl(['drift', hotels, '--policy', other]);
    expect(stderr).toBe(`error: --policy needs the rule employees, which ${other} does not have.\n`);
  });

  test('whom an entry is about is not unmanaged, whatever the entry is', async () => {
    const service = await aurora();
    const { stdout } = await service.innctl('users list --email david@aurora.example -q');
    const people = await service.file(
      'people.yaml',
      `properties: [{ code: vie }]
units: [{ property: VIE, name: "101", group: XXX }]
users: [{ subject_id: ${stdout.trim()}, enabled: true }, { email: Lea.Wagner@aurora.example, properties: [VIE] }]
invitations:
  - { email: GRETA@aurora.example, role: Auditor, properties: [VIE] }
  - { email: paul.steiner@aurora.example, role: PropertyAdmin }
`,
    );
    const found = await drift(service, people, '--scope', 'all');
    const named = found.filter((each) => /vie$|VIE$|VIE.101|david|lea|greta|paul/i.test(each));

    expect(named.join('; ')).toBe(
      'changed invitation paul.steiner@aurora.example; changed property vie; changed unit VIE/101; missing user Lea.Wagner@aurora.example',
    );
  });

  test.each(['/api/v1/users', '/inventory/v1/units', '/inventory/v1/properties'])(
    'a list that is not whole ends it, and there is no word of drift: %s',
    async (path) => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      const service = await aurora();
      const all = await exported(service);
      const body = JSON.stringify({ [name]: [], count: 9 });
      const instead = (asked: string) => (asked === path ? { status: 200, body } : undefined);

      for (const files of [[all], [await service.file('vie.yaml', vie), '--scope', 'all']]) {
        const { stderr, ...others } = await service.innctl(['drift', ...files], { instead });
        expect(others).toEqual({ exitCode: 1, stdout: '' });
        expect(stderr).toMatch(
          new RegExp(`^error: Could not .*: the service counts 9 ${name} and listed 0.\\n$`),
        );
      }
    },
  );
});

describe('what is printed', () => {
  const ignored = (name: string) =>
    `- { kind: user, name: ${name}@aurora.example, until: 2026-11-30, reason: agency }\n`;

  async function opened() {
    const service = await aurora();
    const people =
      'kind,email,properties,enabled\nuser,david@aurora.example,VIE,false\nuser,x@x.example,VIE,\n';
    const files = [await service.file('vie.yaml', vie), await service.file('people.csv', people)];
    const accepted = ['greta', 'julia', 'hanna', 'ana'].map(ignored);
    const ignore = await service.file('ignored.yaml', accepted.join(''));
    const print = async (situation: Parameters<Seeding['innctl']>[1], ...words: readonly string[]) => {
      const given = { now: NOON, env: { NO_COLOR: '1' }, ...situation };
      const { stdout, stderr, exitCode } = await service.innctl(['drift', ...files, ...words], given);
      const short = (text: string) => text.replaceAll(`${service.folder}/`, '');
      return { exitCode, stdout: short(stdout), stderr: short(stderr) };
    };
    return { print, ignore, file: service.file };
  }

  test('at a terminal, in Markdown and as JSON', async () => {
    const { print, ignore } = await opened();
    const sentence = '6 records differ, 0 are as the files say. Ignored: 4.\n';
    const none = 'is in the file and not at the service: there is no such user: invite the person first';

    expect(await print({ columns: 200 }, '--ignore', ignore)).toEqual({
      exitCode: 0,
      stdout: `  ~ property VIE: tax_id: "ATU68012345" -> "ATU1" (vie.yaml: line 1)
  ~ user david@aurora.example: enabled: true -> false (people.csv: row 2)
  - user x@x.example: ${none} (people.csv: row 3)
  + invitation lea.wagner@aurora.example: is invited to MUC, VIE, in no file
  + invitation nora.fuchs@aurora.example: is invited to every property, in no file
  + invitation paul.steiner@aurora.example: was invited to VIE, in no file
`,
      stderr: sentence,
    });
    const { stdout: md, ...others } = await print({}, '--ignore', ignore, '-o', 'md');
    expect(others).toEqual({ exitCode: 0, stderr: '' });
    expect(md).toMatch(
      /^\| Change \| Kind \| Name \| What \| Place \|\n\| --- .*\n\| changed \| property \| VIE \| tax\\_id: /,
    );
    expect(md.endsWith(`| was invited to VIE, in no file | - |\n\n${sentence}`)).toBe(true);
    const { exitCode, stdout } = await print({}, '--ignore', ignore, '--json', '--exit-code');
    const { items, ...about } = JSON.parse(stdout);
    const drifted = { made: '2026-11-30T12:00:00.000Z', scope: 'files', complete: true, same: 0, ignored: 4 };
    expect([exitCode, about]).toEqual([10, { drift: drifted, count: 6 }]);
    const place = { file: 'vie.yaml', line: 1, place: 'vie.yaml: line 1' };
    const fields = [{ field: 'tax_id', from: 'ATU68012345', to: 'ATU1' }];
    const what = ['tax_id: "ATU68012345" -> "ATU1"'];
    expect(items[0]).toEqual({ kind: 'property', name: 'VIE', change: 'changed', fields, what, ...place });
    expect(items[3]).toMatchObject({ file: null, line: null, reason: 'is invited to MUC, VIE' });
  });

  test('leaves out what is ignored until its day, and says which lines of that file mean nothing', async () => {
    const { print, ignore, file } = await opened();
    const late = await print({ now: NOON + 86_400_000 }, '--ignore', ignore, '-q');
    const unknown = await print({ stdin: ignored('zoe') }, '--ignore', '-');
    const bad = await file('bad.yaml', '- { kind: guest, name: x, until: 31.12.2026, why: no }\n');

    expect(late.stdout).toContain('greta@');
    expect(late.stderr).toMatch(/^warning: ignored.yaml: line 4: user ana@.* ran out on 2026-11-30/m);
    expect(unknown.stderr).toMatch(
      /^warning: stdin: line 1: user zoe@.* matches no difference: remove it\.$/m,
    );
    expect((await print({}, '--ignore', bad)).stderr).toBe(`error: 4 values are not valid:
  bad.yaml: line 1: kind: must be one of property, invitation, user, unit_attribute, unit_group, unit
  bad.yaml: line 1: until: "31.12.2026" is not a day: write 2026-12-31
  bad.yaml: line 1: reason: is missing
  bad.yaml: line 1: why: is not part of it; there is kind, name, until, reason
`);
    expect((await print({}, '--ignore', '-', '-')).stderr).toMatch(/^error: Only one file can/);
  });
});
