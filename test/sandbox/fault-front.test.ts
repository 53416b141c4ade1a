import { expect, test } from 'vitest';
import { parseFault } from '../helpers/fault-front.ts';
import { sandbox } from './harness.ts';
import { hotel } from './hotel.ts';

const path = '/inventory/v1/properties';

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
  await expect.poll(async () => (await fetch(`${url}/nothing`)).status).toBe(404);
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

test.each(['cut:nthh=1', 'answer:body=htm', 'explode'])('%s is no fault', (spec) => {
  expect(() => parseFault(spec)).toThrow();
});

function post(code: string): RequestInit {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', redirect: 'manual', headers, body: JSON.stringify(hotel(code)) };
}
