import type { Command } from '@commander-js/extra-typings';
import { type Detail, detailsFor, refuseInvalid } from '../model/errors.ts';
import { choiceProblem, emailProblem, entryReasons, idProblem, quote, runIdProblem } from '../model/text.ts';
import { wholeProblem } from '../model/values.ts';
import { progressModes } from '../print/progress.ts';
import { collect, collectList } from '../session/command-line.ts';

type Flags = Record<string, unknown>;

/** The flags of planning, as typed. */
export interface PlanFlags {
  readonly concurrency?: string | undefined;
  readonly maxRps?: string | undefined;
  readonly prune?: true | undefined;
  readonly runId?: string | undefined;
  readonly map?: readonly string[] | undefined;
  readonly mapRest?: string | undefined;
  readonly headerRow?: string | undefined;
  readonly hidden?: true | undefined;
}

const DEFAULT_CONCURRENCY = 4;

/** The flags of planning, parsed. */
export type ParsedPlanFlags = ReturnType<typeof parsePlanFlags>;

/**
 * Parses the flags of planning.
 *
 * @param further problems of other flags.
 * @throws {CliError} exit 2 with all problems.
 */
export function parsePlanFlags(flags: PlanFlags, further: readonly Detail[] = []) {
  refuseInvalid([
    ...detailsFor('--concurrency', wholeProblem(flags.concurrency, 1, 64)),
    ...detailsFor('--max-rps', rateProblem(flags.maxRps)),
    ...(flags.map ?? []).flatMap((word) => detailsFor('--map', mapProblem(word))),
    ...detailsFor('--map-rest', flags.mapRest && choiceProblem(flags.mapRest, ['ignore'])),
    ...detailsFor('--header-row', wholeProblem(flags.headerRow)),
    ...detailsFor('--run-id', flags.runId === undefined ? undefined : runIdProblem(flags.runId)),
    ...further,
  ]);
  return {
    ...flags,
    concurrency: numberFrom(flags.concurrency) ?? DEFAULT_CONCURRENCY,
    maxRps: numberFrom(flags.maxRps),
    headerRow: numberFrom(flags.headerRow),
    prune: flags.prune === true,
  };
}

/** Reads what a person who looks at a workbook does not see. */
export const hiddenFlag = ['--hidden', 'also read hidden rows and columns of workbooks'] as const;

/** Adds the flags of plans and runs: how files are read, the journal, and limits. */
export function withReadingFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--map <header=column>', 'map a header: Ort=city, or drop it: Notes= (repeatable)', collect)
    .option('--map-rest <ignore>', 'leave out all columns that are not known')
    .option('--header-row <n>', 'row of the header of tables, counted from 1')
    .option(...hiddenFlag)
    .option('--concurrency <n>', `maximum rows in parallel (default: ${DEFAULT_CONCURRENCY})`)
    .option('--max-rps <n>', 'maximum requests per second: 0.5, 20')
    .option('--run-id <id>', 'id of the run; the same id reuses its keys');
}

/** Deletes what the files do not want any more. */
export const pruneFlag = [
  '--prune',
  'delete what earlier runs created and the files no longer contain',
] as const;

/** The flags that say how files are read, as words. */
export function readingWords({
  map = [],
  mapRest,
  headerRow,
  hidden,
}: Omit<PlanFlags, 'prune'>): readonly string[] {
  return [
    ...map.flatMap((word) => ['--map', word]),
    ...(mapRest === undefined ? [] : ['--map-rest', mapRest]),
    ...(headerRow === undefined ? [] : ['--header-row', headerRow]),
    ...(hidden === true ? ['--hidden'] : []),
  ];
}

function mapProblem(word: string): string | undefined {
  return /^[^=]*\S.*=[^=]*$/s.test(word) ? undefined : `${quote(word)} is not HEADER=COLUMN`;
}

/** The problem with the name of a file. */
export function pathProblem(path: string | undefined): string | undefined {
  if (path === undefined || (path.trim() !== '' && path !== '-' && !path.includes('\0'))) return undefined;
  return `${quote(path)} is not the name of a file`;
}

