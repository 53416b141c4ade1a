import { expect, test } from 'vitest';
import { refusedValues, sandbox } from './harness.ts';

const path = '/inventory/v1/properties/BER';
const replace = (pointer: string, value: unknown) => ({ op: 'replace', path: pointer, value });

test('changes fields, and answers 204 without a body', async () => {
  const { call } = await sandbox();

  const updated = await call('PATCH', path, {
    body: [replace('/name/de', 'Grandhotel am Markt'), replace('/defaultCheckInTime', '16:00:00')],
  });

  expect([updated.status, updated.body]).toEqual([204, undefined]);
  expect((await call('GET', path)).body).toMatchObject({
    name: { en: 'Grand Hotel Berlin', de: 'Grandhotel am Markt' },
  });
  const stored = { op: 'test', path: '/defaultCheckInTime', value: '16:00:00' };
  expect((await call('PATCH', path, { body: [stored] })).status).toBe(204);
});

test('supports all six operations, with both spellings of a field', async () => {
  const { call } = await sandbox();

  const updated = await call('PATCH', path, {
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
  const { body } = await call('GET', path);
  expect(body).toMatchObject({
    name: { en: 'Grand Hotel Berlin', de: 'Grandhotel Berlin', fr: 'Grand Hôtel' },
    description: { en: 'At the Gendarmenmarkt', de: 'Am Gendarmenmarkt', fr: 'Grand Hôtel' },
    payment_terms: { en: 'Payment on check-in', fr: 'Zahlbar bei Check-in' },
    location: { address_line1: 'Gendarmenmarkt 2', city: 'Berlin' },
  });
  expect(body).not.toHaveProperty('managing_directors');
});

test('changes nothing when a test fails', async () => {
  const { call } = await sandbox();
  const before = (await call('GET', path)).body;

  const refused = await call('PATCH', path, {
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
  expect((await call('GET', path)).body).toEqual(before);
});

test('reports the step that failed, not the first one', async () => {
  const { call } = await sandbox();

  const refused = await call('PATCH', path, {
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
  ['the id', replace('/id', 'HAM'), 'id', fixed],
  ['the status', replace('/status', 'Test'), 'status', fixed],
  ['the currency', replace('/currencyCode', 'CHF'), 'currency_code', fixed],
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
    'a name to a copy of the prototype',
    { op: 'copy', from: '/__proto__', path: '/name/fr' },
    '/__proto__',
    unknown,
  ],
  ['a path below a text', { op: 'add', path: '/name/en/x/y', value: 1 }, '/name/en/x/y', expect.any(String)],
  ['the prototype of a map', { op: 'add', path: '/name/__proto__', value: 'x' }, '/name/__proto__', unknown],
  ['a text to a number', replace('/name/en', 5), 'name.en', 'must be a text'],
  ['a required field by removing it', { op: 'remove', path: '/tax_id' }, 'tax_id', 'is missing'],
  [
    'an unknown field of the location',
    { op: 'add', path: '/location/zip', value: '1' },
    'location.zip',
    unknown,
  ],
  ['a missing language', replace('/name/fr', 'Grand Hôtel'), '/name/fr', missing],
  ['a field without a path', { op: 'replace', value: 1 }, '0.path', 'is missing'],
  ['the whole document', replace('', {}), '0.path', 'must be a path that begins with / (RFC 6901)'],
  [
    'a field with an unknown operation',
    { op: 'rename', path: '/name' },
    '0.op',
    'must be one of add, remove, replace, move, copy, test',
  ],
  ['a field without a value', { op: 'add', path: '/name/fr' }, '/name/fr', expect.stringContaining('value')],
])('rejects a change of %s', async (_, step, field, reason) => {
  const { call } = await sandbox();
  const before = (await call('GET', path)).body;

  const refused = await call('PATCH', path, { body: [step] });

  expect(refused.status).toBe(422);
  expect(refused.body).toEqual(refusedValues([field, reason]));
  expect((await call('GET', path)).body).toEqual(before);
  expect({}).not.toHaveProperty('polluted');
});

test('rejects a body that is not an array', async () => {
  const { call } = await sandbox();

  const refused = await call('PATCH', path, { body: { name: { en: 'Other' } } });

  expect([refused.status, refused.body]).toEqual([
    422,
    refusedValues(['body', 'must be an array of operations']),
  ]);
});

test('answers 404 for an unknown property', async () => {
  const { call } = await sandbox();

  expect((await call('PATCH', '/inventory/v1/properties/HAM', { body: [] })).status).toBe(404);
});
