import { describe, expect, test } from 'vitest';
import { type Fault, parseFault } from '../../src/sandbox/faults.ts';
import { createFaultPicker } from '../../src/sandbox/under-fault.ts';
import { NOON, sandbox } from './harness.ts';
import { hotel } from './hotel.ts';

const path = '/inventory/v1/properties';

describe('a fault on the command line', () => {
  test.each<[string, Fault]>([
    ['drop-before', { kind: 'drop-before' }],
    ['429:retry-after=2,nth=3', { kind: '429', retryAfterSeconds: 2, nth: 3 }],
    ['slow-head:ms=10,times=2', { kind: 'slow-head', delayMs: 10, times: 2 }],
    ['cut:rate=0.05,method=post', { kind: 'cut', rate: 0.05, method: 'POST' }],
    ['503:operation=token', { kind: '503', operation: 'token' }],
    ['answer:status=502,body=html', { kind: 'answer', status: 502, body: 'html' }],
    ['answer:type=none', { kind: 'answer', type: 'none' }],
    ['429:retry-after=5,skew=-3600', { kind: '429', retryAfterSeconds: 5, skewSeconds: -3600 }],
    [
      'redirect:to=http://127.0.0.1:9/a=b,status=307',
      { kind: 'redirect', to: 'http://127.0.0.1:9/a=b', status: 307 },
    ],
    ['lag', { kind: 'lag' }],
    ['lag:ms=5000,reads=lists', { kind: 'lag', delayMs: 5_000, reads: 'lists' }],
    ['lag:operation=getProperty,method=get', { kind: 'lag', operation: 'getProperty', method: 'GET' }],
  ])('%s is parsed', (spec, fault) => {
    expect(parseFault(spec)).toEqual(fault);
  });

  const cut = 'Settings of cut: rate, nth, times, method, operation.';
  const help = 'See: innctl sandbox serve --help';

  test.each([
    [
      'explode',
      '"explode" is not a kind of fault',
      /^Kinds: 200, 401, .*, drop-before, .*, redirect, ignore-keys, lag\.$/,
    ],
    ['constructor', '"constructor" is not a kind of fault', /^Kinds: /],
    ['dorp-after', '"dorp-after" is not a kind of fault', 'Did you mean drop-after?'],
    ['cut:chance=1', '"chance" is not a setting of a fault', cut],
    ['cut:rat=1', '"rat" is not a setting of a fault', 'Did you mean rate?'],
    ['cut:ms=1', '"ms" is not a setting of cut', cut],
    ['hang:body=html', '"body" is not a setting of hang', /^Settings of hang: /],
    ['cut:rate=1.1', '"rate=1.1" is not a valid setting', help],
    ['cut:rate=0', '"rate=0" is not a valid setting', help],
    ['cut:nth=0', '"nth=0" is not a valid setting', help],
    ['cut:method=PUSH', '"method=PUSH" is not a valid setting', help],
    ['cut:operation=x', '"operation=x" is not a valid setting', help],
    ['answer:body=htm', '"body=htm" is not a valid setting', 'Did you mean html?'],
    ['answer:body=__proto__', '"body=__proto__" is not a valid setting', /^Bodies: html, /],
    ['answer:status=100', '"status=100" is not a valid setting', help],
    ['answer:status=600', '"status=600" is not a valid setting', help],
    ['429:skew=1e3', '"skew=1e3" is not a valid setting', help],
    ['redirect:to=nowhere', '"to=nowhere" is not a valid setting', help],
    ['redirect', 'a redirect needs to=URL', 'For example: redirect:to=http://127.0.0.1:8080/'],
    ['lag:reads=list', '"reads=list" is not a valid setting', 'Did you mean lists?'],
    ['lag:reads=toString', '"reads=toString" is not a valid setting', 'Reads: lists, records, all.'],
    ['lag:status=404', '"status" is not a setting of lag', /^Settings of lag: .*, ms, reads\.$/],
    ['cut:reads=lists', '"reads" is not a setting of cut', cut],
    ['lag:operation=createProperty', 'createProperty does not lag', /^Operations: listProperties, /],
    [
      'lag:operation=getProperty,reads=lists',
      'getProperty does not lag',
      'Operations: listProperties, countProperties, listInvitations.',
    ],
    ['lag:method=POST', 'POST does not lag', 'Only reads lag: leave method= out.'],
  ])('%s is exit 2, with the valid choices as a hint', (spec, reason, hint) => {
    expect(() => parseFault(spec)).toThrow(
      expect.objectContaining({
        message: `Cannot read the fault "${spec}": ${reason}.`,
        exitCode: 2,
        hint: expect.stringMatching(hint),
      }),
    );
  });

  test.each(['\n', ' ', '\u001b[31m', '\u202e', 'ö'])('%j in a header is rejected', (text) => {
    expect(() => parseFault(`answer:type=text/${text}plain`)).toThrow('is not a valid setting');
    expect(() => parseFault(`redirect:to=http://127.0.0.1/${text}`)).toThrow('is not a valid setting');
  });
});

