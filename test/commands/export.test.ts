import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { cli, hotels, hotelsOfAurora, type Result, type Situation } from '../helpers/cli.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';
import { hotelEntry, seedingIn } from '../helpers/seeding.ts';

const IDENTITY = 'https://identity.example.com';
const API = 'https://api.example.com';
const PROPERTIES = '/inventory/v1/properties';

onlyIntercepted();

const innctl = (line: string, situation: Situation = {}): Promise<Result> =>
  cli(line, { ...situation, env: { ...hotels, ...situation.env } });

/** A property in the format of the service. */
const hotel = (code: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id: code,
  code,
  name: { en: 'Grand Hotel' },
  companyName: 'Innkeepers',
  commercialRegisterEntry: 'HRB 1',
  taxId: 'DE1',
  location: { addressLine1: 'Mohrenstr. 1', postalCode: '10117', city: 'Berlin', countryCode: 'DE' },
  timeZone: 'Europe/Berlin',
  currencyCode: 'EUR',
  created: '2026-10-11T09:00:00Z',
  status: 'Test',
  ...more,
});

/** The same property in a manifest. */
const exported = (code: string, more: Readonly<Record<string, unknown>> = {}) => ({
  code,
  name: { en: 'Grand Hotel' },
  company_name: 'Innkeepers',
  commercial_register_entry: 'HRB 1',
  tax_id: 'DE1',
  location: { address_line1: 'Mohrenstr. 1', postal_code: '10117', city: 'Berlin', country_code: 'DE' },
  time_zone: 'Europe/Berlin',
  currency_code: 'EUR',
  ...more,
});

function serveProperties(...records: readonly Readonly<Record<string, unknown>>[]): void {
  const items = records.map(({ id }) => ({ id, name: 'Grand Hotel' }));
  nock(API).get(PROPERTIES).query(true).reply(200, { count: items.length, items });
  for (const each of records) nock(API).get(`${PROPERTIES}/${each['id']}`).reply(200, each);
}

function serveInvitations(...invitations: readonly unknown[]): void {
  nock(IDENTITY).get('/api/v1/invitations').reply(200, { invitations });
}

function serveUsers(...users: readonly unknown[]): void {
  nock(IDENTITY).get('/api/v1/users').query(true).reply(200, { users, count: users.length });
}

