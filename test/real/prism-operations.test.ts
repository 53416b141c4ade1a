import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { apaleo } from '../../src/service/apaleo.ts';
import { type OperationId, operations } from '../../src/service/operations.ts';
import { type Prism, startMock, startProxy } from './prism.ts';
import { beyondMock, lines } from './prism-lines.ts';

let prism: Prism;

beforeAll(async () => {
  prism = await startMock();
}, 400_000);

afterAll(() => prism[Symbol.asyncDispose]());

// The keys of the table are the ids.
const ids = (Object.keys(lines) as OperationId[]).filter((id) => !beyondMock.has(id));

test.each(ids)('%s: its command sends it as the documents describe it', async (id) => {
  const before = prism.judged.length;

  const { exitCode, stderr } = await prism.innctl(lines[id]);

  const requests = prism.judged.slice(before);
  const sent = requests.map((each) => `${each.operation?.method} ${each.operation?.path}`);
  const wanted = `${operations[id].method} ${apaleo.path(id).replace('{subjectId}', '{userId}')}`;
  expect({ sent, stderr }).toEqual({ sent: expect.arrayContaining([wanted]), stderr: expect.any(String) });
  expect(requests.flatMap(({ violations }) => violations)).toEqual([]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
});

test('units update sends the changes of several units with one request', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'innctl-prism-'));
  const sandbox = await startSandbox({ folder, now: Date.now, dialect: 'apaleo' });
  const proxy = await startProxy(sandbox);
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]();
    await sandbox.close();
    rmSync(folder, { recursive: true });
  });
  const listed = await proxy.innctl('units list --property BER --limit 2 --json');
  const [one, other] = JSON.parse(listed.stdout).items;

  const { exitCode } = await proxy.innctl(`units update ${one.id} ${other.id} --max-persons 9 --yes`);

  const writes = proxy.judged.filter(({ operation }) => operation?.method === 'PATCH');
  expect({ exitCode, sent: writes.map(({ operation }) => operation?.path) }).toEqual({
    exitCode: 0,
    sent: ['/inventory/v1/units'],
  });
  expect(proxy.judged.flatMap(({ violations }) => violations)).toEqual([]);
}, 400_000);
