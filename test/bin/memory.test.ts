import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { resetState } from '../../src/sandbox/store.ts';
import { openHome } from './home.ts';

/** Newer Node versions collect later: with 16 they ran out of it now and then. */
const HEAP_MIB = Number(process.versions.node.split('.')[0]) < 22 ? 16 : 24;

test('a list of 20,000 records is streamed with a heap too small to hold it', async () => {
  await using home = await openHome();
  const state = { folder: join(home.folder, 'sandbox'), now: Date.now };
  await resetState({ ...state, seed: 'chain', size: 20_000 });
  const sandbox = await startSandbox(state);
  const env = {
    INNCTL_IDENTITY_URL: sandbox.url,
    INNCTL_BASE_URL: sandbox.url,
    INNCTL_TOKEN: sandbox.token,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
  };
  try {
    const streamed = await home.innctl(['properties', 'list', '--all', '-o', 'ndjson'], env);
    const held = await home.innctl(['properties', 'list', '--all', '--json'], env);

    const ids = streamed.stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).id);
    expect({ exitCode: streamed.exitCode, stderr: streamed.stderr, ids: new Set(ids).size }).toEqual({
      exitCode: 0,
      stderr: '',
      ids: 20_000,
    });
    // A single JSON document has to be held in memory, which shows that this heap is too small for the list.
    expect(held.exitCode).not.toBe(0);
  } finally {
    await sandbox.close();
  }
}, 120_000);
