import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { API, cli, hotels, type Situation } from '../helpers/cli.ts';
import { ended, printed } from '../helpers/ended.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { onlyIntercepted } from '../helpers/interceptors.ts';

const KEY = '11111111-2222-4333-8444-555555555555';

onlyIntercepted();

const innctl = (line: string | readonly string[], situation: Situation = {}) =>
  cli(line, { env: hotels, ...situation });

describe('the request', () => {
  test('GET prints the response with its field names unchanged', async () => {
    nock(API, { reqheaders: { authorization: `Bearer ${hotels.INNCTL_TOKEN}` } })
      .get('/inventory/v1/unit-groups')
      .query({ property_id: 'BER' })
      .reply(200, '{"unitGroups":[{"id":12345678901234567890,"memberCount":2}],"count":1}');

    expect(await innctl('api get inventory/v1/unit-groups?property_id=BER')).toEqual(
      printed(
        '{\n  "unitGroups": [\n    {\n      "id": "12345678901234567890",\n      "memberCount": 2\n    }\n  ],\n  "count": 1\n}\n',
      ),
    );
  });

  test('non-ASCII characters are percent-encoded, and existing escapes are kept', async () => {
    nock(API).get('/inventory/v1/units/M%C3%9CN%2D1?q=%C3%A4&r=%7Ba%7D&s=%20').reply(200, []);

    const result = await innctl('api GET /inventory/v1/units/MÜN%2D1?q=ä&r={a}&s=%20');

    expect(result).toEqual(printed('[]\n'));
  });

  test.each(['GET', 'DELETE'])('the fields of %s are appended to the query of its path', async (method) => {
    nock(API)
      .intercept('/inventory/v1/units?a=0&b=x+y&list=BER&list=2&map%5Bc%5D=true', method)
      .reply(200, { done: true });

    const result = await innctl(
      `api ${method} /inventory/v1/units?a=0 -f "b=x y" -f list[]=BER -F list[]=2 -F map[c]=true --confirm units`,
    );

    expect(JSON.parse(result.stdout)).toEqual({ done: true });
  });

  test('the fields of a POST are its JSON body', async () => {
    const body = {
      code: '01067',
      beds: 2,
      rate: 1.5,
      postal: '01067',
      sea: false,
      note: null,
      tags: ['a', 2],
      none: [],
      location: { city: 'Berlin', geo: { lat: 52.5 } },
      extra: { x: [1] },
      empty: '',
      steps: [{ op: 'add', path: '/a' }, { op: 'remove' }],
      version: '1=2',
    };
    nock(API).post('/inventory/v1/units', body).reply(201, { id: 'BER-1' });
    const raw = ['code=01067', 'tags[]=a', 'location[city]=Berlin', 'empty=', 'version=1=2'];
    const typed = [
      ...['beds=2', 'rate=1.5', 'postal=01067', 'sea=false', 'note=null', 'tags[]=2', 'none[]'],
      ...['location[geo][lat]=52.5', 'extra={"x":[1]}'],
      'steps=[{"op":"add","path":"/a"},{"op":"remove"}]',
    ];

    const result = await innctl([
      ...['api', 'POST', '/inventory/v1/units'],
      ...raw.flatMap((field) => ['-f', field]),
      ...typed.flatMap((field) => ['-F', field]),
    ]);

    expect({ ...result, stdout: JSON.parse(result.stdout) }).toEqual(printed({ id: 'BER-1' }));
  });

  test('__proto__ and constructor are ordinary field names', async () => {
    const sent: unknown[] = [];
    nock(API)
      .put('/inventory/v1/units/BER-1', (body) => sent.push(JSON.stringify(body)) > 0)
      .reply(204);

    await innctl([
      ...['api', 'PUT', '/inventory/v1/units/BER-1', '-f', '__proto__[a]=1'],
      ...['-f', 'constructor=2', '-F', 'c={"__proto__":3}'],
    ]);

    expect(sent).toEqual(['{"__proto__":{"a":"1"},"constructor":"2","c":{"__proto__":3}}']);
  });

  test('a field reads its value from a file or stdin', async () => {
    const file = join(await temporaryFolder(), 'note.txt');
    await writeFile(file, '@Ana: "hello"\n');
    nock(API).post('/x', { a: '@Ana: "hello"\n', b: 'from stdin' }).reply(200, {});

    expect(
      (await innctl(['api', 'POST', '/x', '-F', `a=@${file}`, '-F', 'b=@-'], { stdin: 'from stdin' }))
        .exitCode,
    ).toBe(0);
  });

  test('--input is sent unchanged, and the fields become the query', async () => {
    const text = ' [ {"op":"replace", "path":"/name/en", "value":1.0, "id":12345678901234567890} ]\n';
    const bodies: string[] = [];
    const connect: Situation['connect'] = async () => ({
      close: async () => {},
      async request({ method, url, body, headers }) {
        bodies.push(`${method} ${url} ${headers['content-type']} ${body}`);
        return { status: 204, headers: {}, bytes: new Uint8Array() };
      },
    });

    const result = await innctl('api PATCH /inventory/v1/properties/BER --input - -f force=yes', {
      stdin: text,
      connect,
    });

    expect(result).toEqual(ended(0, 'PATCH /inventory/v1/properties/BER: 204.\n'));
    expect(bodies).toEqual([
      `PATCH https://api.example.com/inventory/v1/properties/BER?force=yes application/json ${text}`,
    ]);
  });

  test.each([
    ['an integer beyond double precision', '{"id":12345678901234567890}'],
    ['a number with a zero fraction', '[ 1.0 ]'],
    ['negative zero', '-0'],
    ['a duplicate key', '{"id":1,"id":2}'],
    ['an unnecessary escape', '{"name":"\\u0041"}'],
  ])('a dry run shows %s as it would be sent', async (_, stdin) => {
    const line = 'api POST /x --input - --dry-run';

    const { stdout } = await innctl(line, { stdin });
    const [sent] = JSON.parse((await innctl(`${line} --json`, { stdin })).stdout).requests;

    expect(stdout.endsWith(`\n\n${stdin}\n`)).toBe(true);
    expect({ text: sent.body_text, body: sent.body }).toEqual({ text: stdin, body: undefined });
  });

  test('a dry run reformats a body that differs only in whitespace', async () => {
    const stdin = '{"note": "a \\" b  c",\n\t"n":[1 , -2.5e-7],"e":"\\\\"}\n';
    const line = 'api POST /x --input - --dry-run';

    const { stdout } = await innctl(line, { stdin });
    const [sent] = JSON.parse((await innctl(`${line} --json`, { stdin })).stdout).requests;

    expect(stdout).toContain('{\n  "note": "a \\" b  c",\n  "n": [\n    1,\n');
    expect(sent).toMatchObject({ body: { note: 'a " b  c', n: [1, -2.5e-7], e: '\\' } });
    expect(sent.body_text).toBeUndefined();
  });
});

