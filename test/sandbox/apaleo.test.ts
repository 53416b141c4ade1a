import { describe, expect, test } from 'vitest';
import { freshFolder, sandbox as open, sandboxOfEach } from './harness.ts';
import { publicHotel as ham, hotel } from './hotel.ts';

const INVITATIONS = '/api/v1/account/invitations';
const PROPERTIES = '/inventory/v1/properties';

const sandbox = (options: Parameters<typeof open>[0] = {}) => open({ dialect: 'apaleo', ...options });
const call = sandboxOfEach({ dialect: 'apaleo' });

describe('one state in two dialects', () => {
  test('a property created in one dialect is readable in the other', async () => {
    const folder = await freshFolder();
    const [contract, apaleo] = [await open({ folder }), await sandbox({ folder })];
    await contract.call('POST', PROPERTIES, { body: hotel('KIE') });
    await apaleo.call('POST', PROPERTIES, { body: ham });

    const [kiel, hamburg] = [
      await apaleo.call('GET', `${PROPERTIES}/KIE`),
      await contract.call('GET', `${PROPERTIES}/HAM`),
    ];

    expect(kiel.body).toMatchObject({ companyName: 'Alsterhotel GmbH', paymentTerms: {}, isArchived: false });
    expect(hamburg.body).toMatchObject({
      company_name: 'Alsterhotel GmbH',
      location: { address_line2: 'Hinterhaus', region_code: 'DE-HH' },
      bank_account: { iban: 'DE02120300000000202051' },
      payment_terms: { en: 'Payment on check-in' },
    });
  });

  test('each dialect serves only its own paths', async () => {
    const [contract, apaleo] = [await open(), await sandbox()];

    expect((await contract.call('GET', INVITATIONS)).status).toBe(404);
    expect((await apaleo.call('GET', '/api/v1/invitations')).status).toBe(404);
    expect((await apaleo.call('GET', '/api/v1/identity/users/me')).status).toBe(404);
  });
});

describe('lists', () => {
  test('some users of the chain are disabled', async () => {
    const { call } = await sandbox({ seed: 'chain' });

    const { body } = await call('GET', '/api/v1/users');

    expect(Object(body).users.filter(({ enabled = true }) => !enabled)).toHaveLength(31);
  });

  test('users are not paginated unless a page size is given', async () => {
    const { call } = await sandbox({ seed: 'chain' });

    expect(await emails(call, '/api/v1/users')).toHaveLength(721);
    expect(await emails(call, '/api/v1/users?pageSize=0&pageNumber=3')).toHaveLength(721);
    expect(await emails(call, '/api/v1/users?pageSize=500')).toHaveLength(100);
    expect(await emails(call, '/api/v1/users?pageSize=10&pageNumber=-1')).toHaveLength(10);
  });

  test.each([
    ['/api/v1/users?sort=shoe:asc', /^sort "shoe:asc" is not one of firstname:asc, firstname:desc, /],
    [
      '/api/v1/users?propertyIds=BER,VIE',
      /^propertyIds is repeated for several values, not joined with commas\.$/,
    ],
    [`${INVITATIONS}?propertyId=BER&propertyId=VIE`, /^propertyId is given twice\.$/],
    [`${PROPERTIES}?country_code=AT`, /^country_code is not a known parameter\.$/],
    [
      `${PROPERTIES}?countryCode=AT&countryCode=DE`,
      /^countryCode takes several values joined with commas, and is not repeated\.$/,
    ],
    [`${PROPERTIES}/$count?status=Live`, /^status is not a known parameter\.$/],
    ['/inventory/v1/units?condition=clean', /^condition "clean" is not one of Clean, /],
  ])('refuse %s', async (path, message) => {
    const response = await call('GET', path);

    expect([response.status, response.body]).toEqual([422, { messages: [expect.stringMatching(message)] }]);
  });
});

