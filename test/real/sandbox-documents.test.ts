import { describe, expect, test } from 'vitest';
import { apaleoSandbox } from '../../src/sandbox/dialects.ts';
import type { SeedName } from '../../src/sandbox/seeds/names.ts';
import { handlers } from '../../src/sandbox/server.ts';
import { type OperationId, operations } from '../../src/service/operations.ts';
import { sandbox as open } from '../sandbox/harness.ts';
import { variantsOf } from './documents-bodies.ts';
import { createJudge } from './documents-judge.ts';
import { type DescribedOperation, modelsIn, openDescriptions } from './prism-documents.ts';

const descriptions = openDescriptions();
const described = descriptions.flatMap((each) => each.operations);
const judge = createJudge(descriptions);
const keyOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`;

type Service = Awaited<ReturnType<typeof start>>;

/** One request for an operation: the values of its path, in order, and its body. */
interface Sample {
  readonly ids?: readonly string[];
  readonly query?: string;
  readonly body?: unknown;
}

/** The ids in the state of a test. */
interface Ids {
  /** Of the units of Berlin, by name. */
  readonly unit: Readonly<Record<string, string>>;
  readonly attribute: Readonly<Record<string, string>>;
  readonly users: readonly string[];
  /** In status Test, and without anything. */
  readonly group: string;
}

const hotel = (code: string) => ({
  code,
  name: { en: 'Alster Hotel', de: 'Alsterhotel' },
  companyName: 'Alsterhotel GmbH',
  managingDirectors: 'Ana Lindner',
  commercialRegisterEntry: 'HRB 90210',
  taxId: 'DE811000001',
  description: { en: 'At the lake' },
  location: {
    ...{ addressLine1: 'Kai 1', addressLine2: 'Attic', postalCode: '20095', city: 'Hamburg' },
    ...{ regionCode: 'DE-HH', countryCode: 'DE' },
  },
  bankAccount: { iban: 'DE02120300000000202051', bic: 'BYLADEM1001', bank: 'DKB' },
  paymentTerms: { en: 'Now' },
  timeZone: 'Europe/Berlin',
  ...{ defaultCheckInTime: '15:00:00', defaultCheckOutTime: '11:00:00', currencyCode: 'EUR' },
});

const group = (code: string) => ({
  ...{ code, propertyId: 'MUC', name: { en: 'Suite' }, description: { en: 'Two rooms', de: 'Zwei Zimmer' } },
  ...{ maxPersons: 4, rank: 9, type: 'EventSpace' },
  connectedUnitGroups: [{ unitGroupId: 'MUC-DBL', memberCount: 2 }],
});

const unit = (name: string, { attribute, unit }: Ids) => ({
  ...{ propertyId: 'BER', name, description: { en: 'Quiet', de: 'Ruhig' }, unitGroupId: 'BER-SUI' },
  ...{ maxPersons: 2, condition: 'Dirty', attributes: [{ id: attribute['QUIET'] }] },
  connectedUnits: [{ unitId: unit['103'] }],
});

const set = (path: string, value: unknown) => ({ op: 'replace', path, value });
const at = (...ids: readonly (string | undefined)[]): Sample => ({ ids: ids.map(String) });

const ofUnit = ({ attribute }: Ids) => [
  set('/condition', 'CleanToBeInspected'),
  set('/description', { en: 'Loud' }),
  set('/name', '1000'),
  { ...set('/unitGroupId', 'BER-DBL'), op: 'add' },
  set('/maxPersons', 3),
  { op: 'add', path: '/attributes/-', value: { id: attribute['BALCONY'] } },
  { op: 'remove', path: '/attributes/0' },
];

/** Requests for each write of the documents that succeed, in this order, in one state. Reads are made from their parameters. */
const writes: Readonly<Record<string, (ids: Ids) => readonly Sample[]>> = {
  'POST /api/v1/account/invitations': () => [
    {
      body: {
        email: 'mia@example.com',
        roles: ['FrontDesk', 'Auditor'],
        role: 'Auditor',
        properties: ['BER'],
      },
    },
    { body: { email: 'zoe@example.com', isAccountAdmin: true } },
  ],
  'DELETE /api/v1/account/invitations/{email}': () => [at('paul.steiner@aurora.example')],
  'PATCH /api/v1/users/{userId}': ({ users }) => [
    {
      ...at(users[3]),
      body: [
        ...[set('/firstName', 'Mia'), set('/lastName', 'Vogel'), set('/enabled', false)],
        ...[set('/properties', ['BER', 'VIE']), set('/isAccountAdmin', true)],
      ],
    },
  ],
  'POST /inventory/v1/properties': () => [{ body: hotel('HAM') }],
  'PATCH /inventory/v1/properties/{id}': () => [
    {
      ...at('MUC'),
      body: [
        ...[set('/name', { en: 'Isar' }), set('/companyName', 'Isar GmbH'), set('/taxId', 'DE2')],
        ...[set('/commercialRegisterEntry', 'HRB 2'), set('/location', hotel('MUC').location)],
        ...[set('/paymentTerms', { en: 'Later' }), set('/isTemplate', true)],
        { op: 'add', path: '/description', value: { en: 'At the river' } },
        { op: 'add', path: '/managingDirectors', value: 'Ben' },
        { op: 'add', path: '/bankAccount', value: { iban: 'DE1' } },
      ],
    },
    {
      ...at('MUC'),
      body: ['description', 'managingDirectors', 'bankAccount'].map((name) => ({
        op: 'remove',
        path: `/${name}`,
      })),
    },
  ],
  'DELETE /inventory/v1/properties/{id}': () => [at('VIE')],
  'POST /inventory/v1/property-actions/{id}/clone': () => [{ ...at('BER'), body: hotel('KIE') }],
  'PUT /inventory/v1/property-actions/{id}/archive': () => [at('BER')],
  'PUT /inventory/v1/property-actions/{id}/set-live': () => [at('MUC')],
  'PUT /inventory/v1/property-actions/{id}/reset': () => [at('MUC')],
  'POST /inventory/v1/unit-groups': () => [
    { body: group('LOFT') },
    { body: { ...group('HALL'), rank: undefined, type: undefined, connectedUnitGroups: undefined } },
  ],
  'PUT /inventory/v1/unit-groups/{id}': () => [
    {
      ...at('BER-SUI'),
      body: {
        ...{ name: { en: 'Loft' }, description: { en: 'Attic' }, maxPersons: 3, rank: 7 },
        connectedUnitGroups: [
          { unitGroupId: 'BER-DBL', memberCount: 1 },
          { unitGroupId: 'BER-SGL', memberCount: 1 },
        ],
      },
    },
    { ...at('BER-DBL'), body: { name: { de: 'Zimmer' }, description: { de: 'Groß' } } },
  ],
  'DELETE /inventory/v1/unit-groups/{id}': (ids) => [at(ids.group)],
  'POST /inventory/v1/units': (ids) => [
    { body: unit('401', ids) },
    { body: { propertyId: 'MUC', name: '401', description: { en: 'Small' }, maxPersons: 1 } },
  ],
  'POST /inventory/v1/units/bulk': (ids) => [
    { body: { units: [unit('402', ids), { ...unit('403', ids), connectedUnits: [] }] } },
  ],
  'PATCH /inventory/v1/units/{id}': (ids) => [{ ...at(ids.unit['101']), body: ofUnit(ids) }],
  'PATCH /inventory/v1/units': (ids) => [
    { query: `?unitIds=${ids.unit['101']},${ids.unit['102']}`, body: ofUnit(ids) },
  ],
  'DELETE /inventory/v1/units/{id}': ({ unit }) => [at(unit['301'])],
  'PUT /inventory/v1/unit-actions/{id}/archive': ({ unit }) => [at(unit['101'])],
  'POST /inventory/v1/unit-attributes': () => [
    { body: { name: 'SAUNA', description: 'With a sauna' } },
    { body: { name: 'BAR' } },
  ],
  'PATCH /inventory/v1/unit-attributes/{id}': ({ attribute }) => [
    { ...at(attribute['QUIET']), body: [set('/description', 'No street')] },
    { ...at(attribute['QUIET']), body: [{ op: 'remove', path: '/description' }] },
  ],
  'DELETE /inventory/v1/unit-attributes/{id}': ({ attribute }) => [at(attribute['KITCHEN'])],
};

const reads = described.filter(({ method }) => method === 'GET' || method === 'HEAD');
const changing = described.filter((operation) => !reads.includes(operation));

test('every operation of the documents is a handler of the sandbox, and has a request here', () => {
  // The keys of the table are the ids.
  const served = (Object.keys(handlers) as OperationId[]).map(
    (id) => `${operations[id].method} ${withoutNames(apaleoSandbox.path(id) ?? '')}`,
  );

  expect(described).toHaveLength(43);
  expect(served.sort()).toEqual(described.map((each) => withoutNames(keyOf(each))).sort());
  expect(Object.keys(writes).sort()).toEqual(changing.map(keyOf).sort());
});

describe('a write is answered as documented, and so is every read after it', () => {
  test.each(changing.map((operation) => [keyOf(operation), operation] as const))(
    '%s',
    async (key, operation) => {
      const service = await start();

      for (const sample of writes[key]?.(service.ids) ?? []) {
        const answer = await service.send(operation, sample);

        expect([answer.status, ...judge(operation, answer)]).toEqual([successOf(operation)]);
        for (const read of reads)
          expect(await judgedReads(service, read, ['', wholeQueryOf(read)], 'may be gone')).toEqual([]);
      }
    },
  );
});

describe('a read is answered as documented', () => {
  test.each(reads.map((operation) => [keyOf(operation), operation] as const))(
    '%s, with every documented value of its parameters',
    async (_, operation) => {
      const service = await start();

      expect(await judgedReads(service, operation, queriesOf(operation))).toEqual([]);
    },
  );

  test.each(['chain', 'people'] as const)('the inventory of the seed %s', async (seed) => {
    const service = await start(seed);
    const lists = reads.filter(({ area, path }) => area === 'inventory' && !path.endsWith('}'));

    for (const list of lists) expect(await judgedReads(service, list, ['', wholeQueryOf(list)])).toEqual([]);
  });

  test.each(
    reads
      .filter(({ responses }) => responses['204'])
      .map((operation) => [keyOf(operation), operation] as const),
  )('%s, with 204 for a page without records', async (_, operation) => {
    const service = await start();

    const answer = await service.send(operation, { query: '?pageNumber=99&pageSize=100' });

    expect([answer.status, answer.body]).toEqual([204, undefined]);
  });

  test('a list is answered with 204 when nothing matches', async () => {
    const { call } = await open({ dialect: 'apaleo' });
    const paths = [
      'units?propertyId=NOPE',
      'units?textSearch=zzz',
      'unit-groups?propertyId=NOPE',
      'properties?countryCode=FR',
    ];

    const statuses = await Promise.all(
      paths.map(async (path) => (await call('GET', `/inventory/v1/${path}`)).status),
    );

    expect(statuses).toEqual([204, 204, 204, 204]);
  });

  test.each(
    reads.filter(({ path }) => path.endsWith('}')).map((operation) => [keyOf(operation), operation] as const),
  )('%s, with 404 for a record that does not exist', async (_, operation) => {
    const service = await start();

    const answer = await service.send(operation, at('NOPE'));

    expect([answer.status, ...judge(operation, answer)]).toEqual([404]);
  });
});

describe('a wrong query is refused', () => {
  const wrong = described
    .filter(({ method }) => method !== 'HEAD')
    .flatMap((operation) =>
      wrongQueriesOf(operation).map((query) => [keyOf(operation), query, operation] as const),
    );

  test.each(wrong)('%s%s', async (key, query, operation) => {
    const service = await start();
    const [sample] = writes[key]?.(service.ids) ?? [at(...idsFor(operation, service.ids).slice(0, 1))];

    const answer = await service.send(operation, { ...sample, query: joined(sample?.query, query) });

    expect([answer.status, ...judge(operation, answer)]).toEqual([422]);
  });
});

describe('a body is judged by its model', () => {
  const withBody = changing.flatMap((operation) => {
    const [model] = operation.parameters.flatMap((each) =>
      each['in'] === 'body' ? modelsIn(each['schema']) : [],
    );
    return model === undefined || model === 'Operation'
      ? []
      : [[keyOf(operation), model, operation] as const];
  });

  test.each(withBody)('%s: %s', async (key, model, operation) => {
    const service = await start();
    const [sample = {}] = writes[key]?.(service.ids) ?? [];
    const definitions = Object.assign({}, ...descriptions.map((each) => each.definitions));
    const { refused, accepted } = variantsOf(sample.body, model, definitions);
    const statusesOf = async (variants: typeof refused, fresh: (body: unknown) => unknown) => {
      const statuses: string[] = [];
      for (const { what, body } of variants) {
        const answer = await service.send(operation, { ...sample, body: fresh(body) });
        statuses.push([what, answer.status, ...judge(operation, answer)].join(' '));
      }
      return statuses;
    };

    expect(refused.length).toBeGreaterThan(3);
    expect(await statusesOf(refused, (body) => body)).toEqual(refused.map(({ what }) => `${what} 422`));
    const success = successOf(operation);
    for (const variant of accepted) {
      const another = await start();
      const answer = await another.send(operation, { ...sample, body: variant.body });
      expect([variant.what, answer.status, ...judge(operation, answer)]).toEqual([variant.what, success]);
    }
  });
});

/** A sandbox with an attribute that no unit has, and a group without units. */
async function start(seed: SeedName = 'small') {
  const { call } = await open({ dialect: 'apaleo', seed });
  const made = { body: { name: 'KITCHEN', description: 'With a kitchen' } };
  await call('POST', '/inventory/v1/unit-attributes', made);
  const { body: created } = await call('POST', '/inventory/v1/unit-groups', {
    body: { ...group('SPA'), propertyId: 'MUC' },
  });
  const named = async (path: string, list: string, key: string) => {
    const { body } = await call('GET', path);
    const records: readonly Record<string, string>[] = Object(body)[list];
    return Object.fromEntries(
      records.map((record) => [record[key], String(record['id'] ?? record['subjectId'])]),
    );
  };
  const ids: Ids = {
    unit: await named('/inventory/v1/units?propertyId=BER&status=All', 'units', 'name'),
    attribute: await named('/inventory/v1/unit-attributes', 'unitAttributes', 'name'),
    users: Object.values(await named('/api/v1/users', 'users', 'email')),
    group: Object(created).id,
  };
  const send = ({ method, path }: DescribedOperation, { ids = [], query = '', body }: Sample) => {
    const [first = ''] = ids;
    const filled = path.replace(/\{\w+\}/, encodeURIComponent(first));
    return call(method, `${filled}${query}`, body === undefined ? {} : { body });
  };
  return { ids, send };
}

/** What is wrong with the answers to the reads of every record, or of the whole list, with these queries. */
async function judgedReads(
  { ids, send }: Service,
  operation: DescribedOperation,
  queries: readonly string[],
  mayBeGone?: 'may be gone',
): Promise<readonly string[]> {
  const problems: string[] = [];
  const all = operation.path.endsWith('}') ? idsFor(operation, ids) : [''];
  for (const id of all) {
    for (const query of queries) {
      const answer = await send(operation, { ids: [id], query });
      const isGone = mayBeGone !== undefined && answer.status === 404;
      const found = judge(operation, answer);
      if (!isGone && answer.status >= 300)
        problems.push(`${id}${query} ${answer.status} ${JSON.stringify(answer.body)}`);
      problems.push(...found.map((problem) => `${id}${query} ${problem}`));
    }
  }
  return problems;
}

function idsFor({ path }: DescribedOperation, { unit, attribute, users }: Ids): readonly string[] {
  if (path.includes('/users/')) return users;
  if (path.includes('/units/')) return Object.values(unit);
  if (path.includes('/unit-attributes/')) return Object.values(attribute);
  return path.includes('/unit-groups/')
    ? ['BER-SUI', 'BER-DBL', 'MUC-SPA', 'MUC-PRK']
    : ['BER', 'MUC', 'VIE'];
}

function successOf({ responses }: DescribedOperation): number {
  return Math.min(...Object.keys(responses).map(Number));
}

type Json = Readonly<Record<string, unknown>>;

function queryParameters({ parameters }: DescribedOperation): readonly Json[] {
  return parameters.filter((each) => each['in'] === 'query');
}

function enumOf(parameter: Json): readonly string[] | undefined {
  const { enum: names = Object(parameter['items'])['enum'] } = parameter;
  return Array.isArray(names) ? names : undefined;
}

/** Each documented value of each parameter alone, and several values of those that take them. */
function queriesOf(operation: DescribedOperation): readonly string[] {
  return [
    '',
    ...queryParameters(operation).flatMap((parameter) => {
      const name = String(parameter['name']);
      const texts = /^languages$/.test(name) ? ['all', 'de', 'en,de', 'fr'] : ['BER', 'BER-DBL'];
      const values =
        enumOf(parameter) ??
        { boolean: ['true', 'false'], integer: ['1', '2'] }[String(parameter['type'])] ??
        texts;
      const several =
        parameter['type'] !== 'array' || values.length < 2 ? [] : [manyOf(operation, name, values)];
      return [...values.map((value) => `?${name}=${value}`), ...several];
    }),
  ];
}

/** Everything that a read can show, in one request. */
function wholeQueryOf(operation: DescribedOperation): string {
  const parts = queryParameters(operation).flatMap((parameter) => {
    const { name } = parameter;
    if (name === 'expand') return [`expand=${enumOf(parameter)?.join(',')}`];
    if (name === 'languages') return ['languages=all'];
    if (name === 'includeArchived') return ['includeArchived=true'];
    return name === 'status' && enumOf(parameter)?.includes('All') ? ['status=All'] : [];
  });
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

function manyOf({ area }: DescribedOperation, name: string, values: readonly string[]): string {
  return `?${area === 'identity' ? values.map((value) => `${name}=${value}`).join('&') : `${name}=${values.join(',')}`}`;
}

/** A parameter that is not documented, in every spelling, and values that are not. Of `expand` unknown values are ignored. */
function wrongQueriesOf(operation: DescribedOperation): readonly string[] {
  const { area } = operation;
  const known = queryParameters(operation).flatMap((parameter) => {
    const name = String(parameter['name']);
    const isList = parameter['type'] === 'array';
    const isChecked = name !== 'expand' && enumOf(parameter) !== undefined;
    const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [
      ...(isChecked || parameter['type'] === 'boolean' ? [`?${name}=Nope`] : []),
      ...(parameter['type'] === 'integer' ? [`?${name}=many`] : []),
      ...(isList && area === 'identity' ? [`?${name}=BER,VIE`] : []),
      ...(isList && area === 'inventory' ? [`?${name}=BER&${name}=VIE`] : []),
      ...(isList ? [] : [`?${name}=1&${name}=1`]),
      ...(snake === name ? [] : [`?${snake}=1`]),
    ];
  });
  const pages =
    area === 'inventory' && operation.query.includes('pageSize') ? ['?pageSize=501', '?pageSize=0'] : [];
  return ['?stars=5', ...known, ...pages];
}

function joined(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first}&${second.slice(1)}`;
}

function withoutNames(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}');
}