describe('the output', () => {
  test.each<[string, string, string, string]>([
    ['', 'text/plain', 'in\u001b[31m order', 'in\\u{1b}[31m order\n'],
    ['--json', 'text/plain', 'in order', '"in order"\n'],
    ['', 'application/json', '3', '3\n'],
    ['', 'application/json', 'null', 'null\n'],
    ['-o ndjson', 'application/json', '{"count":2,"items":[{"id":"BER"},"x"]}', '{"id":"BER"}\n"x"\n'],
    ['-o ndjson', 'application/json', '[]', ''],
    ['-o ndjson', 'application/json', '{"id":"BER","tags":["a"]}', '{"id":"BER","tags":["a"]}\n'],
    ['-o table', 'application/json', '{"id":"BER"}', '{\n  "id": "BER"\n}\n'],
    ['-o tsv', 'application/json', '{"id":"BER"}', '{\n  "id": "BER"\n}\n'],
  ])('%s shows %s %s', async (flags, type, body, stdout) => {
    nock(API).get('/x').reply(200, body, { 'content-type': type });

    expect(await innctl(`api GET /x ${flags}`)).toEqual(printed(stdout));
  });

  test.each<[string, string, string, string]>([
    ['GET', '', '', 'GET /x: 204.\n'],
    ['DELETE', '', '', 'DELETE /x: 204.\n'],
    ['DELETE', '--json', '{\n  "status": 204\n}\n', ''],
    ['GET', '--json', '{\n  "status": 204\n}\n', ''],
  ])('%s %s with an empty response body', async (method, flags, stdout, stderr) => {
    nock(API).intercept('/x', method).reply(204);

    expect(await innctl(`api ${method} /x ${flags} --confirm x`)).toEqual({ exitCode: 0, stdout, stderr });
  });

  const head = { 'content-type': 'application/json', 'set-cookie': 'session=abc', 'x-request-id': 'r-1' };

  test('-i shows status and headers before the body, secrets masked', async () => {
    nock(API).get('/x').reply(200, { id: 'BER' }, head);

    expect(await innctl('api GET /x -i')).toEqual(
      printed(
        'HTTP 200\ncontent-type: application/json\nset-cookie: [redacted]\nx-request-id: r-1\n\n{\n  "id": "BER"\n}\n',
      ),
    );
  });

  test('HEAD prints only the status and headers', async () => {
    nock(API).head('/x').query({ a: '1' }).reply(200, undefined, { 'x-total': '3' });

    expect(await innctl('api HEAD /x -f a=1')).toEqual(printed('HTTP 200\nx-total: 3\n\n'));
  });

  test('the outcome of a write with an unreadable response is unknown, and the hint names a GET', async () => {
    const deep = `${'['.repeat(101)}${']'.repeat(101)}`;
    nock(API).post('/x').reply(201, deep, { 'content-type': 'application/json' });

    const result = await innctl('api POST /x');

    expect({ exitCode: result.exitCode, stdout: result.stdout }).toEqual({ exitCode: 8, stdout: '' });
    expect(result.stderr).toContain('Check what exists before you send it again.\nhint: innctl api GET /x\n');
  });
});