describe('properties', () => {
  test('are exported with the fields of the contract in its order, then other writable fields', async () => {
    const more = {
      isArchived: false,
      description: { en: 'Near', de: '' },
      managingDirectors: null,
      bankAccount: { iban: 'DE02', bic: null },
      location: { ...hotel('BER').location, addressLine2: '2nd floor', regionCode: '' },
      actions: [],
      stars: 4,
    };
    serveProperties(hotel('BER', { ...more, name: { en: 'Grand Hotel', de: 'Grandhotel' } }));

    const result = await innctl('export --kind property');

    expect(result).toEqual({
      exitCode: 0,
      stderr: 'Exported 1 property.\n',
      stdout: `properties:
  - code: BER
    name:
      de: Grandhotel
      en: Grand Hotel
    company_name: Innkeepers
    commercial_register_entry: HRB 1
    tax_id: DE1
    location:
      address_line1: Mohrenstr. 1
      postal_code: "10117"
      city: Berlin
      country_code: DE
    time_zone: Europe/Berlin
    currency_code: EUR
    extra:
      bank_account:
        iban: DE02
      description:
        en: Near
      location:
        address_line2: 2nd floor
`,
    });
  });

  test('without a code or that cannot be read are left out, each with a warning', async () => {
    const { code: _code, ...nameless } = hotel('VIE');
    const items = [
      { id: 'VIE', name: 'x' },
      { id: 'GONE', name: 'x' },
      { id: 'ODD', name: 'x' },
      { id: 'BER', name: 'x' },
      { id: 'a/b', name: 'x' },
    ];
    nock(API).get(PROPERTIES).query(true).reply(200, { count: 5, items });
    nock(API).get(`${PROPERTIES}/VIE`).reply(200, nameless);
    nock(API).get(`${PROPERTIES}/GONE`).reply(404);
    nock(API).get(`${PROPERTIES}/ODD`).times(5).reply(200, hotel('MUC'));
    nock(API).get(`${PROPERTIES}/BER`).reply(200, hotel('BER'));

    const { exitCode, stdout, stderr } = await innctl('export --kind property --json');

    const { error } = JSON.parse(stderr);
    expect({ exitCode, stdout: JSON.parse(stdout), code: error.code, message: error.message }).toEqual({
      exitCode: 9,
      stdout: {
        properties: [exported('BER')],
        left_out: ['Property "VIE"', 'Property "GONE"', 'Property "ODD"', 'Property "a/b"'],
      },
      code: 'partly_done',
      message: 'The export is incomplete: 4 records left out; see the warnings.',
    });
    expect(error.warnings).toEqual([
      'Property "VIE" is left out: it has no code.',
      expect.stringMatching(/^Property "GONE" is left out: Could not get the property: .*404/),
      expect.stringMatching(/^Property "ODD" is left out: .*about "ODD": it shows "MUC" \(200 from /),
      expect.stringMatching(/^Property "a\/b" is left out: /),
    ]);
  });

  test('with the same code are exported once', async () => {
    serveProperties(hotel('BER'), hotel('ber', { id: 'B2', taxId: 'DE2' }));

    const { exitCode, stderr } = await innctl('export --kind property -o ndjson');

    expect(exitCode).toBe(9);
    expect(JSON.parse(stderr).error.warnings).toEqual([
      'Property "ber" is left out: the service has BER as well.',
    ]);
  });

  test('with values that a manifest rejects are exported, and a warning names the fields', async () => {
    serveProperties(
      hotel('BER', { taxId: null, name: 'Grand Hotel', currencyCode: 'XXX1', timeZone: 'Mars' }),
    );

    const { exitCode, stdout, stderr } = await innctl('export --kind property');

    expect({ exitCode, hasName: stdout.includes('name: Grand Hotel\n') }).toEqual({
      exitCode: 0,
      hasName: true,
    });
    expect(stderr).toMatch(/^warning: Property "BER" is exported, but apply would reject it: /);
    for (const field of ['name: must hold', 'tax_id: ', 'currency_code: ', 'time_zone: ']) {
      expect(stderr).toContain(field);
    }
  });

  test('that are counted but not listed are reported', async () => {
    nock(API)
      .get(PROPERTIES)
      .query({ page_size: 100, page_number: 1 })
      .reply(200, { count: 3, items: [{ id: 'BER', name: 'x' }] });
    nock(API).get(PROPERTIES).query({ page_size: 100, page_number: 2 }).reply(200, { count: 3, items: [] });
    nock(API).get(`${PROPERTIES}/BER`).reply(200, hotel('BER'));

    const { exitCode, stderr } = await innctl('export --kind property');

    expect({ exitCode, stderr }).toEqual({
      exitCode: 9,
      stderr:
        'warning: Could not read all properties: the service counts 3 properties and listed 1.\n' +
        'Exported 1 property.\n' +
        'error: The export is incomplete: records may be missing; see the warnings.\n',
    });
  });

  test('given by --property are read without a list, and an unknown one ends the export', async () => {
    nock(API).get(`${PROPERTIES}/BER`).reply(200, hotel('BER'));
    nock(API).get(`${PROPERTIES}/BRE`).reply(404);
    nock(API)
      .get(PROPERTIES)
      .query(true)
      .reply(200, { count: 1, items: [{ id: 'BER', name: 'x' }] });

    const { exitCode, stdout, stderr } = await innctl('export --kind property --property BER --property BRE');

    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toContain('hint: Did you mean BER?\n');
  });

  test.each([
    ['is readable (403)', 403, 1, 5],
    ['is readable (500)', 500, 5, 1],
  ])(
    'of which none %s end the export with the first error, and nothing is printed',
    async (_, status, tries, code) => {
      nock(API)
        .get(PROPERTIES)
        .query(true)
        .reply(200, { count: 1, items: [{ id: 'BER', name: 'x' }] });
      nock(API).get(`${PROPERTIES}/BER`).times(tries).reply(status);

      const { exitCode, stdout } = await innctl('export --kind property');

      expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
    },
  );

  test.each(['yaml', 'json', 'ndjson'])(
    'left out of an export as %s are named in it, and --prune refuses the file',
    async (format) => {
      const items = [
        { id: 'BER', name: 'x' },
        { id: 'VIE', name: 'x' },
      ];
      nock(API).get(PROPERTIES).query(true).times(3).reply(200, { count: 2, items });
      nock(API).get(`${PROPERTIES}/BER`).reply(403);
      nock(API).get(`${PROPERTIES}/VIE`).reply(200, hotel('VIE'));
      const { stdout: stdin } = await innctl(`export --kind property -o ${format}`);

      for (const command of ['plan', 'apply --yes --max-deletes 9']) {
        const { exitCode, stdout, stderr } = await innctl(`${command} --prune -`, { stdin });

        expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
        expect(stderr).toMatch(
          /stdin: line \d+: left_out: names what this export lacks, and --prune could delete it/,
        );
      }
      nock(API)
        .get(PROPERTIES)
        .query(true)
        .reply(200, { count: 1, items: [hotel('VIE')] });
      expect(await innctl('plan -', { stdin, env: hotelsOfAurora })).toMatchObject({ exitCode: 0 });
    },
  );

  test('a token rejected midway ends the export', async () => {
    const items = [
      { id: 'BER', name: 'x' },
      { id: 'VIE', name: 'x' },
    ];
    nock(API).get(PROPERTIES).query(true).reply(200, { count: 2, items });
    nock(API).get(`${PROPERTIES}/BER`).reply(200, hotel('BER'));
    nock(API).get(`${PROPERTIES}/VIE`).reply(401);

    expect(await innctl('export --kind property')).toMatchObject({ exitCode: 4, stdout: '' });
  });

  test('ten unavailable records in a row end the export', async () => {
    const items = Array.from({ length: 30 }, (_, number) => ({ id: `H${number}`, name: 'H' }));
    nock(API).get(PROPERTIES).query(true).reply(200, { count: 30, items });
    let requests = 0;
    nock(API)
      .persist()
      .get(/properties\/H\d+$/)
      .reply(() => {
        requests += 1;
        return requests === 1 ? [200, hotel('H0')] : [503];
      });

    const { exitCode, stdout } = await innctl('export --kind property --max-attempts 1');

    nock.cleanAll();
    expect({ exitCode, stdout, isEarly: requests < 20 }).toEqual({ exitCode: 7, stdout: '', isEarly: true });
  });
});

describe('units of which lists say enough cost no request of their own', () => {
  /** @param texts of a group; 201 to 220 have them unless they are given, and 301 its own. */
  async function exportedWith(texts: string, own: string, given = '') {
    const service = await seedingIn('apaleo', Date.now);
    const hotel = `properties:
${hotelEntry('HAM')}    payment_terms: { en: Now }
    unit_groups: [{ code: DBL, name: ${texts}, description: ${texts}, max_persons: 2 }]
    units: [{ names: 201..220, group: DBL${given} }, { name: "301", group: DBL, description: ${own} }]
`;
    const reads: string[] = [];
    const onRead = ({ url }: { readonly url: string }) => reads.push(new URL(url).pathname);
    await service.innctl(['apply', await service.file('ham.yaml', hotel), '--yes']);

    const line = 'export --kind property --property HAM --inventory --json';
    const { stdout } = await service.innctl(line, { onRead });

    return {
      units: JSON.parse(stdout).properties[0].units,
      alone: reads.filter((path) => path.includes('/units/')).length,
      requests: reads.length,
    };
  }

  test('where a property has one language, none', async () => {
    expect(await exportedWith('{ en: Double }', '{ en: Sea view }')).toEqual({
      units: [
        { names: '201..220', group: 'DBL' },
        { name: '301', description: { en: 'Sea view' }, group: 'DBL' },
      ],
      alone: 0,
      requests: 5,
    });
  });

  test('where it has several, each is read alone: a list shows one of them', async () => {
    const given = ', description: { en: Double, de: Anders }';
    const texts = '{ en: Double, de: Doppel }';
    expect(await exportedWith(texts, '{ en: Sea view, de: Meerblick }', given)).toMatchObject({
      units: [{ names: '201..220', description: { de: 'Anders', en: 'Double' } }, { name: '301' }],
      alone: 21,
    });
  });
});

describe('people', () => {
  test('are sorted by e-mail address, with their properties', async () => {
    serveInvitations(
      {
        email: 'zoe@example.com',
        role: 'Auditor',
        properties: ['VIE', 'BER'],
        isAccountAdmin: false,
        created: 'x',
      },
      { email: 'ana@example.com', roles: ['AccountAdmin'], properties: [], isAccountAdmin: true },
    );
    serveUsers(
      {
        subjectId: 'u-2',
        email: 'max@example.com',
        enabled: true,
        properties: [{ id: 'MUC', roles: ['Auditor'] }],
      },
      { subjectId: 'u-1', email: 'ben@example.com', enabled: false, properties: [], firstName: 'Ben' },
      { subjectId: 'u-3', email: 'cat@example.com', enabled: true },
    );

    const { stdout, stderr } = await innctl('export --kind invitation,user --json');

    expect({ stderr, stdout: JSON.parse(stdout) }).toEqual({
      stderr: '',
      stdout: {
        invitations: [
          { email: 'ana@example.com', role: 'AccountAdmin', is_account_admin: true },
          { email: 'zoe@example.com', role: 'Auditor', properties: ['BER', 'VIE'] },
        ],
        users: [
          { email: 'ben@example.com', properties: [], enabled: false },
          { email: 'cat@example.com', properties: [], enabled: true },
          {
            email: 'max@example.com',
            properties: ['MUC'],
            property_roles: [{ id: 'MUC', roles: ['Auditor'] }],
            enabled: true,
          },
        ],
      },
    });
  });

  test('whose e-mail address is shared, missing, invalid or invited are identified by subject id', async () => {
    serveInvitations({ email: 'Dan@example.com', role: 'Auditor', properties: ['BER'] });
    serveUsers(
      { subjectId: 'u-1', email: 'ben@example.com', enabled: true },
      { subjectId: 'u-2', email: 'BEN@example.com', enabled: true },
      { subjectId: 'u-3', enabled: true },
      { subjectId: 'u-4', email: 'nobody', enabled: true },
      { subjectId: 'u-5', email: 'dan@example.com', enabled: true },
      { subjectId: 'u-6', email: 'eve@example.com', enabled: true },
    );

    const { stdout } = await innctl('export --kind invitation --kind user -o csv');

    expect(stdout).toBe(
      'kind,email,subject_id,enabled,role,properties\n' +
        'invitation,Dan@example.com,,,Auditor,BER\n' +
        'user,eve@example.com,,true,,[]\n' +
        ['u-1', 'u-2', 'u-3', 'u-4', 'u-5'].map((id) => `user,,${id},true,,[]\n`).join(''),
    );
  });

  test('without an identifier are left out', async () => {
    serveInvitations();
    serveUsers({ subjectId: '../x', enabled: true });

    const { exitCode, stdout, stderr } = await innctl('export --kind invitation --kind user');

    expect({ exitCode, stdout }).toEqual({
      exitCode: 9,
      stdout: expect.stringMatching(/^invitations: \[\]\nusers: \[\]\nleft_out:\n/),
    });
    expect(stderr.split('\n')).toEqual([
      'warning: User "../x" is left out: neither its e-mail address nor its subject id can be used in a manifest.',
      'Exported nothing.',
      'error: The export is incomplete: 1 record left out; see the warnings.',
      '',
    ]);
  });

  test('an invitation with several roles is exported with a warning where apply takes one', async () => {
    serveInvitations({ email: 'ana@example.com', roles: ['Auditor', 'Housekeeping'], properties: ['BER'] });

    const { exitCode, stdout, stderr } = await innctl('export --kind invitation -o ndjson');

    expect({ exitCode, roles: JSON.parse(stdout).roles, stderr }).toEqual({
      exitCode: 0,
      roles: ['Auditor', 'Housekeeping'],
      stderr: expect.stringContaining(
        'Invitation "ana@example.com" is exported, but apply would reject it: roles',
      ),
    });
  });

  test('are exported as invitations for another account, but for those an invitation cannot say', async () => {
    const user = (email?: string, more = {}) => ({ subjectId: `u-${email}`, email, enabled: true, ...more });
    const at = (id: string, ...roles: readonly string[]) => ({ id, roles });
    serveProperties(hotel('H-1', { code: 'BER' }));
    serveInvitations({ email: 'dan@example.com', role: 'Auditor', properties: ['H-1'] });
    serveUsers(
      user('eva@example.com', { properties: [at('H-1', 'Auditor'), at('VIE', 'Auditor')] }),
      user('ana@example.com', { isAccountAdmin: true, properties: [at('H-1', 'A'), at('VIE', 'B')] }),
      user('ben@example.com', { properties: [at('H-1', 'Auditor'), at('VIE')] }),
      user('cat@example.com', { properties: [at('H-1', 'Auditor', 'Housekeeping')] }),
      user('fay@example.com', { enabled: false }),
      user(),
    );

    const { exitCode, stdout, stderr } = await innctl('export --people-as invitations -o csv');

    expect(exitCode).toBe(9);
    expect(stdout.split('\n').slice(2)).toEqual([
      expect.stringMatching(/^invitation,,.*ana@example.com,.*,true$/),
      expect.stringMatching(/^invitation,.*dan@example.com,Auditor,BER,$/),
      expect.stringMatching(/^invitation,.*eva@example.com,Auditor,"BER,VIE",$/),
      '',
    ]);
    expect(stderr).toBe(
      'warning: User "ben@example.com" is left out: an invitation has the same roles at all properties, not Auditor at H-1; no role at VIE.\n' +
        'warning: User "cat@example.com" is left out: an invitation has one role in the dialect contract, not Auditor and Housekeeping.\n' +
        'warning: User "u-undefined" is left out: it has no e-mail address to invite.\n' +
        'Exported 1 property and 3 invitations; left out 1 disabled user.\n' +
        'error: The export is incomplete: 3 records left out; see the warnings.\n',
    );
  });

  test('are filtered by --property, each exported once', async () => {
    const ana = { email: 'ana@example.com', role: 'Auditor', properties: ['BER', 'VIE'] };
    const zoe = { email: 'zoe@example.com', role: 'Auditor', properties: ['VIE'] };
    const list = (id: string, ...invitations: readonly unknown[]) =>
      nock(IDENTITY).get('/api/v1/invitations').query({ property_id: id }).reply(200, { invitations });
    list('BER', ana);
    list('VIE', zoe, ana);
    nock(IDENTITY)
      .get(/^\/api\/v1\/users\?property_ids=BER&property_ids=VIE&/)
      .reply(200, { users: [{ subjectId: 'u-1', email: 'ben@example.com', enabled: true }], count: 1 });

    const { stdout, stderr } = await innctl('export --kind invitation,user --property BER,VIE -o ndjson');

    expect(stderr).toBe('');
    expect(stdout.match(/[\w.]+@example\.com/g)).toEqual([
      'ana@example.com',
      'zoe@example.com',
      'ben@example.com',
    ]);
  });
});

describe('the format', () => {
  const ben = { subjectId: 'u-1', email: 'ben@example.com', enabled: true };
  const asYaml = 'users:\n  - email: ben@example.com\n    enabled: true\n    properties: []\n';

  test.each([{}, { INNCTL_OUTPUT: 'table' }, { INNCTL_OUTPUT: 'tsv' }, { INNCTL_OUTPUT: 'yaml' }])(
    'is YAML with %j',
    async (env) => {
      serveUsers(ben);

      expect((await innctl('export --kind user', { env, columns: 80 })).stdout).toBe(asYaml);
    },
  );

  test.each(['table', 'tsv'])('%s is rejected', async (format) => {
    expect(await innctl(`export -o ${format}`)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        `error: --output "${format}" cannot hold a manifest: use yaml, json, ndjson or csv.\n` +
        'hint: innctl export --output yaml\n',
    });
  });
});

