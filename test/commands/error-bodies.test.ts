import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { apaleo, cli, hotels } from '../helpers/cli.ts';
import { ended } from '../helpers/ended.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

onlyIntercepted();

const update = 'properties update BER --company-name Nord --no-verify';

const reply = (status: number, body: string, type = 'application/json') =>
  nock(hotels.INNCTL_BASE_URL)
    .patch('/inventory/v1/properties/BER')
    .reply(status, body, { 'content-type': type });

type Detail = { readonly field: string; readonly reason: string };

/** A response body, the reason extracted from it, and the fields that it names. */
const bodies: readonly (readonly [
  what: string,
  body: unknown,
  reason: string,
  details?: readonly Detail[],
])[] = [
  ['one message', { messages: ['Company name is required.'] }, 'Company name is required'],
  ['several messages', { messages: ['No company.', 'No tax id.'] }, 'No company.; No tax id'],
  ['messages with other values', { messages: [null, 7, {}, ' ', 'No tax id.', ['x']] }, 'No tax id'],
  ['no messages', { messages: [] }, 'the answer gives no reason'],
  ['messages that are null', { messages: null }, 'the answer gives no reason'],
  ['messages that are a string', { messages: 'No.' }, 'No'],
  ['an error', { error: { code: 'invalid', message: 'No company.' } }, 'No company'],
  [
    'an error with details',
    { error: { code: 'invalid', message: 'No.', details: [{ field: 'companyName', reason: 'is empty' }] } },
    'No',
    [{ field: 'company_name', reason: 'is empty' }],
  ],
  ['an error with only a code', { error: { code: 'company_missing' } }, 'company_missing'],
  ['type and message', { type: 'ValidationError', message: 'No company.' }, 'No company'],
  ['only a type', { type: 'ValidationError' }, 'ValidationError'],
  [
    'problem details with field errors',
    {
      type: 'https://tools.ietf.org/html/rfc9110#section-15.5.1',
      title: 'One or more validation errors occurred.',
      status: 422,
      errors: {
        CompanyName: ['The CompanyName field is required.', 'It is too short.'],
        'location.countryCode': ['is unknown'],
        '$.bankAccount.iban': ['is no IBAN'],
        nobodysField: 'is odd',
        Code: [null, 7],
      },
    },
    'One or more validation errors occurred',
    [
      { field: 'company_name', reason: 'The CompanyName field is required.' },
      { field: 'company_name', reason: 'It is too short.' },
      { field: 'location.country_code', reason: 'is unknown' },
      { field: '$.bank_account.iban', reason: 'is no IBAN' },
      { field: 'nobodysField', reason: 'is odd' },
    ],
  ],
  [
    'problem details with an empty field name',
    { title: 'Invalid.', errors: { '': ['A non-empty request body is required.'] } },
    'Invalid.; A non-empty request body is required',
  ],
  ['problem details with a detail', { title: 'Invalid', detail: 'No company.' }, 'No company'],
  [
    'problem details without a title',
    { type: 'https://example.com/probs/1', status: 422 },
    'the answer gives no reason',
  ],
  ['errors that are strings', { errors: ['No company.', 'No tax id.'] }, 'No company.; No tax id'],
  ['errors without a field', { errors: [{ message: 'No company.' }] }, 'No company'],
  [
    'errors with a pointer',
    { errors: [{ pointer: '/companyName', detail: 'is empty' }] },
    'the answer gives no reason',
    [{ field: '/company_name', reason: 'is empty' }],
  ],
  ['a duplicate message', { messages: ['No.'], message: 'No.' }, 'No'],
  ['an OAuth error', { error: 'invalid_request', error_description: 'No company.' }, 'No company'],
  ['an OAuth error without a description', { error: 'invalid_request' }, 'invalid_request'],
  ['a string', 'No company.', 'No company'],
  ['a list', ['No company.'], 'No company'],
  ['null', null, 'the answer gives no reason'],
];

describe('a rejection is one sentence, with the field names of innctl', () => {
  test.for(bodies)('%s', async ([, body, reason, details = []]) => {
    const sentence = `Could not update the property: ${reason} (422 from api.example.com).`;
    const lines = details.map(({ field, reason: why }) => `  ${field}: ${why}\n`).join('');

    reply(422, JSON.stringify(body));
    expect(await cli(update, { env: apaleo })).toEqual(ended(6, `error: ${sentence}\n${lines}`));

    reply(422, JSON.stringify(body));
    const { exitCode, stderr } = await cli(`${update} --json`, { env: apaleo });
    expect({ exitCode, ...JSON.parse(stderr) }).toEqual({
      exitCode: 6,
      error: { code: 'refused', message: sentence, status: 422, details },
    });
  });

  test.each([
    ['an empty body', '', 'application/json', 'refused', 'the answer gives no reason'],
    ['plain text', 'No company.', 'text/plain', 'refused', 'No company'],
    ['truncated JSON', '{"messages":["No', 'application/json', 'refused', 'the answer gives no reason'],
    [
      'an HTML page',
      '<html><title>Blocked</title></html>',
      'text/html',
      'html_answer',
      'a page came instead of an answer',
    ],
  ])('%s', async (_, body, type, code, reason) => {
    reply(422, body, type);

    const { exitCode, stderr } = await cli(`${update} --json`, { env: hotels });

    expect({ exitCode, ...JSON.parse(stderr) }).toMatchObject({
      exitCode: 6,
      error: { code, message: `Could not update the property: ${reason} (422 from api.example.com).` },
    });
  });
});

test('field names are not translated in the dialect contract', async () => {
  const fields = ['companyName', 'CompanyName', 'location.countryCode', '/paymentTerms/fr', 'tax_id'];
  const details = fields.map((field) => ({ field, reason: 'is empty' }));
  reply(422, JSON.stringify({ error: { code: 'invalid', message: 'No.', details } }));

  const { stderr } = await cli(`${update} --json`, { env: hotels });

  expect(JSON.parse(stderr).error.details).toEqual(details);
});

test('api does not translate field names', async () => {
  const field = 'companyName';
  reply(422, JSON.stringify({ errors: { [field]: ['is empty'] } }));

  const { stderr } = await cli('api PATCH /inventory/v1/properties/BER --json', { env: apaleo });

  expect(JSON.parse(stderr).error.details).toEqual([{ field, reason: 'is empty' }]);
});
