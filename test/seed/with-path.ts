import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as plain } from 'vitest';

/** A test with a temporary folder, removed afterwards, and the path of a journal in it. */
export const test = plain.extend<{ folder: string; path: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of other fixtures from this pattern.
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'innctl-journal-'));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
  path: async ({ folder }, use) => {
    await use(join(folder, 'runs', 'journal.ndjson'));
  },
});
