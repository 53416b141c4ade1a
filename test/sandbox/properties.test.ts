import { describe, expect, test } from 'vitest';
import { refusedValues, sandboxOfEach } from './harness.ts';
import { hotel } from './hotel.ts';

const path = '/inventory/v1/properties';
const call = sandboxOfEach();

describe('create property', () => {
  test('answers 201 with the id, which is the code in capitals, and a Location', async () => {
    const created = await call('POST', path, { body: hotel('ham_1') });

    expect([created.status, created.body, created.headers.get('location')]).toEqual([
      201,
      { id: 'HAM_1' },
      `${path}/HAM_1`,
    ]);
  });

  test('stores the fields in status Test; check-in and check-out times are not returned', async () => {
    const body = hotel('HAM', { payment_terms: { en: 'On arrival' }, bank_account: { bic: 'BYLADEM1001' } });
    await call('POST', path, { body });

    const { default_check_in_time: _in, default_check_out_time: _out, ...shown } = body;
    expect((await call('GET', `${path}/HAM`)).body).toEqual({
      id: 'HAM',
      ...shown,
      created: '2026-04-21T12:00:00.000Z',
      status: 'Test',
      is_archived: false,
      is_template: false,
    });
  });

  test('reports every missing field at once', async () => {
    const refused = await call('POST', path, { body: {} });

    const fields =
      'code name company_name commercial_register_entry tax_id location time_zone currency_code default_check_in_time default_check_out_time';
    expect(refused.status).toBe(422);
    expect(refused.body).toEqual(
      refusedValues(...fields.split(' ').map((field) => [field, 'is missing'] as const)),
    );
  });

  const location = hotel('HAM').location;
  const unknown = 'is not a known field';
  const codeRule = 'must have 1 to 50 letters, digits or the characters _ . -';
  const timeRule = 'must be a time of day from 00:00:00 to 23:59:59';
  test.each([
    ['an unknown field', { stars: 5 }, 'stars', unknown],
    ['a code with a slash', { code: 'HAM/1' }, 'code', codeRule],
    ['a code that is a number', { code: 123 }, 'code', 'must be a text'],
    ['a name without a language', { name: {} }, 'name', 'must have a text in at least one language'],
    ['a name that is a text', { name: 'Alster' }, 'name', 'must be an object of texts by language code'],
    [
      'a name with an invalid language',
      { name: { 'not a language': 'x' } },
      'name.not a language',
      'is not a language code',
    ],
    ['an empty company name', { company_name: ' ' }, 'company_name', 'must not be empty'],
    [
      'an unassigned country',
      { location: { ...location, country_code: 'UK' } },
      'location.country_code',
      'must be a supported country code of two letters',
    ],
    ['an unknown time zone', { time_zone: 'Europe/Hamburg' }, 'time_zone', 'must be an IANA time zone'],
    [
      'a currency in lower case',
      { currency_code: 'eur' },
      'currency_code',
      'must be a currency code of three capital letters',
    ],
    ['a time without seconds', { default_check_in_time: '15:00' }, 'default_check_in_time', timeRule],
  ])('rejects %s', async (_, changes, field, reason) => {
    const refused = await call('POST', path, { body: hotel('HAM', changes) });

    expect(refused.status).toBe(422);
    expect(refused.body).toEqual(refusedValues([field, reason]));
    expect((await call('GET', `${path}/$count`)).body).toBe(3);
  });

  test('rejects a code that is taken, ignoring case', async () => {
    const refused = await call('POST', path, { body: hotel('ber') });

    expect(refused.status).toBe(409);
    expect(refused.body).toEqual({
      error: {
        code: 'already_exists',
        message: 'There is a property with the code BER already.',
        details: [{ field: 'code', reason: 'is taken' }],
      },
    });
  });
});

describe('list properties', () => {
  test('shows what a single read shows, but the name in English, and the total', async () => {
    const vienna = (await call('GET', `${path}/VIE`)).body as object;

    expect((await call('GET', `${path}?country_code=AT`)).body).toEqual({
      count: 1,
      items: [{ ...vienna, name: 'Ring Hotel Vienna' }],
    });
  });

  test.each([
    ['the first page', 'page_size=2', ['BER', 'MUC'], 3],
    ['the second page', 'page_size=2&page_number=2', ['VIE'], 3],
    ['at most the maximal page size', 'page_size=501', ['BER', 'MUC', 'VIE'], 3],
    ['one status', 'status=Live', ['BER'], 1],
    ['several countries', 'country_code=AT,DE', ['BER', 'MUC', 'VIE'], 3],
  ])('returns %s', async (_, query, ids, count) => {
    const { status, body } = await call('GET', `${path}?${query}`);

    expect(status).toBe(200);
    expect(body).toEqual({ count, items: ids.map((id) => expect.objectContaining({ id })) });
  });

  test.each(['page_size=0', 'page_number=1.5'])('rejects %s', async (query) => {
    const [name = '', value] = query.split('=');

    const refused = await call('GET', `${path}?${query}`);

    expect(refused.status).toBe(422);
    expect(refused.body).toEqual(refusedValues([name, `"${value}" is not a whole number of at least 1`]));
  });
});

