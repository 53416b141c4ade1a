import { expect, test } from 'vitest';
import { NOON, sandbox } from './harness.ts';
import { hotel } from './hotel.ts';

const path = '/inventory/v1/properties';
const DAY_MS = 86_400_000;
const headers = { 'idempotency-key': 'key-1' };

test('the same key and body replay the answer, and nothing is created twice', async () => {
  const { call } = await sandbox();
  const first = await call('POST', path, { headers, body: hotel('HAM') });

  const { code, ...rest } = hotel('HAM');
  const again = await call('POST', path, { headers, body: { ...rest, code } });

  expect([again.status, again.body]).toEqual([first.status, first.body]);
  expect(again.headers.get('location')).toBe(`${path}/HAM`);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await call('GET', `${path}/$count`)).body).toBe(4);
});

test('the same key with another body is rejected', async () => {
  const { call } = await sandbox();
  await call('POST', path, { headers, body: hotel('HAM') });

  const refused = await call('POST', path, { headers, body: hotel('DRS') });

  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({ error: { code: 'idempotency_key_reused' } });
  expect((await call('GET', `${path}/DRS`)).status).toBe(404);
});

test('a key survives a restart, and expires after a day', async () => {
  const clock = { now: NOON };
  const first = await sandbox({ now: () => clock.now });
  await first.call('POST', path, { headers, body: hotel('HAM') });
  await first.close();
  const second = await sandbox({ folder: first.folder, now: () => clock.now });
  const send = async () => (await second.call('POST', path, { headers, body: hotel('HAM') })).status;

  clock.now = NOON + DAY_MS - 1;
  expect(await send()).toBe(201);
  clock.now = NOON + DAY_MS;
  expect(await send()).toBe(409);
});

test('a rejection is not stored: the key can be used again', async () => {
  const { call } = await sandbox();
  await call('POST', path, { headers, body: hotel('MUC') });
  await call('DELETE', `${path}/MUC`);

  expect((await call('POST', path, { headers, body: hotel('MUC') })).status).toBe(201);
});

test('while a request with a key is in progress, another with the same key is rejected', async () => {
  const { call } = await sandbox({ latencyMs: 200 });
  const send = () => call('POST', path, { headers, body: hotel('HAM') });

  const answers = await Promise.all([send(), send()]);

  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
    error: { code: 'idempotency_in_progress' },
  });
});

test('a key that is not visible ASCII is rejected', async () => {
  const { call } = await sandbox();

  const refused = await call('POST', path, { headers: { 'idempotency-key': 'a key' }, body: hotel('HAM') });

  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ error: { code: 'bad_idempotency_key' } });
});
