import type { Command } from '@commander-js/extra-typings';
import { quote } from '../../checks/text.ts';
import { CliError, type Detail, invalidInput } from '../../errors.ts';

type Flags = Record<string, unknown>;

/** How a run may tell how far it is. */
const progressModes = ['auto', 'bar', 'lines', 'jsonl', 'none'] as const;
type ProgressMode = (typeof progressModes)[number];

/** The flags of a run, as typed; a journal keeps them for `runs resume`. */
export interface ApplyFlags {
  readonly plan?: string | undefined;
  readonly concurrency?: string | undefined;
  readonly maxRps?: string | undefined;
  readonly maxChanges?: string | undefined;
  readonly failFast?: true | undefined;
  readonly failedOut?: string | undefined;
  readonly assumeNew?: true | undefined;
  readonly writeUnreadable?: true | undefined;
  readonly prune?: true | undefined;
  readonly maxDeletes?: string | undefined;
  readonly journal?: string | undefined;
  readonly runId?: string | undefined;
  readonly progress?: string | undefined;
}

/** What the flags of a run ask for. */
export interface Wishes {
  readonly plan: string | undefined;
  readonly concurrency: number;
  readonly maxRps: number | undefined;
  readonly maxChanges: number;
  readonly failFast: boolean;
  readonly failedOut: string | undefined;
  readonly assumeNew: boolean;
  readonly writeUnreadable: boolean;
  readonly prune: boolean;
  readonly maxDeletes: number;
  readonly journal: string | undefined;
  readonly runId: string | undefined;
  readonly progress: ProgressMode;
}

const DEFAULT_CONCURRENCY = 4;
/** Nobody waits longer for a turn, seconds. */
const LONGEST_TURN = 300;
const MOST_ROWS = 1_000_000;

/** Adds the flags that all runs have. */
export function withApplyFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--concurrency <n>', `so many rows at a time (default: ${DEFAULT_CONCURRENCY})`)
    .option('--max-rps <n>', 'so many requests a second at most: 0.5, 20')
    .option('--max-changes <n>', 'refuse a plan that would change more rows than this')
    .option('--fail-fast', 'begin no further row once one was not done')
    .option(
      '--failed-out <path>',
      'write the rows that were not done to this CSV file, to be mended and applied',
    )
    .option('--assume-new', 'create what nobody can tell is there or not')
    .option('--write-unreadable', 'also write fields that the service never shows')
    .option('--prune', 'delete what an earlier run created and the files no longer hold')
    .option('--max-deletes <n>', 'refuse a plan that would delete more than this; --prune needs it')
    .option('--journal <path>', 'keep the journal of the run in this file')
    .option('--run-id <id>', 'the id of this run: the same id repeats the same idempotency keys')
    .option('--progress <mode>', `how progress is told: ${progressModes.join(', ')}`);
}

/**
 * What the flags ask for, checked.
 *
 * @throws {CliError} exit 2 naming all that is wrong with them at once.
 */
export async function wishesFrom(flags: ApplyFlags): Promise<Wishes> {
  const details = [
    ...wholeProblems('--concurrency', flags.concurrency, 1, 64),
    ...rateProblems(flags.maxRps),
    ...wholeProblems('--max-changes', flags.maxChanges, 0, MOST_ROWS),
    ...wholeProblems('--max-deletes', flags.maxDeletes, 0, MOST_ROWS),
    ...pruneProblems(flags),
    ...pathProblems('--plan', flags.plan === '-' ? undefined : flags.plan),
    ...pathProblems('--journal', flags.journal),
    ...tableProblems(flags.failedOut),
    ...(await runIdProblems(flags.runId)),
    ...modeProblems(flags.progress),
  ];
  if (details.length > 0) throw invalidInput(details);
  return {
    plan: flags.plan,
    concurrency: workersFor(flags),
    maxRps: numberFrom(flags.maxRps),
    maxChanges: numberFrom(flags.maxChanges) ?? Number.POSITIVE_INFINITY,
    failFast: flags.failFast === true,
    failedOut: flags.failedOut,
    assumeNew: flags.assumeNew === true,
    writeUnreadable: flags.writeUnreadable === true,
    prune: flags.prune === true,
    maxDeletes: numberFrom(flags.maxDeletes) ?? 0,
    journal: flags.journal,
    runId: flags.runId,
    progress: progressModes.find((mode) => mode === flags.progress) ?? 'auto',
  };
}