describe('count properties', () => {
  test.each(['$count', '%24count'])('answers %s with an integer', async (segment) => {
    const { status, body } = await call('GET', `${path}/${segment}`);

    expect([status, body]).toEqual([200, 3]);
  });
});

describe('get property', () => {
  const inBoth = { en: 'Grand Hotel Berlin', de: 'Grandhotel Berlin' };

  test.each([
    ['all languages by default', '', inBoth],
    ['one language', '?languages=de', { de: 'Grandhotel Berlin' }],
    ['several languages, repeated', '?languages=de&languages=en', inBoth],
    ['a language that it does not have', '?languages=fr', {}],
  ])('shows the name in %s', async (_, query, name) => {
    expect((await call('GET', `${path}/BER${query}`)).body).toMatchObject({ name });
  });

  test('shows unit groups and actions if expand names them, and ignores other values', async () => {
    const { body } = await call('GET', `${path}/MUC?expand=unitGroups,actions&expand=rates`);

    expect(body).toMatchObject({
      id: 'MUC',
      unit_groups: ['MUC-SGL', 'MUC-DBL', 'MUC-MTG', 'MUC-PRK'].map((id) => ({
        id,
        property: { id: 'MUC' },
      })),
      actions: [
        { action: 'Delete', is_allowed: true },
        {
          action: 'Archive',
          is_allowed: false,
          reasons: [
            {
              code: 'ArchiveNotAllowedForPropertyNotInStatusLive',
              message: 'Only a property in status Live allows this.',
            },
          ],
        },
        { action: 'SetLive', is_allowed: true },
        { action: 'Reset', is_allowed: true },
      ],
    });
  });

  test('answers 404 for an unknown id', async () => {
    const { status, body } = await call('GET', `${path}/HAM`);

    expect(status).toBe(404);
    expect(body).toEqual({
      error: { code: 'not_found', message: 'There is no property "HAM".', details: [] },
    });
  });
});

describe('delete property', () => {
  test('deletes a test property, also from users and invitations', async () => {
    const deleted = await call('DELETE', `${path}/MUC`);

    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    expect((await call('GET', `${path}/MUC`)).status).toBe(404);
    expect((await call('DELETE', `${path}/MUC`)).status).toBe(404);
    expect((await call('GET', '/api/v1/users?property_ids=MUC')).body).toEqual({ users: [], count: 0 });
    expect((await call('GET', '/api/v1/users?email=ben@aurora.example')).body).toMatchObject({
      users: [{ properties: [{ id: 'BER', roles: ['FrontDesk'] }] }],
    });
    expect((await call('GET', '/api/v1/invitations?property_id=VIE')).body).toMatchObject({
      invitations: [{ properties: ['VIE'] }, { properties: ['VIE'] }],
    });
  });

  test('rejects a live property', async () => {
    const refused = await call('DELETE', `${path}/BER`);

    expect(refused.status).toBe(422);
    expect(refused.body).toEqual({
      error: {
        code: 'not_allowed',
        message: 'The property BER is Live. Only a property in status Test allows this.',
        details: [],
      },
    });
  });
});

test('countries are plain codes under items', async () => {
  const { body } = await call('GET', '/inventory/v1/types/countries');

  expect(body).toEqual({ count: 249, items: expect.arrayContaining(['AT', 'DE', 'CH', 'GB']) });
});

