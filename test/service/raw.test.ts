import { describe, expect, test } from 'vitest';
import { CliError } from '../../src/model/errors.ts';
import type { Method } from '../../src/model/ports.ts';
import { listIn } from '../../src/model/records.ts';
import type { ServiceRequest } from '../../src/service/answer.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { contract, type Dialect } from '../../src/service/dialect.ts';
import { type Intent, idsInQuery } from '../../src/service/guard.ts';
import { addressed, createRaw, type RawRequest } from '../../src/service/raw.ts';

const service = {
  identityUrl: 'https://identity.example.com/tenant',
  baseUrl: 'https://api.example.com',
  dialect: contract,
  idempotencyHeader: 'Idempotency-Key',
};

/** Raw access to a service with these response bodies, in this order, and then no content. */
const rawOver = (...bodies: readonly unknown[]) => rawIn(contract, ...bodies);

function rawIn(dialect: Dialect, ...bodies: readonly unknown[]) {
  const sent: ServiceRequest[] = [];
  const warnings: string[] = [];
  const judged: Intent[] = [];
  const raw = createRaw(
    { ...service, dialect },
    async (request) => {
      sent.push(request);
      const body = bodies[sent.length - 1];
      return { status: body === undefined ? 204 : 200, headers: {}, body, requestId: undefined };
    },
    (intent) => {
      judged.push(intent);
    },
    async (sentence) => {
      warnings.push(sentence);
    },
  );
  return { raw, sent, warnings, judged };
}

const request = (method: Method, path: string, more: Partial<RawRequest> = {}): RawRequest => ({
  method,
  path,
  query: '',
  ...more,
});

describe('the operation and ids of a path', () => {
  test.each<[Method, string, string | undefined, readonly string[]]>([
    ['GET', '/inventory/v1/properties', 'list the properties', []],
    ['GET', '/inventory/v1/properties/$count', 'count the properties', []],
    ['GET', '/inventory/v1/properties/%24count', 'count the properties', []],
    ['PATCH', '/inventory/v1/properties/BER', 'update the property', ['BER']],
    ['PATCH', '/Inventory/V1/Properties/BER', 'update the property', ['BER']],
    ['PUT', '/inventory/v1/properties/BER', undefined, ['BER']],
    ['DELETE', '/inventory/v1/properties/%42ER', 'delete the property', ['BER']],
    ['DELETE', '/inventory/v1/properties/%2542ER', 'delete the property', ['BER']],
    ['DELETE', '/inventory/v1/properties/%25%34%32ER', 'delete the property', ['BER']],
    ['DELETE', '/inventory/v1/properties/%42ER%25zz', 'delete the property', ['BER%zz']],
    ['POST', '/inventory/v1/properties/BER/clone', undefined, ['BER', 'clone']],
    ['DELETE', '/inventory/v1/units/BER-1/attributes/sea', undefined, ['BER-1', 'attributes', 'sea']],
    ['DELETE', '/api/v1/invitations/ana%40example.com', 'delete the invitation', ['ana@example.com']],
    ['PATCH', '/api/v1/identity/users/u-1', 'update the user', ['u-1']],
    ['GET', '/api/v1/users/me', 'get the current user', []],
    ['PUT', '/api/v1/identity/users/u-1', undefined, ['u-1']],
    ['GET', '/api/v1/users/u-1', 'get the user', ['u-1']],
    ['DELETE', '/api/v1/account/invitations/ana%40example.com', 'delete the invitation', ['ana@example.com']],
    ['PUT', '/Inventory/v1/property-actions/BER/Archive', 'archive the property', ['BER']],
    ['PUT', '/inventory/v1/property-actions/BER/archive.json', undefined, ['BER', 'archive.json']],
    ['DELETE', '/inventory;x/v1/properties;x=1/BER', 'delete the property', ['BER']],
    ['DELETE', '/inventory/v1/BER', undefined, ['BER']],
    ['DELETE', '/inventory/v1/properties/%2542ER%25ff', 'delete the property', ['BER\ufffd']],
    ['DELETE', '/inventory/v1/properties/BER;x=1', 'delete the property', ['BER;x=1']],
    ['DELETE', '/properties/BER', undefined, ['properties', 'BER']],
    ['POST', '/v1', undefined, ['v1']],
  ])('%s %s', (method, path, does, ids) => {
    const { does: found, ids: named } = addressed(method, path);

    expect({ does: found, ids: named }).toEqual({ does, ids });
  });

  test.each([
    ['/api/v1/roles', 'https://identity.example.com/tenant/api/v1/roles'],
    ['/API/v1/roles', 'https://identity.example.com/tenant/API/v1/roles'],
    ['/apis/v1/roles', 'https://api.example.com/apis/v1/roles'],
    ['/inventory/v1/units', 'https://api.example.com/inventory/v1/units'],
  ])('%s is sent to %s', async (path, url) => {
    const { raw, sent } = rawOver();

    await raw.send(request('GET', path));

    expect(sent.map((each) => each.url)).toEqual([url]);
  });
});

