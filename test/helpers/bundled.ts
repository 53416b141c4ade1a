import { mkdtempSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'rolldown';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { keepAll } from '../../scripts/build/bundle.mts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly programs: string;
  }
}

const root = join(import.meta.dirname, '../..');

/** Creates the folder for bundled programs, where node_modules resolves, and removes it after all tests. */
export function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(root, '.programs-'));
  provide('programs', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * Bundles a program of the tests, so that its process starts without a compiler.
 *
 * @param program path of its TypeScript file.
 * @returns the path of the bundle, to run with `node`.
 */
export async function bundled(program: string): Promise<string> {
  const dir = join(inject('programs'), relative(root, program), String(process.pid));
  await build({
    input: program,
    platform: 'node',
    external: /^[^./]/,
    logLevel: 'silent',
    ...keepAll.input,
    output: { ...keepAll.output, dir, entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' },
  });
  return join(dir, 'main.mjs');
}
