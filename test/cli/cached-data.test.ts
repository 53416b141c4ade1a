import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cachedDataName } from '../../src/cli/cached-code.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'innctl-node-'));
  await writeFile(join(folder, 'node'), '12345');
  await writeFile(join(folder, 'other'), '1234567');
});
afterAll(() => rm(folder, { recursive: true }));

const fakeProcess = (changes: Partial<NodeJS.Process> = {}) => ({
  arch: 'x64' as const,
  platform: 'linux' as const,
  versions: { ...process.versions, node: '20.20.2', v8: '11.3.244.8-node.38' },
  execPath: join(folder, 'node'),
  ...changes,
});

test('the name of cached data contains version, platform, architecture and size of Node', () => {
  expect(cachedDataName(fakeProcess())).toBe('code-20.20.2-linux-x64-5.bin');
});

test.each([
  {
    what: 'version with another patch of V8',
    changes: () => ({ versions: { ...process.versions, node: '20.19.0', v8: '11.3.244.8-node.26' } }),
  },
  { what: 'platform', changes: () => ({ platform: 'darwin' as const }) },
  { what: 'architecture', changes: () => ({ arch: 'arm64' as const }) },
  { what: 'build', changes: () => ({ execPath: join(folder, 'other') }) },
  { what: 'executable that does not exist', changes: () => ({ execPath: join(folder, 'none') }) },
])('cached data has another name for another $what', ({ changes }) => {
  expect(cachedDataName(fakeProcess(changes()))).not.toBe(cachedDataName(fakeProcess()));
});
