import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bulkTable, measureBulk } from './bench/bulk.mts';
import { openService } from './bench/service.mts';
import { measureStarts, startTable } from './bench/start.mts';

/**
 * Measures whole processes in ratios to a bare Node: `start`, how long a start takes; `bulk`, how long many creates
 * take and how much memory they need; both without a word. `--json` prints the figures as one document.
 */
async function main(words: readonly string[]): Promise<void> {
  const parts = words.filter((word) => word !== '--json');
  const unknown = parts.find((part) => part !== 'start' && part !== 'bulk');
  if (unknown !== undefined) throw new Error(`"${unknown}" is no part: write start, bulk or nothing.`);
  const wants = (part: string) => parts.length === 0 || parts.includes(part);
  const folder = mkdtempSync(join(tmpdir(), 'innctl-bench-'));
  const service = await openService();
  try {
    const figures = wants('start') ? await measureStarts(service, folder) : [];
    const bulk = wants('bulk') ? await measureBulk(service, folder) : [];
    if (words.includes('--json')) {
      process.stdout.write(`${JSON.stringify({ node: process.version, figures, bulk })}\n`);
      return;
    }
    const tables = [
      ...(wants('start') ? [startTable(figures)] : []),
      ...(wants('bulk') ? [bulkTable(bulk)] : []),
    ];
    process.stdout.write(`Node ${process.version}\n\n${tables.join('\n\n')}\n`);
  } finally {
    service.close();
    rmSync(folder, { recursive: true });
  }
}

await main(process.argv.slice(2));
