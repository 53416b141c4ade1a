import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withProgram } from '../soak/program.ts';
import type { Shape } from '../soak/seed.ts';
import { problemsAfter } from '../soak/verify.ts';

const peakOf = join(import.meta.dirname, '../soak/peak.cjs');

/** Five percent of the requests; Retry-After is rare, because all workers wait for it. */
const faults = [
  'drop-before:rate=0.013',
  'drop-after:rate=0.013',
  'cut:rate=0.013',
  '500:rate=0.01',
  '429:rate=0.0005,retry-after=1',
  '503:rate=0.0005,retry-after=1',
];

/**
 * A row retains some 3 KiB until the results are printed: its fields and its outcome. Both parts of the
 * heap are limited, because otherwise they grow with uncollected garbage, the young one by 100 MiB on newer
 * Node versions. If rows retained their request and response, this heap would be too small.
 */
const HEAP_MIB = 72;
const YOUNG_HEAP_MIB = 4;
const MOST_KIB_A_ROW = 9;

test('ten thousand rows with a fault in every twentieth request: each record exists once, no request is sent before Retry-After, memory stays flat', async () => {
  const few = await underFaults({ created: 1_000, changed: 0, invited: 0, users: 0 });
  const many = await underFaults({ created: 10_000, changed: 0, invited: 0, users: 0 });

  expect({ few: few.problems, many: many.problems }).toEqual({ few: [], many: [] });
  expect(many.early).toEqual([]);
  expect(many.holds).toBeGreaterThan(0);
  // A creation without a response is looked up in the list: only missing records are sent again.
  expect(many.dropped).toBeGreaterThan(50);
  expect(many.replays).toBe(0);
  expect((many.peak - few.peak) / 9_000).toBeLessThan(MOST_KIB_A_ROW);
}, 600_000);

async function underFaults(shape: Shape) {
  return withProgram(
    async (program) => {
      const peakFile = join(program.home.folder, 'peak');
      const heap = [`--max-old-space-size=${HEAP_MIB}`, `--max-semi-space-size=${YOUNG_HEAP_MIB}`];
      const node = [...heap, '--require', peakOf];
      const ended = await program.apply({ node, env: { PEAK_FILE: peakFile } });
      const { early, holds, replays, dropped } = program.service.gateway.ledger;
      const peak = Number(await readFile(peakFile, 'utf8'));
      return { problems: await problemsAfter(program, ended), early, holds, replays, dropped, peak };
    },
    { shape, faults },
  );
}
