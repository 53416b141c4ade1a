import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as plain } from 'vitest';

/** A test with a temporary folder, removed afterwards, and a signal that is never aborted. */
export const test = plain.extend<{ folder: string; signal: AbortSignal }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of other fixtures from this pattern.
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'innctl-config-'));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of other fixtures from this pattern.
  signal: async ({}, use) => {
    await use(new AbortController().signal);
  },
});
