import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openStore, resetState } from '../../src/sandbox/store.ts';
import { freshFolder, NOON, sandbox } from './harness.ts';
import { hotel } from './hotel.ts';

const count = '/inventory/v1/properties/$count';
const now = () => NOON;
const stateOf = (folder: string) => join(folder, 'state.ndjson');

async function create({ call }: Awaited<ReturnType<typeof sandbox>>, code: string) {
  return (await call('POST', '/inventory/v1/properties', { body: hotel(code) })).status;
}

describe('state', () => {
  test('survives a restart, with one line for each write', async () => {
    const first = await sandbox();
    await create(first, 'HAM');
    await first.close();

    const second = await sandbox({ folder: first.folder });

    expect((await second.call('GET', '/inventory/v1/properties/HAM')).status).toBe(200);
    const lines = (await readFile(stateOf(first.folder), 'utf8')).trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      version: 2,
      generation: 1,
      seed: 'small',
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual([
      { put: ['properties', 'HAM', expect.objectContaining({ id: 'HAM' })] },
    ]);
  });

  test('is shared: each sandbox sees the writes of the other at once', async () => {
    const first = await sandbox();
    const second = await sandbox({ folder: first.folder });

    expect([await create(first, 'HAM'), await create(second, 'HAM'), await create(second, 'DRS')]).toEqual([
      201, 409, 201,
    ]);
    expect((await first.call('GET', '/inventory/v1/properties/DRS')).status).toBe(200);
  });

  test('carries out concurrent writes in their order, each with its own result and line', async () => {
    const folder = await freshFolder();
    const store = await openStore({ folder, seed: 'small', now });
    onTestFinished(store.close);
    const before = (await readFile(stateOf(folder), 'utf8')).split('\n').length;
    const remove = (id: string) =>
      store.write((records) => {
        if (!records.properties.has(id)) throw new Error(`no ${id}`);
        return { changes: [{ delete: ['properties', id] }], status: 200, body: `removed ${id}` };
      });

    const outcomes = await Promise.allSettled([remove('BER'), remove('BER'), remove('MUC')]);

    expect(outcomes).toEqual([
      { status: 'fulfilled', value: { status: 200, body: 'removed BER' } },
      { status: 'rejected', reason: new Error('no BER') },
      { status: 'fulfilled', value: { status: 200, body: 'removed MUC' } },
    ]);
    expect((await readFile(stateOf(folder), 'utf8')).split('\n').length).toBe(before + 2);
  });

  test('ignores an incomplete last line, which the next write truncates', async () => {
    const first = await sandbox();
    await appendFile(stateOf(first.folder), '[{"put":["properties","HAM",{"id"');

    expect((await first.call('GET', count)).body).toBe(3);
    expect(await create(first, 'DRS')).toBe(201);
    const { call } = await sandbox({ folder: first.folder });
    expect((await call('GET', count)).body).toBe(4);
    expect(await readFile(stateOf(first.folder), 'utf8')).not.toContain('HAM');
  });

  test('has modes 0700 and 0600, whatever mode the folder had before', async () => {
    const folder = await freshFolder();
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o777);

    await sandbox({ folder });

    const modes = [await stat(folder), await stat(stateOf(folder))].map(({ mode }) =>
      (mode & 0o777).toString(8),
    );
    expect(modes).toEqual(['700', '600']);
  });

  test('temporary files of a killed process are deleted by a reset, and no other files', async () => {
    const { folder } = await sandbox();
    await writeFile(join(folder, 'state.ndjson.0a1b2c3d-0000-4000-8000-000000000000.tmp'), 'half');
    await writeFile(join(folder, 'notes.tmp'), 'mine');

    await resetState({ folder, seed: 'small', now });

    expect((await readdir(folder)).sort()).toEqual(['notes.tmp', 'state.ndjson']);
  });
});

describe('reset', () => {
  test('is seen at once by a running sandbox, and tokens stay valid', async () => {
    const { call, folder, token } = await sandbox({ requireAuth: true });
    const headers = { authorization: `Bearer ${token}` };

    await resetState({ folder, seed: 'chain', size: 5, now });

    expect((await call('GET', count, { headers })).body).toBe(5);
    const [header = ''] = (await readFile(stateOf(folder), 'utf8')).split('\n');
    expect(JSON.parse(header)).toMatchObject({ generation: 2, seed: 'chain' });
  });

  test('runs concurrently with writes: each is in the old state or in the new one', async () => {
    const running = await sandbox();
    const codes = Array.from({ length: 30 }, (_, index) => `HTL_${index}`);

    const [statuses] = await Promise.all([
      Promise.all(codes.map((code) => create(running, code))),
      resetState({ folder: running.folder, seed: 'small', now }),
    ]);

    expect(new Set(statuses)).toEqual(new Set([201]));
    const other = await sandbox({ folder: running.folder });
    expect((await other.call('GET', count)).body).toBe((await running.call('GET', count)).body);
  });
});

describe('an unusable state is reported and stays unchanged until a reset', () => {
  test('a state that is a symbolic link', async () => {
    const folder = await freshFolder();
    const elsewhere = join(dirname(folder), 'elsewhere');
    await mkdir(folder, { recursive: true });
    await writeFile(elsewhere, 'mine');
    await symlink(elsewhere, stateOf(folder));
    const problem = { code: 'symlink', message: expect.stringContaining(stateOf(folder)) };

    await expect(sandbox({ folder })).rejects.toMatchObject(problem);
    await expect(resetState({ folder, seed: 'small', now })).rejects.toMatchObject(problem);
    expect(await readFile(elsewhere, 'utf8')).toBe('mine');
  });

  test('a folder that is a symbolic link', async () => {
    const folder = await freshFolder();
    await mkdir(join(dirname(folder), 'elsewhere'));
    await symlink(join(dirname(folder), 'elsewhere'), folder);

    await expect(sandbox({ folder })).rejects.toMatchObject({ code: 'symlink' });
  });

  test('a state that is damaged or deleted while it is served', async () => {
    const { call, folder } = await sandbox();

    await appendFile(stateOf(folder), 'hello\n');
    expect(await call('GET', count)).toMatchObject({
      status: 500,
      body: { error: { code: 'sandbox_corrupt' } },
    });
    expect(await call('DELETE', '/inventory/v1/properties/MUC')).toMatchObject({ status: 500 });
    await expect(sandbox({ folder })).rejects.toMatchObject({ code: 'sandbox_corrupt' });
    expect(await readFile(stateOf(folder), 'utf8')).toMatch(/hello\n$/);
    await resetState({ folder, seed: 'small', now });
    expect((await call('GET', count)).body).toBe(3);
    await rm(stateOf(folder));
    expect(await call('GET', count)).toMatchObject({
      status: 500,
      body: { error: { code: 'sandbox_unusable' } },
    });
  });
});

test('a state that becomes unreadable is reported with the reason', async () => {
  const folder = await freshFolder();
  const store = await openStore({ folder, seed: 'small', now });
  onTestFinished(store.close);
  await rm(folder, { recursive: true });
  await symlink(folder, folder);

  expect(store.read).toThrow(
    expect.objectContaining({
      code: 'sandbox_unusable',
      message: `Could not use the sandbox's state ${stateOf(folder)}: its path is a circle of links (ELOOP).`,
    }),
  );
});