test('csv omits values that a cell cannot hold, with a warning', async () => {
  serveProperties(hotel('BER', { managingDirectors: ['Ana', 'Ben'], description: { en: 'Near' } }));

  const { exitCode, stdout, stderr } = await innctl('export --kind property -o csv');

  const extra = stdout.match(/extra[.\w]+/g);
  expect({ exitCode, extra, stderr }).toEqual({
    exitCode: 0,
    extra: ['extra.description.en'],
    stderr:
      'warning: Omitted because a table cannot hold these fields, --output yaml can: extra.managing_directors ("BER").\nExported 1 property.\n',
  });
});

test.each([
  ['--kind usr', '--kind: "usr" is not one of property, invitation, user; did you mean user?'],
  ['--kind user,', '--kind: has an empty entry'],
  ['--property a/b', '--property: '],
])('%s is rejected before any request', async (flags, message) => {
  const { exitCode, stdout, stderr } = await innctl(`export ${flags}`);

  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(`error: ${message}`);
});

test('--query applies to the manifest, and flags that would omit parts of it are rejected', async () => {
  serveProperties(hotel('BER'));

  expect(await innctl("export --kind property --query 'properties[].code' -r")).toEqual({
    exitCode: 0,
    stdout: 'BER\n',
    stderr: expect.any(String),
  });
  for (const flags of ['--fields code', '-q', '-o csv --no-headers']) {
    const { exitCode, stdout } = await innctl(`export ${flags}`);
    expect({ flags, exitCode, stdout }).toEqual({ flags, exitCode: 2, stdout: '' });
  }
});