describe('a fault hits', () => {
  const hits = (fault: Fault, requests = 6, seed = 1) => {
    const pick = createFaultPicker([fault], seed);
    return Array.from({ length: requests }, () => pick('createProperty', 'POST').fault !== undefined);
  };
  const [o, x] = [false, true];

  test.each<[string, Fault, readonly boolean[]]>([
    ['every request', { kind: 'cut' }, [x, x, x, x, x, x]],
    ['the third request', { kind: 'cut', nth: 3 }, [o, o, x, o, o, o]],
    ['the first two requests', { kind: 'cut', times: 2 }, [x, x, o, o, o, o]],
    ['no request with another method', { kind: 'cut', method: 'GET' }, [o, o, o, o, o, o]],
    ['no request of another operation', { kind: 'cut', operation: 'token' }, [o, o, o, o, o, o]],
  ])('%s', (_, fault, expected) => {
    expect(hits(fault)).toEqual(expected);
  });

  test('a share of the requests, the same ones for the same seed', () => {
    const share = (seed: number) => hits({ kind: 'cut', rate: 0.25 }, 2_000, seed);

    expect(share(7)).toEqual(share(7));
    expect(share(7)).not.toEqual(share(8));
    expect(share(7).filter(Boolean).length / 2_000).toBeCloseTo(0.25, 1);
  });

  test('the token endpoint only if it is named', () => {
    const pick = createFaultPicker([{ kind: 'cut' }], 1);

    expect(pick('token', 'POST').fault).toBeUndefined();
  });

  test('before later faults that would hit the same request', () => {
    const pick = createFaultPicker([{ kind: 'cut', nth: 2 }, { kind: '429' }], 1);

    expect([pick('getUser', 'GET').fault?.kind, pick('getUser', 'GET').fault?.kind]).toEqual(['429', 'cut']);
  });
});

test('ignore-keys combines with another fault', () => {
  const pick = createFaultPicker([parseFault('ignore-keys'), parseFault('drop-after:nth=2')], 1);

  expect([pick('createProperty', 'POST'), pick('createProperty', 'POST')]).toEqual([
    { fault: undefined, ignoresKey: true },
    { fault: { kind: 'drop-after', nth: 2 }, ignoresKey: true },
  ]);
});