describe('update property', () => {
  const berlin = `${path}/BER`;
  const replace = (pointer: string, value: unknown) => ({ op: 'replace', path: pointer, value });

  test('changes fields, and answers 204 without a body', async () => {
    const updated = await call('PATCH', berlin, {
      body: [replace('/name/de', 'Grandhotel am Markt'), replace('/defaultCheckInTime', '16:00:00')],
    });

    expect([updated.status, updated.body]).toEqual([204, undefined]);
    expect((await call('GET', berlin)).body).toMatchObject({
      name: { en: 'Grand Hotel Berlin', de: 'Grandhotel am Markt' },
    });
    const stored = { op: 'test', path: '/defaultCheckInTime', value: '16:00:00' };
    expect((await call('PATCH', berlin, { body: [stored] })).status).toBe(204);
  });

  test('supports all six operations, with both spellings of a field', async () => {
    const updated = await call('PATCH', berlin, {
      body: [
        { op: 'test', path: '/company_name', value: 'Grandhotel Berlin GmbH' },
        { op: 'add', path: '/name/fr', value: 'Grand Hôtel' },
        { op: 'copy', from: '/name/fr', path: '/description/fr' },
        { op: 'move', from: '/paymentTerms/de', path: '/paymentTerms/fr' },
        { op: 'remove', path: '/managingDirectors' },
        replace('/location/addressLine1', 'Gendarmenmarkt 2'),
      ],
    });

    expect(updated.status).toBe(204);
    const { body } = await call('GET', berlin);
    expect(body).toMatchObject({
      name: { en: 'Grand Hotel Berlin', de: 'Grandhotel Berlin', fr: 'Grand Hôtel' },
      description: { en: 'At the Gendarmenmarkt', de: 'Am Gendarmenmarkt', fr: 'Grand Hôtel' },
      payment_terms: { en: 'Payment on check-in', fr: 'Zahlbar bei Check-in' },
      location: { address_line1: 'Gendarmenmarkt 2', city: 'Berlin' },
    });
    expect(body).not.toHaveProperty('managing_directors');
  });

  test('changes nothing when a test fails', async () => {
    const before = (await call('GET', berlin)).body;

    const refused = await call('PATCH', berlin, {
      body: [replace('/name/en', 'Other'), { op: 'test', path: '/name/de', value: 'Other' }],
    });

    expect(refused.status).toBe(409);
    expect(refused.body).toEqual({
      error: {
        code: 'test_failed',
        message: 'The test of /name/de failed; nothing was changed.',
        details: [{ field: '/name/de', reason: 'has another value' }],
      },
    });
    expect((await call('GET', berlin)).body).toEqual(before);
  });

  test('reports the step that failed, not the first one', async () => {
    const refused = await call('PATCH', berlin, {
      body: [
        { op: 'add', path: '/name/fr', value: 'Grand Hôtel' },
        { op: 'remove', path: '/description/fr' },
      ],
    });

    expect(refused).toMatchObject({ status: 422, body: refusedValues(['/description/fr', missing]) });
  });

  const fixed = 'is fixed after creation';
  const unknown = 'is not a known field';
  const missing = 'Cannot perform the operation at a path that does not exist';
  test.each([
    ['the code', replace('/code', 'HAM'), 'code', fixed],
    ['a fixed field by moving it', { op: 'move', from: '/created', path: '/name/fr' }, 'created', fixed],
    ['an unknown field', { op: 'add', path: '/stars', value: 5 }, '/stars', unknown],
    ['the prototype', { op: 'add', path: '/__proto__/polluted', value: 1 }, '/__proto__/polluted', unknown],
    [
      'the prototype, after a test',
      { op: 'test', path: '/constructor/name', value: 'Object' },
      '/constructor/name',
      unknown,
    ],
    [
      'a path below a text',
      { op: 'add', path: '/name/en/x/y', value: 1 },
      '/name/en/x/y',
      expect.any(String),
    ],
    [
      'the prototype of a map',
      { op: 'add', path: '/name/__proto__', value: 'x' },
      '/name/__proto__',
      unknown,
    ],
    ['a required field by removing it', { op: 'remove', path: '/tax_id' }, 'tax_id', 'is missing'],
    ['a missing language', replace('/name/fr', 'Grand Hôtel'), '/name/fr', missing],
    ['a field without a path', { op: 'replace', value: 1 }, '0.path', 'is missing'],
    ['the whole document', replace('', {}), '0.path', 'must be a path that begins with / (RFC 6901)'],
    [
      'a field with an unknown operation',
      { op: 'rename', path: '/name' },
      '0.op',
      'must be one of add, remove, replace, move, copy, test',
    ],
    [
      'a field without a value',
      { op: 'add', path: '/name/fr' },
      '/name/fr',
      expect.stringContaining('value'),
    ],
  ])('rejects a change of %s', async (_, step, field, reason) => {
    const before = (await call('GET', berlin)).body;

    const refused = await call('PATCH', berlin, { body: [step] });

    expect(refused.status).toBe(422);
    expect(refused.body).toEqual(refusedValues([field, reason]));
    expect((await call('GET', berlin)).body).toEqual(before);
    expect({}).not.toHaveProperty('polluted');
  });

  test('rejects a body that is not an array', async () => {
    const refused = await call('PATCH', berlin, { body: { name: { en: 'Other' } } });

    expect([refused.status, refused.body]).toEqual([
      422,
      refusedValues(['body', 'must be an array of operations']),
    ]);
  });
});
