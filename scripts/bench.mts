import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureBulk } from './bench/bulk.mts';
import { measureInstall } from './bench/install.mts';
import { measureInventory } from './bench/inventory.mts';
import { measureAccess, measureAll, measureLists } from './bench/lists.mts';
import { type Chapter, describeMachine, markdown, type Report } from './bench/report.mts';
import { openService } from './bench/service.mts';
import { root, type Stage, setStage } from './bench/stage.mts';
import { measureStarts } from './bench/start.mts';

const parts = ['start', 'lists', 'bulk', 'inventory', 'install'] as const;
type Part = (typeof parts)[number];

/** The parsed command line. */
interface Wishes {
  readonly wanted: readonly Part[];
  readonly quick: boolean;
  readonly json: boolean;
  readonly write: boolean;
}

const usage = `Usage: npm run bench -- [--quick] [--json] [--write] [${parts.join('] [')}]
All parts without a word. --quick makes few rounds, --json prints one document, --write writes scripts/bench/results.md.`;

/** The chapters of each part. */
const chaptersOf: Readonly<Record<Part, readonly ((stage: Stage) => Promise<Chapter>)[]>> = {
  start: [(stage) => measureStarts(stage, 'clean'), (stage) => measureStarts(stage, 'as it is')],
  lists: [
    (stage) => measureLists(stage, 'clean'),
    (stage) => measureLists(stage, 'as it is'),
    measureAll,
    measureAccess,
  ],
  bulk: [measureBulk],
  inventory: [measureInventory],
  install: [measureInstall],
};

/**
 * Builds innctl and measures whole processes in ratios to plain Node and to other installed programs: `start`, commands
 * without requests; `lists`, reads from a service; `bulk`, many creations with their memory;
 * `inventory`, hotels with their units; `install`, the package.
 */
async function main(words: readonly string[]): Promise<void> {
  let wishes: Wishes;
  try {
    wishes = wishesOf(words);
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n${usage}\n`);
    process.exitCode = 2;
    return;
  }
  // Builds first, so that the current sources are measured. stdout is only for the figures.
  const build = [...process.execArgv, join(root, 'scripts/build.mts')];
  execFileSync(process.execPath, build, { stdio: ['ignore', 2, 2] });
  const folder = mkdtempSync(join(tmpdir(), 'innctl-bench-'));
  const service = await openService();
  try {
    publish(await measured(setStage(service, folder, wishes.quick), wishes), wishes);
  } finally {
    service.close();
    rmSync(folder, { recursive: true });
  }
}

/** @throws {Error} for an unknown flag or part, and for --write with only some parts or rounds. */
function wishesOf(words: readonly string[]): Wishes {
  const flag = { type: 'boolean', default: false } as const;
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { quick: flag, json: flag, write: flag },
    allowPositionals: true,
  });
  const unknown = positionals.find((word) => !parts.some((part) => part === word));
  if (unknown !== undefined) throw new Error(`"${unknown}" is no part.`);
  if (values.write && (values.quick || positionals.length > 0))
    throw new Error('scripts/bench/results.md holds all parts, measured in full.');
  const wanted = parts.filter((part) => positionals.length === 0 || positionals.includes(part));
  return { ...values, wanted };
}

async function measured(stage: Stage, { wanted }: Wishes): Promise<Report> {
  const chapters: Chapter[] = [];
  for (const part of wanted) for (const measure of chaptersOf[part]) chapters.push(await measure(stage));
  return { ...describeMachine(), peers: stage.peers, chapters };
}

function publish(report: Report, { json, write }: Wishes): void {
  const text = markdown(report);
  if (write) writeFileSync(join(root, 'scripts/bench/results.md'), text);
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : text);
}

await main(process.argv.slice(2));