test.each([
  ['', []],
  ['unitIds=X|LIVE-1/2', ['X|LIVE-1/2']],
  ['id=BER&id=MUC&dry', ['BER', 'MUC', 'dry']],
  ['id=%42ER&ids=%2542ER%252CVIE', ['BER', 'BER,VIE']],
  ['ids=X;LIVE-1,+MUC', ['X;LIVE-1,+MUC', 'X;LIVE-1, MUC']],
  ['filter[BER]=1&BER=2&unitIds=', ['filter[BER]', '1', 'BER', '2']],
  ['email=ana%2Bberlin@example.com', ['ana+berlin@example.com', 'ana berlin@example.com']],
  ['id=&=&&ids=,', [',']],
  ['filter=id=BER', ['id=BER']],
])('the query %s contains the ids %j', (query, ids) => {
  expect(idsInQuery(query)).toEqual(ids);
});

test('the guard judges writes only, with path and query', () => {
  const { raw, sent, judged } = rawOver();

  raw.permit(request('GET', '/inventory/v1/properties/BER'));
  raw.permit(request('HEAD', '/inventory/v1/properties/BER'));
  raw.permit(request('PATCH', '/inventory/v1/properties/BER', { query: 'ids=MUC' }));

  expect({ sent, judged }).toEqual({
    sent: [],
    judged: [{ effect: 'changes', ids: ['BER', 'MUC'], does: 'send PATCH /inventory/v1/properties/BER' }],
  });
});

test.each<[Method, string | undefined, string]>([
  ['GET', undefined, 'read'],
  ['HEAD', undefined, 'read'],
  ['DELETE', undefined, 'delete'],
  ['PATCH', undefined, 'patch'],
  ['PUT', undefined, 'patch'],
  ['POST', undefined, 'once'],
  ['POST', 'key-1', 'keyed'],
])('%s with the idempotency key %s has the safety %s', async (method, idempotencyKey, safety) => {
  const { effect } = addressed(method, '/inventory/v1/units/BER-1');
  const { raw, sent } = rawOver();

  await raw.send(request(method, '/inventory/v1/units/BER-1', { idempotencyKey }));

  expect(sent).toMatchObject([
    {
      method,
      url: 'https://api.example.com/inventory/v1/units/BER-1',
      ids: ['BER-1'],
      effect,
      safety,
      key: idempotencyKey,
      scopes: [],
      does: `send ${method} /inventory/v1/units/BER-1`,
      plainText: true,
      body: undefined,
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    },
  ]);
});