describe('--paginate', () => {
  const page = (number: number, body: unknown, size = 100) =>
    nock(API).get(`/x?a=1&page_size=${size}&page_number=${number}`).reply(200, JSON.stringify(body));

  test('streams ndjson page by page', async () => {
    page(1, { count: 2, items: [{ id: 'BER' }] });
    nock(API).get('/x?a=1&page_size=100&page_number=2').reply(403);

    expect(await innctl('api GET /x -f a=1 --paginate -o ndjson')).toMatchObject({
      exitCode: 5,
      stdout: '{"id":"BER"}\n',
    });
  });

  test('prints nothing on stdout when a later page fails under JSON', async () => {
    page(1, { count: 2, items: ['BER'] }, 1);
    nock(API)
      .get('/x?a=1&page_size=1&page_number=2')
      .reply(403, { messages: ['no'] });

    const result = await innctl('api GET /x -f a=1 -f page_size=1 --paginate --json');

    expect({ ...result, stderr: JSON.parse(result.stderr).error.message }).toEqual(
      ended(5, 'Could not send GET /x: no (403 from api.example.com).'),
    );
  });

  test('an answer that is not a list is printed after one request', async () => {
    page(1, { id: 'BER', name: 'Grand Hotel Berlin' });

    const { stdout, stderr } = await innctl('api GET /x -f a=1 --paginate');

    expect({ stdout: JSON.parse(stdout), stderr }).toEqual({
      stdout: { id: 'BER', name: 'Grand Hotel Berlin' },
      stderr: 'warning: The response is not a list and has no further pages.\n',
    });
  });

  test.each([
    ['--json', '[]\n'],
    ['-o ndjson', ''],
  ])('204 with %s is an empty list', async (flags, stdout) => {
    nock(API).get('/x?page_size=100&page_number=1').reply(204);

    expect(await innctl(`api GET /x --paginate ${flags}`)).toEqual(printed(stdout));
  });
});