describe('properties', () => {
  test('are created and shown with camelCase names', async () => {
    const { status, body: made, headers } = await call('POST', PROPERTIES, { body: ham });

    expect([status, made]).toEqual([201, { id: 'HAM' }]);
    expect(headers.get('location')).toBe(`${PROPERTIES}/HAM`);
    expect(headers.get('apaleo-tracking-id')).toMatch(/^[\da-f-]{36}$/);
    const { defaultCheckInTime: _in, defaultCheckOutTime: _out, ...shown } = ham;
    expect(await body(call, `${PROPERTIES}/HAM`)).toMatchObject({ ...shown, status: 'Test' });
  });

  test('are created with null for what is optional, as without it', async () => {
    const location = { ...ham.location, addressLine2: null, regionCode: null };
    const nulls = { location, description: null, bankAccount: { iban: 'DE02', bic: null } };

    const { status, body: made } = await call('POST', PROPERTIES, { body: { ...ham, ...nulls } });

    expect([status, made]).toEqual([201, { id: 'HAM' }]);
    const shown = await body(call, `${PROPERTIES}/HAM`);
    const { addressLine2: _line, regionCode: _code, ...known } = location;
    expect(shown).toMatchObject({ location: known, bankAccount: { iban: 'DE02' } });
    expect(shown).not.toHaveProperty('description');
    expect(JSON.stringify(shown)).not.toContain('null');
  });

  test.each([
    [{ paymentTerms: undefined }, 'paymentTerms is missing.'],
    [{ code: 'HAM-1' }, 'code must have 3 to 10 of the characters A-Z a-z 0-9 _.'],
    [{ company_name: 'Alster' }, 'company_name is not a known field.'],
    [{ location: { ...ham.location, region_code: 'DE-HH' } }, 'location.region_code is not a known field.'],
    [{ stars: 5 }, 'stars is not a known field.'],
    [{ bankAccount: null }, 'bankAccount must be an object.'],
  ])('are rejected with %j', async (change, message) => {
    const { status, body: response } = await call('POST', PROPERTIES, { body: { ...ham, ...change } });

    expect([status, response]).toEqual([422, { messages: [message] }]);
    expect(await codes(call, PROPERTIES)).toHaveLength(3);
  });

  test('show actions and no unit groups', async () => {
    const shown = await body(call, `${PROPERTIES}/BER?expand=actions,unitGroups`);

    expect(shown).not.toHaveProperty('unit_groups');
    expect(shown).toMatchObject({
      actions: expect.arrayContaining([
        {
          action: 'Delete',
          isAllowed: false,
          reasons: [expect.objectContaining({ code: 'DeleteNotAllowedForPropertyNotInStatusTest' })],
        },
      ]),
    });
  });

  test.each([
    ['replace', '/name/de', 'Hotel'],
    ['add', '/name/fr', 'Hôtel'],
    ['replace', '/location', { addressLine1: 'a', postalCode: '1', city: 'b', countryCode: 'DE' }],
    ['replace', '/location/regionCode', 'DE-BE'],
    ['add', '/bankAccount', { iban: 'x', bic: 'y' }],
    ['remove', '/description', undefined],
    ['replace', '/isTemplate', true],
  ])('accept %s at %s', async (op, path, value) => {
    const done = await call('PATCH', `${PROPERTIES}/BER`, { body: [{ op, path, value }] });

    expect(done.status).toBe(204);
    const shown = await body(call, `${PROPERTIES}/BER`);
    const at = path.split('/').slice(1);
    expect(at.reduce<unknown>((seen, name) => Object(seen)[name], shown)).toEqual(value);
  });

  const inVienna = { addressLine1: 'a', postalCode: '1', city: 'Wien', countryCode: 'AT' };

  test.each<[string, string, string, unknown?]>([
    ['replace', '/defaultCheckInTime', '/defaultCheckInTime cannot be changed.'],
    ['replace', '/code', '/code cannot be changed.'],
    ['remove', '/companyName', '/companyName cannot be changed with remove.'],
    ['add', '/location/regionCode', '/location/regionCode cannot be changed with add.'],
    ['replace', '/isTemplate', 'isTemplate must be true or false.'],
    ['replace', '/location/countryCode', '/location/countryCode is fixed after creation.'],
    ['add', '', '0.path must be a path that begins with / (RFC 6901).'],
    ['replace', '/location', '/location/countryCode is fixed after creation.', inVienna],
  ])('reject %s at %s', async (op, path, message, value = 'x') => {
    const before = await body(call, `${PROPERTIES}/BER`);

    const response = await call('PATCH', `${PROPERTIES}/BER`, { body: [{ op, path, value }] });

    expect([response.status, response.body]).toEqual([422, { messages: [message] }]);
    expect(await body(call, `${PROPERTIES}/BER`)).toEqual(before);
  });
});