describe('pages', () => {
  const units = request('GET', '/inventory/v1/units', { query: 'floor=1' });

  /** Every entry in order, and the queries of the requests. */
  async function collect(page: RawRequest, ...bodies: readonly unknown[]) {
    const { raw, sent, warnings } = rawOver(...bodies);
    const { first, more } = await raw.pages(page);
    const entries = [...(listIn(first.body)?.items ?? [])];
    for await (const items of more ?? []) entries.push(...items);
    return { entries, queries: sent.map(({ url }) => new URL(url).search), warnings };
  }

  test('are requested in the spelling of the dialect', async () => {
    const { raw, sent } = rawIn(apaleo, { count: 2, items: ['a'] }, { count: 2, items: ['b'] });

    for await (const _ of (await raw.pages(units)).more ?? []);

    expect(sent.map(({ url }) => new URL(url).search)).toEqual([
      '?floor=1&pageSize=100&pageNumber=1',
      '?floor=1&pageSize=100&pageNumber=2',
    ]);
  });

  test.each([
    ['the same page again', [['a', 'b'], ['a', 'b'], ['c']]],
    ['an empty page', [['a', 'b'], [], ['c']]],
    ['no content', [['a', 'b'], undefined, ['c']]],
  ])('end with %s', async (_, bodies) => {
    const { entries, queries } = await collect(units, ...bodies);

    expect({ entries, requests: queries.length }).toEqual({ entries: ['a', 'b'], requests: 2 });
  });

  test('keep equal entries within a page, and deduplicate an overlap of two pages', async () => {
    const { entries } = await collect(units, ['a', 'a', 'b'], ['b', 'c'], []);

    expect(entries).toEqual(['a', 'a', 'b', 'c']);
  });

  test('keep the page size of the query, in either spelling', async () => {
    const pagesOf = (query: string) => collect(request('GET', '/inventory/v1/units', { query }), ['a'], []);

    expect((await pagesOf('page_size=2')).queries).toEqual([
      '?page_size=2&page_number=1',
      '?page_size=2&page_number=2',
    ]);
    expect((await pagesOf('pageSize=many')).queries).toEqual([
      '?pageSize=many&page_number=1',
      '?pageSize=many&page_number=2',
    ]);
  });

  test.each(['page_number=2', 'pageNumber=2', 'PAGE%5FNUMBER=2'])(
    'are not requested when the query has %s',
    async (query) => {
      const { raw, sent } = rawOver(['a']);

      await expect(raw.pages(request('GET', '/x', { query }))).rejects.toThrow(CliError);
      expect(sent).toEqual([]);
    },
  );

  test('end with an error when a later response is not a list', async () => {
    await expect(collect(units, ['a'], { id: 'a' })).rejects.toThrow(
      "the service's answer to page 2 is not a list",
    );
  });
});

test.each<[string, unknown, readonly unknown[] | undefined]>([
  ['a bare array', ['a'], ['a']],
  ['the contract’s wrapper', { count: 1, items: ['a'] }, ['a']],
  ['the contract’s wrapper with a string', { items: ['a'], account: 'x' }, ['a']],
  ['a named key with its count', { users: ['a'], count: 1 }, ['a']],
  ['a named key without a count', { roles: ['a'] }, ['a']],
  ['a named key beside paging', { users: ['a'], paging: { next: 2 }, last: false }, ['a']],
  ['a user with properties', { email: 'ana@example.com', properties: ['BER'] }, undefined],
  ['an object with two lists', { users: ['a'], roles: ['b'] }, undefined],
  ['an object without a list', { count: 1 }, undefined],
  ['null', null, undefined],
  ['a string', 'a', undefined],
  ['a number', 3, undefined],
])('%s is recognized as a list or not', (_, document, items) => {
  expect(listIn(document)?.items).toEqual(items);
});

test('a list is replaced under its own key, whatever its name', () => {
  const document: unknown = JSON.parse('{"count":2,"__proto__":["a"],"next":null}');

  expect(JSON.stringify(listIn(document)?.with(['a', 'b']))).toBe(
    '{"count":2,"__proto__":["a","b"],"next":null}',
  );
});