describe('retries and unknown outcomes', () => {
  test.each([
    ['with --idempotency-key', '--idempotency-key k-1', {}],
    ['with INNCTL_IDEMPOTENCY_HEADER', '', { INNCTL_IDEMPOTENCY_HEADER: 'Idempotency-Key' }],
  ])('every attempt to create a property sends the same key %s', async (_, flags, env) => {
    const expectedKey = flags === '' ? KEY : 'k-1';
    const create = () =>
      nock(API, { reqheaders: { 'idempotency-key': expectedKey } }).post('/inventory/v1/properties', {
        code: 'HAM',
      });
    create().reply(500);
    create().reply(201, { id: 'HAM' });

    const result = await innctl(`api POST /inventory/v1/properties -f code=HAM ${flags}`, {
      env: { ...hotels, ...env },
    });

    expect(JSON.parse(result.stdout)).toEqual({ id: 'HAM' });
  });

  test('creating a property is not retried if the service may ignore idempotency keys', async () => {
    nock(API).post('/inventory/v1/properties').reply(500);

    expect((await innctl('api POST /inventory/v1/properties -f code=HAM')).exitCode).toBe(8);
  });

  test('after a creation with unknown outcome, the hint repeats the command with its key', async () => {
    nock(API).post('/inventory/v1/properties').reply(500);

    const result = await innctl('api POST /inventory/v1/properties --input - --max-attempts 1', {
      stdin: '{"code":"HAM"}',
    });

    expect(result).toEqual(
      ended(
        8,
        'error: Could not send POST /inventory/v1/properties: the answer gives no reason (500 from api.example.com). The outcome is unknown: it may have been carried out. The command that settles it needs the same input.\n' +
          `hint: innctl api POST /inventory/v1/properties --input - --max-attempts 1 --idempotency-key ${KEY}\n`,
      ),
    );
  });

  test.each([
    ['POST', 'innctl --json api GET'],
    ['PATCH', 'innctl --json api PATCH'],
    ['PUT', 'innctl --json api PUT'],
  ])('%s without a key is sent once, and its outcome is unknown', async (method, settling) => {
    nock(API, { badheaders: ['idempotency-key'] })
      .intercept("/inventory/v1/units/a'b", method)
      .reply(500);

    const result = await innctl(['--json', 'api', method, "/inventory/v1/units/a'b"]);

    expect(JSON.parse(result.stderr)).toEqual({
      error: expect.objectContaining({
        code: 'outcome_unknown',
        status: 500,
        hint: `${settling} '/inventory/v1/units/a'\\''b'`,
      }),
    });
    expect({ exitCode: result.exitCode, stdout: result.stdout }).toEqual({ exitCode: 8, stdout: '' });
  });

  test('after a patch that adds to a list, tests or removes, the hint is a GET', async () => {
    nock(API).patch('/x').times(3).reply(500);
    const steps = [
      [{ op: 'add', path: '/list/-', value: 1 }],
      [{ op: 'remove', path: '/name' }],
      [{ op: 'test', path: '/name', value: 1 }],
    ];

    const results = await Promise.all(
      steps.map((each) => innctl('api PATCH /x --input - --json', { stdin: JSON.stringify(each) })),
    );

    const hints = results.map(({ stderr }) => JSON.parse(stderr).error.hint);
    expect(hints).toEqual(steps.map(() => 'innctl --json api GET /x'));
  });

  test('after a patch that only replaces, or a merge patch, the hint repeats the command', async () => {
    nock(API).patch('/x').times(2).reply(500);
    const bodies = [[{ op: 'replace', path: '/name', value: 1 }], { name: 1 }];

    const results = await Promise.all(
      bodies.map((each) => innctl('api PATCH /x --input - --json', { stdin: JSON.stringify(each) })),
    );

    const hints = results.map(({ stderr }) => JSON.parse(stderr).error.hint);
    expect(hints).toEqual(bodies.map(() => 'innctl api PATCH /x --input - --json'));
  });

  test('after a deletion with unknown outcome, the hint repeats the command with --ignore-not-found', async () => {
    nock(API).delete('/x').reply(500);
    nock(API).delete('/x').times(2).reply(404);

    const { stderr } = await innctl('api DELETE /x --confirm x --max-attempts 1');
    const [, again = ''] = /\nhint: innctl (.*)\n/.exec(stderr) ?? [];

    expect(again).toBe('api DELETE /x --confirm x --max-attempts 1 --ignore-not-found');
    expect(await innctl(again)).toEqual(ended(0, 'DELETE /x: not found.\n'));
    expect((await innctl('api DELETE /x --confirm x')).exitCode).toBe(3);
  });

  test('--ignore-not-found is accepted only for DELETE', async () => {
    expect(await innctl('api GET /x --ignore-not-found')).toEqual(
      ended(2, 'error: --ignore-not-found: only DELETE takes it, not GET\n'),
    );
  });
});

