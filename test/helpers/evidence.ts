import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the chain of an evidence folder is. */
export function chainOf(folder: string): string {
  return join(folder, 'evidence.ndjson');
}

/** The lines of a chain: its head, and for each job what was known before and the documents. */
export async function linesOf(folder: string): Promise<readonly string[]> {
  const text = await readFile(chainOf(folder), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean);
}

/** The documents of an evidence folder, in their order; none without a folder. */
export async function documentsOf(folder: string) {
  const lines = await linesOf(folder);
  return lines.map((line) => JSON.parse(line)).filter(({ ended }) => ended !== undefined);
}