describe('what a fault does', () => {
  test('drop-before closes the connection and creates nothing', async () => {
    const { call } = await sandbox({ faults: [parseFault('drop-before:method=POST')] });

    await expect(call('POST', path, { body: hotel('HAM') })).rejects.toThrow('fetch failed');
    expect((await call('GET', `${path}/HAM`)).status).toBe(404);
  });

  test('drop-after closes the connection and creates the record; its key replays the answer', async () => {
    const { call } = await sandbox({ faults: [parseFault('drop-after:operation=createProperty,nth=1')] });
    const headers = { 'idempotency-key': 'key-1' };

    await expect(call('POST', path, { headers, body: hotel('HAM') })).rejects.toThrow('fetch failed');
    expect((await call('GET', `${path}/HAM`)).status).toBe(200);
    expect(await call('POST', path, { headers, body: hotel('HAM') })).toMatchObject({
      status: 201,
      body: { id: 'HAM' },
    });
  });

  test('cut sends the correct Content-Length and half of the body', async () => {
    const { url } = await sandbox({ faults: [parseFault('cut')] });

    const response = await fetch(`${url}${path}`);

    expect([response.status, Number(response.headers.get('content-length')) > 1_000]).toEqual([200, true]);
    await expect(response.text()).rejects.toThrow('terminated');
  });

  test('slow-head delays the head; the record exists before it', async () => {
    const { call, url } = await sandbox({ faults: [parseFault('slow-head:method=POST,ms=60000')] });
    const aborter = new AbortController();
    const waiting = fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(hotel('HAM')),
      signal: aborter.signal,
    });
    const outcome = expect(waiting).rejects.toThrow('aborted');

    await expect.poll(async () => (await call('GET', `${path}/HAM`)).status).toBe(200);
    aborter.abort();
    await outcome;
  });

  test.each([
    ['429', 429, '1'],
    ['429:retry-after=7', 429, '7'],
    ['503', 503, null],
    ['503:retry-after=0', 503, '0'],
    ['500', 500, null],
  ])('%s answers with its status and executes nothing', async (spec, status, retryAfter) => {
    const { call } = await sandbox({ faults: [{ ...parseFault(spec), times: 1 }] });

    const refused = await call('POST', path, { body: hotel('HAM') });

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect((await call('GET', `${path}/HAM`)).status).toBe(404);
  });

  test.each([
    ['401', 401],
    ['502', 502],
    ['504', 504],
    ['200', 200],
    ['200:body=html', 200],
    ['redirect:to=http://127.0.0.1:9/', 302],
  ])('%s executes nothing', async (spec, status) => {
    const { url, call } = await sandbox({
      faults: [parseFault(`${spec}${spec.includes(':') ? ',' : ':'}times=1`)],
    });

    const { status: received } = await fetch(`${url}${path}`, post('HAM'));

    expect([received, (await call('GET', `${path}/HAM`)).status]).toEqual([status, 404]);
  });

  test.each([502, 303, 401])('answer:status=%i is sent after the request was executed', async (status) => {
    const { url, call } = await sandbox({ faults: [parseFault(`answer:status=${status},times=1`)] });

    const { status: received } = await fetch(`${url}${path}`, post('HAM'));

    expect([received, (await call('GET', `${path}/HAM`)).status]).toEqual([status, 200]);
  });

  test('redirect sends its URL as Location', async () => {
    const { url } = await sandbox({ faults: [parseFault('redirect:to=http://127.0.0.1:9/x,status=307')] });

    const { status, headers } = await fetch(`${url}${path}`, { redirect: 'manual' });

    expect([status, headers.get('location')]).toEqual([307, 'http://127.0.0.1:9/x']);
  });

  test('skew sends Date and Retry-After as dates of a skewed clock', async () => {
    const { url } = await sandbox({ faults: [parseFault('429:retry-after=60,skew=3600')] });

    const { headers } = await fetch(`${url}${path}`);

    expect([headers.get('date'), headers.get('retry-after')]).toEqual([
      'Tue, 21 Apr 2026 13:00:00 GMT',
      'Tue, 21 Apr 2026 13:01:00 GMT',
    ]);
  });

  test.each([
    ['type=none', null],
    ['type=text/csv', 'text/csv'],
    ['body=html', 'text/html; charset=utf-8'],
    ['body=html,type=application/json', 'application/json'],
    ['body=null', 'application/json; charset=utf-8'],
  ])('answer:%s has the Content-Type %s', async (settings, type) => {
    const { url } = await sandbox({ faults: [parseFault(`answer:${settings}`)] });

    expect((await fetch(`${url}${path}`)).headers.get('content-type')).toBe(type);
  });

  test.each<[string, unknown, number]>([
    ['first-page', ['BER', 'MUC'], 2],
    ['pages', ['2-0', '2-1'], 2],
    ['count', ['VIE'], 1],
    ['more', ['VIE'], 1],
    ['twice', ['VIE'], 1],
  ])('answer:body=%s changes a list', async (body, ids, length) => {
    const { call } = await sandbox({ faults: [parseFault(`answer:body=${body}`)] });

    // A list of the sandbox is an object with its records under `items`.
    const list = (await call('GET', `${path}?page_size=2&page_number=2`)).body as { items: { id: string }[] };

    expect([list.items.map(({ id }) => id), list.items.length]).toEqual([ids, length]);
  });

  test('hang and drip keep the client waiting; the sandbox can still be closed', async () => {
    const { url, close } = await sandbox({
      faults: [parseFault('hang:method=GET'), parseFault('drip:ms=60000')],
    });
    const outcomes = [
      fetch(`${url}${path}`),
      fetch(`${url}${path}`, post('HAM')).then((answer) => answer.text()),
    ];

    const ended = Promise.allSettled(outcomes);
    await expect.poll(async () => (await fetch(`${url}/.well-known/openid-configuration`)).status).toBe(200);
    await close();

    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('an endless body ends when its reader stops', async () => {
    const { url, close } = await sandbox({ faults: [parseFault('answer:body=endless')] });
    const { body } = await fetch(`${url}${path}`);

    let read = 0;
    for await (const chunk of body ?? []) {
      read += chunk.length;
      if (read > 1_000_000) break;
    }

    expect(read).toBeGreaterThan(1_000_000);
    await close();
  });
});