describe('the guards', () => {
  test.each([
    ['-f', 'id=BER'],
    ['-F', 'ids[]=BER'],
    ['-F', 'ids=["X","BER"]'],
  ])('check fields that become the query: %s %s', async (flag, field) => {
    const env = { ...hotels, INNCTL_PROTECT: 'BER' };

    const deleted = await innctl(['api', 'DELETE', '/inventory/v1/units', flag, field], { env });
    const put = await innctl(['api', 'PUT', '/inventory/v1/units', flag, field, '--input', '-'], {
      env,
      stdin: '{}',
    });

    expect([deleted.exitCode, put.exitCode]).toEqual([11, 11]);
  });

  test('do not check other keys of a body', async () => {
    const body = { property: 'BER', properties: ['BER'], propertyId: 'BERLIN', note: 'not /BER' };
    nock(API).post('/inventory/v1/units', body).reply(201, {});

    const { exitCode } = await innctl('api POST /inventory/v1/units --input -', {
      env: { ...hotels, INNCTL_PROTECT: 'BER' },
      stdin: JSON.stringify(body),
    });

    expect(exitCode).toBe(0);
  });

  test.each([
    ['PATCH', '/api/v1/identity/users/u-1'],
    ['PATCH', '/api/v1/users;x=1/%2575-1;y'],
    ['POST', '/api/v1/users/u-1/disable'],
    ['DELETE', '/api/v1/users/u-1'],
  ])('protect a user by e-mail address when the path has the subject id: %s %s', async (method, path) => {
    nock('https://identity.example.com')
      .get('/api/v1/identity/users/u-1')
      .reply(200, { subject_id: 'u-1', email: 'ana@hotel.example' });

    const { exitCode, stderr } = await innctl(['api', method, path, '--confirm', 'u-1'], {
      env: { ...hotels, INNCTL_PROTECT: '*@hotel.example' },
    });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 11,
      stderr: expect.stringContaining('ana@hotel.example is protected by *@hotel.example (INNCTL_PROTECT)'),
    });
  });

  test('protect a user by subject id when the path has the e-mail address', async () => {
    nock('https://identity.example.com')
      .get('/api/v1/users?page_size=100&page_number=1')
      .reply(200, { count: 1, users: [{ subject_id: 'u-1', email: 'ana@hotel.example' }] });

    const { exitCode, stderr } = await innctl('api PATCH /api/v1/users/ana@hotel.example', {
      env: { ...hotels, INNCTL_PROTECT: 'u-1' },
    });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 11,
      stderr: expect.stringContaining('u-1 is protected by u-1 (INNCTL_PROTECT)'),
    });
  });
});