/** The value of a checked number. */
function numberFrom(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

function rateProblem(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const isRight = /^\d{1,4}(\.\d{1,6})?$/.test(text) && Number(text) >= 0.01 && Number(text) <= 1_000;
  return isRight ? undefined : `${quote(text)} is not a number from 0.01 to 1000`;
}

/** The flags of a run, as typed. */
export interface ApplyFlags extends PlanFlags {
  readonly plan?: string | undefined;
  readonly maxChanges?: string | undefined;
  readonly failFast?: true | undefined;
  readonly maxDeletes?: string | undefined;
  readonly allowLockout?: readonly string[] | undefined;
  readonly progress?: string | undefined;
  readonly verbose?: true | undefined;
}

const MOST_ROWS = 1_000_000;

/** Allows locking out some users; there is no such setting. */
export const allowLockoutFlag = [
  '--allow-lockout <e-mails>',
  'allow locking out these users (full e-mails)',
  collectList,
] as const;

/** The flags that confirm a change of access, as typed. */
export interface AccessFlags {
  readonly confirm?: readonly string[] | undefined;
  readonly allowLockout?: readonly string[] | undefined;
}

/** Adds --confirm and --allow-lockout. */
export function withAccessFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
  confirms = 'confirm disabling: repeat the id or e-mail',
) {
  return command.option('--confirm <id>', confirms, collect).option(...allowLockoutFlag);
}

/** The problems of --allow-lockout, which takes a subject id if the service shows no address. */
export function accessProblems({ allowLockout }: AccessFlags): readonly Detail[] {
  const problem = (person: string) => (person.includes('@') ? emailProblem(person) : idProblem(person));
  return entryReasons(allowLockout, problem).map((reason) => ({ field: '--allow-lockout', reason }));
}

/** Adds the flags that all runs with a journal have. */
export function withRunFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return withReadingFlags(command)
    .option(...runFlags.maxChanges)
    .option(...runFlags.failFast)
    .option('--max-deletes <n>', 'maximum deletions and disabled users (default: 0)')
    .option(...runFlags.progress)
    .option(...runFlags.verbose);
}

/** The flags of a run that say nothing of deletions. */
export const runFlags = {
  maxChanges: ['--max-changes <n>', 'fail if the plan changes more rows than this'],
  failFast: ['--fail-fast', 'stop at the first failure'],
  progress: ['--progress <mode>', `progress output: ${progressModes.join(', ')}`],
  verbose: ['--verbose', 'at a terminal, also print a line for each row'],
} as const;

/** The flags of a run, parsed. */
export type ParsedFlags = ReturnType<typeof parseApplyFlags>;

/**
 * Parses the flags of a run.
 *
 * @throws {CliError} exit 2 with all problems.
 */
export function parseApplyFlags(flags: ApplyFlags) {
  const planning = parsePlanFlags(flags, [
    ...detailsFor('--max-changes', wholeProblem(flags.maxChanges, 0, MOST_ROWS)),
    ...detailsFor('--max-deletes', wholeProblem(flags.maxDeletes, 0, MOST_ROWS)),
    ...detailsFor('--plan', flags.plan === '-' ? undefined : pathProblem(flags.plan)),
    ...accessProblems(flags),
    ...detailsFor(
      '--progress',
      flags.progress === undefined ? undefined : choiceProblem(flags.progress, progressModes),
    ),
  ]);
  return {
    ...flags,
    ...planning,
    maxChanges: numberFrom(flags.maxChanges) ?? Number.POSITIVE_INFINITY,
    /** Maximum number of deletions and disabled users. */
    maxDeletes: numberFrom(flags.maxDeletes),
    /** Users who may be locked out, by their whole e-mail addresses. */
    allowLockout: flags.allowLockout ?? [],
    progress: progressModes.find((mode) => mode === flags.progress) ?? ('auto' as const),
  };
}