/** As many as were asked for, and no more than have their turn within five minutes. */
function workersFor({ concurrency, maxRps }: ApplyFlags): number {
  const wanted = numberFrom(concurrency) ?? DEFAULT_CONCURRENCY;
  const rate = numberFrom(maxRps);
  return rate === undefined ? wanted : Math.min(wanted, Math.max(1, Math.floor(rate * LONGEST_TURN)));
}

function wholeProblems(
  field: string,
  text: string | undefined,
  least: number,
  most: number,
): readonly Detail[] {
  const isRight =
    text === undefined || (/^\d{1,7}$/.test(text) && Number(text) >= least && Number(text) <= most);
  return isRight ? [] : [{ field, reason: `${quote(text)} is not a whole number from ${least} to ${most}` }];
}

function rateProblems(text: string | undefined): readonly Detail[] {
  const isRight =
    text === undefined ||
    (/^\d{1,4}(\.\d{1,6})?$/.test(text) && Number(text) >= 0.01 && Number(text) <= 1_000);
  return isRight ? [] : [{ field: '--max-rps', reason: `${quote(text)} is not a number from 0.01 to 1000` }];
}

function pruneProblems({ prune, maxDeletes }: ApplyFlags): readonly Detail[] {
  if (prune === true && maxDeletes === undefined)
    return [{ field: '--max-deletes', reason: 'is missing: --prune needs to know how many it may delete' }];
  if (prune !== true && maxDeletes !== undefined)
    return [{ field: '--max-deletes', reason: 'bounds what --prune deletes: give both' }];
  return [];
}

function pathProblems(field: string, path: string | undefined): readonly Detail[] {
  if (path === undefined || (path.trim() !== '' && path !== '-' && !path.includes('\0'))) return [];
  return [{ field, reason: `${quote(path)} is not the name of a file` }];
}

function tableProblems(path: string | undefined): readonly Detail[] {
  const field = '--failed-out';
  const problems = pathProblems(field, path);
  if (problems.length > 0 || path === undefined || /[^/]\.csv$/i.test(path)) return problems;
  return [{ field, reason: `${quote(path)} does not end in .csv, and a table is what is written` }];
}

async function runIdProblems(text: string | undefined): Promise<readonly Detail[]> {
  if (text === undefined) return [];
  const { checkRunId } = await import('../../apply/keys.ts');
  try {
    checkRunId(text);
    return [];
  } catch (error) {
    if (error instanceof CliError) return error.details;
    throw error;
  }
}

function modeProblems(mode: string | undefined): readonly Detail[] {
  if (mode === undefined || progressModes.some((known) => known === mode)) return [];
  return [{ field: '--progress', reason: `${quote(mode)} is none of ${progressModes.join(', ')}` }];
}

function numberFrom(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

const named = {
  plan: 'text',
  concurrency: 'text',
  maxRps: 'text',
  maxChanges: 'text',
  failFast: 'switch',
  failedOut: 'text',
  assumeNew: 'switch',
  writeUnreadable: 'switch',
  prune: 'switch',
  maxDeletes: 'text',
  journal: 'text',
  runId: 'text',
  progress: 'text',
} as const satisfies Record<keyof ApplyFlags, 'text' | 'switch'>;

/** The flags that a journal kept; what is no flag is left out. */
export function flagsIn(options: Readonly<Record<string, unknown>>): ApplyFlags {
  const flags = Object.entries(named).flatMap(([name, kind]) => {
    const value = Object.hasOwn(options, name) ? options[name] : undefined;
    const isRight = kind === 'text' ? typeof value === 'string' : value === true;
    return isRight ? [[name, value]] : [];
  });
  // Each name is one of ApplyFlags, and has a text or true as that says.
  return Object.fromEntries(flags) as ApplyFlags;
}