describe('invitations and users', () => {
  test('an invitation has several roles; role shows the older name of the first', async () => {
    const invited = { email: 'z@example.com', roles: ['FrontDesk', 'Auditor'], properties: ['BER'] };

    expect(await call('POST', INVITATIONS, { body: invited })).toMatchObject({
      status: 200,
      body: { email: 'z@example.com' },
    });

    const { invitations } = Object(await body(call, INVITATIONS));
    expect(invitations.at(-1)).toMatchObject({ ...invited, role: 'FrontOffice', isAccountAdmin: false });
  });

  test.each([
    [{ role: 'FrontDesk' }, 'role "FrontDesk" is not one of'],
    [{ roles: ['FrontOffice'] }, 'roles.0 "FrontOffice" is not one of'],
  ])('an invitation with %j is rejected', async (change, message) => {
    const { status, body: response } = await call('POST', INVITATIONS, {
      body: { email: 'z@example.com', ...change },
    });

    expect(status).toBe(422);
    expect(Object(response).messages[0]).toContain(message);
  });

  test('users are read and changed with camelCase names; their properties can be replaced, not added', async () => {
    const { users } = Object(await body(call, '/api/v1/users?email=karl@aurora.example'));
    const path = `/api/v1/users/${users[0].subjectId}`;
    const replace = (field: string, value: unknown) => ({ op: 'replace', path: field, value });

    const added = await call('PATCH', path, { body: [{ op: 'add', path: '/properties', value: ['BER'] }] });
    const changed = await call('PATCH', path, {
      body: [
        replace('/properties', ['BER', 'VIE']),
        replace('/firstName', 'Carl'),
        replace('/isAccountAdmin', true),
      ],
    });

    expect([added.status, changed.status]).toEqual([422, 204]);
    const shown = await body(call, path);
    expect(shown).toMatchObject({ firstName: 'Carl', isAccountAdmin: true, properties: ['BER', 'VIE'] });
    expect(shown).not.toHaveProperty('isPasskeysEnabled');
    expect(await body(call, '/api/v1/users/me')).toMatchObject({ email: 'ana@aurora.example' });
  });
});

describe('scopes', () => {
  test('a client that requested some scopes has no others', async () => {
    const { call, url, clientId, clientSecret } = await sandbox();
    const tokenFor = async (scope: string) => {
      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const sent = new URLSearchParams(scope === '' ? form : { ...form, scope });
      const answer = await fetch(`${url}/connect/token`, { method: 'POST', body: sent });
      return Object(await answer.json()).access_token;
    };
    const statuses = async (scope: string) => {
      const headers = { authorization: `Bearer ${await tokenFor(scope)}` };
      return [
        (await call('GET', '/api/v1/users', { headers })).status,
        (await call('DELETE', `${INVITATIONS}/paul.steiner@aurora.example`, { headers })).status,
        (await call('GET', PROPERTIES, { headers })).status,
      ];
    };

    expect(await statuses('identity:account-users.read')).toEqual([200, 403, 200]);
    expect(await statuses('setup.manage')).toEqual([403, 403, 200]);
    expect(await statuses('')).toEqual([200, 204, 200]);
  });
});

type Calling = Awaited<ReturnType<typeof open>>['call'];

async function body(call: Calling, path: string): Promise<unknown> {
  return (await call('GET', path)).body;
}

async function emails(call: Calling, path: string): Promise<readonly string[]> {
  return Object(await body(call, path)).users.map(({ email }: { readonly email: string }) => email);
}

async function codes(call: Calling, path: string): Promise<readonly string[]> {
  return Object(await body(call, path)).properties.map(({ code }: { readonly code: string }) => code);
}