function post(code: string): RequestInit {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', redirect: 'manual', headers, body: JSON.stringify(hotel(code)) };
}

describe('lag', () => {
  const property = `${path}/HAM`;
  const invitations = '/api/v1/invitations';

  /** A service that just created HAM and invited Mia, and a clock that can be advanced. */
  async function lagging(...specs: readonly string[]) {
    let now = NOON;
    const { call } = await sandbox({ now: () => now, faults: specs.map(parseFault) });
    await call('POST', path, { headers: { 'idempotency-key': 'key-1' }, body: hotel('HAM') });
    await call('POST', invitations, { body: { email: 'mia@example.com' } });
    return {
      call,
      wait: (ms: number) => {
        now += ms;
      },
      async shown() {
        const list = (await call('GET', path)).body as { items: { id: string }[]; count: number };
        const count = (await call('GET', `${path}/$count`)).body;
        const invited = (await call('GET', invitations)).body as { invitations: { email: string }[] };
        const inList = list.items.some(({ id }) => id === 'HAM');
        expect([list.count, count]).toEqual([list.items.length, list.items.length]);
        return {
          lists: [inList, invited.invitations.some(({ email }) => email === 'mia@example.com')],
          records: [(await call('GET', property)).status, (await call('HEAD', property)).status],
        };
      },
    };
  }

  const seen = { lists: [true, true], records: [200, 200] };
  const hidden = { lists: [false, false], records: [404, 404] };

  test.each([
    ['lag:ms=5000', hidden],
    ['lag:ms=5000,reads=all', hidden],
    ['lag:ms=5000,reads=lists', { ...seen, lists: hidden.lists }],
    ['lag:ms=5000,reads=records', { ...seen, records: hidden.records }],
    ['lag:ms=5000,operation=listInvitations', { ...seen, lists: [true, false] }],
  ])('%s hides new records from these reads for that time', async (spec, atFirst) => {
    const { shown, wait } = await lagging(spec);

    expect(await shown()).toEqual(atFirst);
    wait(4_999);
    expect(await shown()).toEqual(atFirst);
    wait(1);
    expect(await shown()).toEqual(seen);
  });

  test('lasts 12 s by default, and any time that ms accepts', async () => {
    const { shown, wait } = await lagging('lag');
    const forever = await lagging('lag:ms=9007199254740991');

    wait(11_999);
    expect(await shown()).toEqual(hidden);
    wait(1);
    expect(await shown()).toEqual(seen);
    expect((await forever.call('GET', `${path}/BER`)).status).toBe(404);
  });

  test('does not affect writes: keys replay, and codes and addresses are already taken', async () => {
    const { call } = await lagging('lag');
    const again = await call('POST', path, { headers: { 'idempotency-key': 'key-1' }, body: hotel('HAM') });

    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect((await call('POST', path, { body: hotel('HAM') })).status).toBe(409);
    expect((await call('POST', invitations, { body: { email: 'mia@example.com' } })).status).toBe(409);
    expect((await call('DELETE', property)).status).toBe(204);
  });

  test('combines with other faults, in any order', async () => {
    const one = await lagging('lag', '500:operation=getProperty,nth=1');
    const other = await lagging('500:operation=getProperty,nth=1', 'lag');
    const statuses = async ({ call }: typeof one) => [
      (await call('GET', property)).status,
      (await call('GET', property)).status,
    ];

    expect([await statuses(one), await statuses(other)]).toEqual([
      [500, 404],
      [500, 404],
    ]);
  });
});
