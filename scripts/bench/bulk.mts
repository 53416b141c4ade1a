import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { type Run, runProcess, writePeakHook } from './process.mts';
import { seedText } from './seed.mts';
import type { Service } from './service.mts';
import { type Effort, type Spread, shown, spreadOf, takeTurns } from './spread.mts';

const WORKERS = 16;
const MEBIBYTE = 1024 * 1024;

/** Fewer rounds where one takes long. */
const sizes: ReadonlyMap<number, Effort> = new Map([
  [1000, { rounds: 7, seconds: 60 }],
  [10_000, { rounds: 3, seconds: 90 }],
  [100_000, { rounds: 1, seconds: 0 }],
]);

/** One way to create many hotels. */
interface Way {
  readonly name: string;
  /** Larger seeds are left out. */
  readonly mostRows: number;
  /** Whether hotels are there afterwards. */
  readonly creates: boolean;
  readonly command: readonly string[];
}

/** One way at one size: wall time, multiples of two others in the same round, peak memory where Node tells it. */
export interface BulkFigure {
  readonly rows: number;
  readonly way: string;
  readonly rounds: number;
  readonly ms: Spread;
  readonly toNode: Spread;
  readonly toLoop: Spread;
  readonly peakMiB?: Spread;
}

/**
 * Measures whole processes that create hotels in an empty service on loopback: `innctl apply` with its journal in a
 * fresh folder, beside a bare loop and `curl`. Who leaves fewer hotels than rows ends the benchmark.
 */
export async function measureBulk(service: Service, folder: string): Promise<readonly BulkFigure[]> {
  const hook = writePeakHook(folder);
  const loop = await bundleLoop(folder);
  const seed = join(folder, 'seed.ndjson');
  const ways = waysOf(loop, seed, service.origin);
  const figures: BulkFigure[] = [];
  for (const [rows, effort] of sizes) {
    writeFileSync(seed, seedText(rows));
    const taking = ways.filter(({ mostRows }) => rows <= mostRows);
    const run = (name: string) => runWay(named(taking, name), rows, { service, folder, hook });
    const names = taking.map(({ name }) => name);
    if (figures.length === 0) await takeTurns(names, run, { rounds: 1, seconds: 0 });
    const rounds = await takeTurns(names, run, effort);
    figures.push(...names.map((name) => figureOf(name, rows, rounds)));
  }
  return figures;
}

const BARE = 'node -e 0';
const LOOP = 'undici loop';

function waysOf(loop: string, seed: string, origin: string): readonly Way[] {
  const { execPath } = process;
  const binary = join(import.meta.dirname, '../../bin/innctl.js');
  const apply = ['apply', seed, '--yes', '--concurrency', `${WORKERS}`];
  const curl = ['curl', '-sS', '--fail', '-o', '/dev/null', `${origin}/inventory/v1/properties`];
  const headers = [
    '-H',
    'content-type: application/json',
    '-H',
    'authorization: Bearer token-of-ana-1234567890',
  ];
  const xargs = ['xargs', '-a', seed, '-d', '\\n', '-n', '1', '-P', `${WORKERS}`];
  return [
    { name: BARE, mostRows: Infinity, creates: false, command: [execPath, '-e', '0'] },
    { name: LOOP, mostRows: Infinity, creates: true, command: [execPath, loop, seed, origin, `${WORKERS}`] },
    { name: 'innctl apply', mostRows: Infinity, creates: true, command: [execPath, binary, ...apply] },
    {
      name: 'xargs curl',
      mostRows: 1000,
      creates: true,
      command: [...xargs, ...curl, ...headers, '--data-raw'],
    },
  ];
}

/** Bundled as innctl is, so that neither spends its start on finding files. */
async function bundleLoop(folder: string): Promise<string> {
  const outfile = join(folder, 'loop.cjs');
  const entry = join(import.meta.dirname, '../bench-loop.mts');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    logLevel: 'error',
  });
  return outfile;
}

function named(ways: readonly Way[], name: string): Way {
  const way = ways.find((each) => each.name === name);
  if (way === undefined) throw new Error(`Nothing is called "${name}".`);
  return way;
}

interface Stage {
  readonly service: Service;
  readonly folder: string;
  readonly hook: string;
}

async function runWay(way: Way, rows: number, { service, folder, hook }: Stage): Promise<Run> {
  await service.hold([]);
  const home = mkdtempSync(join(folder, 'home-'));
  try {
    const run = runProcess(way.command, home, hook, {
      PATH: process.env['PATH'],
      HOME: home,
      INNCTL_CONFIG_DIR: join(home, 'config'),
      INNCTL_IDENTITY_URL: service.origin,
      INNCTL_BASE_URL: service.origin,
      INNCTL_TOKEN: 'token-of-ana-1234567890',
    });
    const created = await service.count();
    if (created !== (way.creates ? rows : 0))
      throw new Error(`"${way.name}" left ${created} of ${rows} hotels.`);
    return run;
  } finally {
    rmSync(home, { recursive: true });
  }
}

function figureOf(way: string, rows: number, rounds: readonly ReadonlyMap<string, Run>[]): BulkFigure {
  const msOf = (name: string) => rounds.map((round) => round.get(name)?.ms ?? Number.NaN);
  const ms = msOf(way);
  const toOther = (name: string) => msOf(name).map((other, index) => (ms[index] ?? Number.NaN) / other);
  const peaks = rounds.map((round) => round.get(way)?.peakBytes).filter((bytes) => bytes !== undefined);
  return {
    rows,
    way,
    rounds: rounds.length,
    ms: spreadOf(ms),
    toNode: spreadOf(toOther(BARE)),
    toLoop: spreadOf(toOther(LOOP)),
    ...(peaks.length > 0 && { peakMiB: spreadOf(peaks.map((bytes) => bytes / MEBIBYTE)) }),
  };
}

/** For people. */
export function bulkTable(figures: readonly BulkFigure[]): string {
  const line = (...cells: readonly string[]) =>
    cells.map((cell, index) => cell.padEnd([9, 15, 8, 24, 28, 28, 0][index] ?? 0)).join('');
  const rows = figures.map(({ rows, way, rounds, ms, toNode, toLoop, peakMiB }) =>
    line(
      `${rows}`,
      way,
      `${rounds}`,
      shown(toLoop),
      shown(toNode, 1),
      shown(ms, 0),
      peakMiB === undefined ? '-' : shown(peakMiB, 0),
    ),
  );
  return [
    `Creates with ${WORKERS} workers: medians (lowest to highest tenth); xargs curl up to 1000 rows only`,
    line('rows', 'way', 'rounds', `x ${LOOP}`, `x ${BARE}`, 'ms', 'peak MiB'),
    ...rows,
  ].join('\n');
}
