import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { type CommandLine, peakBytesOf, type Surroundings, timeOf } from './process.mts';
import type { Chapter } from './report.mts';
import { type Effort, type Figure, measure, type Task, type Way } from './rounds.mts';
import { seedText } from './seed.mts';
import { bareNode, COLLECTION, effortOf, root, type Stage, surroundingsOf, TOKEN } from './stage.mts';

/** The number of rows, and the delay of each response. */
interface Size {
  readonly rows: number;
  readonly latencyMs: number;
  readonly workers: number;
  readonly effort: Effort;
}

/** Without a delay more workers do not help; long tasks have fewer rounds. */
const sizes: readonly Size[] = [
  { rows: 1000, latencyMs: 0, workers: 16, effort: { rounds: 7, seconds: 30 } },
  { rows: 10_000, latencyMs: 0, workers: 16, effort: { rounds: 5, seconds: 30 } },
  { rows: 1000, latencyMs: 50, workers: 64, effort: { rounds: 5, seconds: 30 } },
  { rows: 10_000, latencyMs: 50, workers: 64, effort: { rounds: 2, seconds: 30 } },
];
/** It starts a process for each row. */
const MOST_ROWS_OF_XARGS = 1000;

/** A size, and its environment. */
interface Job extends Size {
  readonly stage: Stage;
  readonly seed: string;
}

/**
 * Measures whole processes that create hotels in an empty service: `innctl apply` with its journal in a fresh folder, a
 * minimal loop and `curl`. The benchmark fails if there are fewer hotels than rows.
 */
export async function measureBulk(stage: Stage): Promise<Chapter> {
  const loop = await bundleLoop(stage.folder);
  const seed = join(stage.folder, 'seed.ndjson');
  const environment = 'clean';
  const figures: Figure[] = [];
  for (const size of sizes) {
    writeFileSync(seed, seedText(size.rows));
    const job = { ...size, stage, seed };
    const bare = bareNode(surroundingsOf(stage, environment));
    const measured = await measure(bare, [taskOf(job, loop)], effortOf(stage, size.effort));
    // Plain Node is measured with each size, but reported once.
    figures.push(...measured.slice(size === sizes[0] ? 0 : 1));
  }
  return { title: 'Many creates', environment, figures };
}

function taskOf(job: Job, loop: string): Task {
  const { rows, workers, stage, seed } = job;
  const { execPath } = process;
  const apply = [stage.binary, 'apply', seed, '--yes', '--concurrency', `${workers}`];
  const bareLoop = [loop, seed, stage.service.origin, `${workers}`];
  const ways = [
    { name: 'innctl apply', command: [execPath, ...apply], script: apply },
    { name: 'undici alone', command: [execPath, ...bareLoop], script: bareLoop },
    ...(rows <= MOST_ROWS_OF_XARGS && stage.peers.some(({ program }) => program === 'curl')
      ? [{ name: `xargs -P${workers} curl`, command: xargsOf(job) }]
      : []),
  ];
  return {
    name: nameOf(job),
    ways: ways.map(
      ({ name, command, script }): Way => ({
        name,
        run: async () => {
          let ms = Number.NaN;
          const createMs = await create(job, (surroundings) => {
            ms = timeOf(command, surroundings);
          });
          return { ms, createMs };
        },
        ...(script !== undefined && { peakBytes: () => peakOf(script, job) }),
      }),
    ),
  };
}

/** The name of a size, with the lower bound of its time. */
function nameOf({ rows, latencyMs, workers }: Size): string {
  const creates = `${rows.toLocaleString('en')} creates, ${workers} at a time`;
  if (latencyMs === 0) return `${creates}, answers at once`;
  const leastMs = Math.ceil(rows / workers) * latencyMs;
  return `${creates}, answers after ${latencyMs} ms (in all at least ${leastMs.toLocaleString('en')} ms)`;
}

function xargsOf({ seed, workers, stage }: Job): CommandLine {
  const url = `${stage.service.origin}${COLLECTION}`;
  const headers = ['-H', 'content-type: application/json', '-H', `authorization: Bearer ${TOKEN}`];
  const curl = ['curl', '-sS', '--fail', '-o', '/dev/null', url, ...headers, '--data-raw'];
  return ['xargs', '-a', seed, '-d', '\\n', '-n', '1', '-P', `${workers}`, ...curl];
}

async function peakOf(script: CommandLine, job: Job): Promise<number> {
  let peak = Number.NaN;
  await create(job, (surroundings) => {
    peak = peakBytesOf(script, surroundings);
  });
  return peak;
}

/** @returns the time of the creations at the service. */
async function create(
  { rows, latencyMs, stage }: Job,
  run: (surroundings: Surroundings) => void,
): Promise<number> {
  await stage.service.hold(0, latencyMs);
  const home = mkdtempSync(join(stage.folder, 'home-'));
  try {
    run(surroundingsOf({ ...stage, folder: home }, 'clean'));
  } finally {
    rmSync(home, { recursive: true });
  }
  const { count, createMs } = await stage.service.state();
  if (count !== rows) throw new Error(`${count} of ${rows} hotels were left.`);
  return createMs;
}

/** Bundled like innctl, so that neither spends its start on module resolution. */
async function bundleLoop(folder: string): Promise<string> {
  const file = join(folder, 'loop.cjs');
  const build = await rolldown({
    input: join(root, 'scripts/bench-loop.mts'),
    platform: 'node',
    logLevel: 'warn',
  });
  await build.write({ file, format: 'cjs', codeSplitting: false });
  await build.close();
  return file;
}
