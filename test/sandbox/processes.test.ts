import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundled } from '../helpers/bundled.ts';
import { freshFolder, sandbox } from './harness.ts';

const run = promisify(execFile);
const script = await bundled(join(import.meta.dirname, 'writer.ts'));

test('eight processes that start at once on a fresh folder lose no write', { timeout: 60_000 }, async () => {
  const folder = await freshFolder();
  const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].map((letter) => `HTL_${letter}`);

  const runs = await Promise.all(names.map((name) => run('node', [script, folder, name, '10'])));

  const ids = names.flatMap((name) => Array.from({ length: 10 }, (_, index) => `${name}_${index}`));
  expect(runs.map(({ stdout }) => stdout).join('')).toBe(ids.map((id) => `201 {"id":"${id}"}\n`).join(''));
  const { call } = await sandbox({ folder });
  const { body } = await call('GET', '/inventory/v1/properties');
  const { items } = body as { items: readonly { readonly id: string }[] };
  expect(items.map(({ id }) => id).sort()).toEqual(['BER', 'MUC', 'VIE', ...ids].sort());
  expect(await readdir(folder)).toEqual(['state.ndjson']);
});

test('a process that is killed while it writes loses at most its last write', {
  timeout: 60_000,
}, async () => {
  const { folder, call } = await sandbox();
  const child = spawn('node', [script, folder, 'HTL_A', '100000']);
  const answered: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => answered.push(text));
  await expect.poll(() => answered.join('').split('\n').length, { timeout: 30_000 }).toBeGreaterThan(20);
  child.kill('SIGKILL');
  await once(child, 'close');

  const created = [...answered.join('').matchAll(/^201 \{"id":"(\w+)"\}$/gm)].map(([, id]) => id);
  const { body: count } = await call('GET', '/inventory/v1/properties/$count');
  expect(count).toBeGreaterThanOrEqual(3 + created.length);
  expect(count).toBeLessThanOrEqual(3 + created.length + 1);
  const last = await call('DELETE', `/inventory/v1/properties/${created.at(-1)}`);
  expect(last.status).toBe(204);
});

test('a full disk is 507, and changes nothing', { timeout: 60_000 }, async () => {
  const { folder, call } = await sandbox();
  await call('POST', '/api/v1/invitations', { body: { email: 'eva@example.com' } });
  const command = `ulimit -f 20; exec node '${script}' '${folder}' HTL_A 30`;

  const { stdout } = await run('bash', ['-c', command]);

  const answers = stdout.trimEnd().split('\n');
  const created = answers.filter((line) => line.startsWith('201'));
  const refused = answers.filter((line) => line.startsWith('507'));
  expect([created.length > 0, refused.length > 0, created.length + refused.length]).toEqual([true, true, 30]);
  expect(refused[0]).toContain('"code":"sandbox_full"');
  expect((await call('GET', '/inventory/v1/properties/$count')).body).toBe(3 + created.length);
  expect((await call('DELETE', '/inventory/v1/properties/HTL_A_0')).status).toBe(204);
});
