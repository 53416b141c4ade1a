import type { Command } from '@commander-js/extra-typings';
import { type Detail, detailsFor } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import { guess } from '../../model/names.ts';
import { emailProblem } from '../../model/segment.ts';
import { quote } from '../../model/text.ts';
import { type ProgressMode, progressModes } from '../../out/progress.ts';
import { idProblem } from '../../service/path.ts';
import {
  DEFAULT_CONCURRENCY,
  numberFrom,
  type PlanFlags,
  type PlanWishes,
  pathProblems,
  planWishesFrom,
  resendUnknownFlag,
  wholeProblems,
} from '../plan/flags.ts';

type Flags = Record<string, unknown>;

/** The flags of a run, as typed; a journal keeps them for `runs resume`. */
export interface ApplyFlags extends PlanFlags {
  readonly plan?: string | undefined;
  readonly maxChanges?: string | undefined;
  readonly failFast?: true | undefined;
  readonly failedOut?: string | undefined;
  readonly maxDeletes?: string | undefined;
  readonly allowLockout?: readonly string[] | undefined;
  readonly progress?: string | undefined;
}

/** What the flags of a run ask for. */
export interface Wishes extends PlanWishes {
  readonly plan: string | undefined;
  readonly maxChanges: number;
  readonly failFast: boolean;
  readonly failedOut: string | undefined;
  /** So many deletions and disabled users were consented to. */
  readonly maxDeletes: number | undefined;
  /** People for whom the rule against lock-out is lifted, by their whole e-mail addresses. */
  readonly allowLockout: readonly string[];
  readonly progress: ProgressMode;
}

const MOST_ROWS = 1_000_000;

/** How somebody is let go whom the rule against lock-out protects; no setting does that. */
export const allowLockoutFlag = [
  '--allow-lockout <e-mails>',
  'allow locking out the users with these full e-mail addresses',
  collectList,
] as const;

/** How many rows that do harm are consented to. */
export const maxDeletesFlag = [
  '--max-deletes <n>',
  'maximum number of deletions and disabled users (default: 0)',
] as const;

/** Adds the flags that all runs have. */
export function withApplyFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option('--concurrency <n>', `maximum rows in parallel (default: ${DEFAULT_CONCURRENCY})`)
    .option('--max-rps <n>', 'maximum requests per second: 0.5, 20')
    .option('--max-changes <n>', 'fail if the plan changes more rows than this')
    .option('--fail-fast', 'stop at the first failure')
    .option(
      '--failed-out <path>',
      'write failed and unattempted rows to this file (.csv, .yaml, .json, .ndjson)',
    )
    .option('--assume-new', 'create entries whose existence cannot be determined')
    .option(...resendUnknownFlag)
    .option('--write-unreadable', 'also write fields that the service never returns')
    .option('--prune', 'delete what earlier runs created and the files no longer contain')
    .option(...maxDeletesFlag)
    .option('--journal <path>', 'path of the journal')
    .option('--run-id <id>', 'id of the run; the same id reuses the same idempotency keys')
    .option('--progress <mode>', `progress output: ${progressModes.join(', ')}`);
}

/**
 * What the flags ask for, checked.
 *
 * @throws {CliError} exit 2 naming all that is wrong with them at once.
 */
export function wishesFrom(flags: ApplyFlags): Wishes {
  const planning = planWishesFrom(flags, [
    ...wholeProblems('--max-changes', flags.maxChanges, 0, MOST_ROWS),
    ...wholeProblems('--max-deletes', flags.maxDeletes, 0, MOST_ROWS),
    ...pathProblems('--plan', flags.plan === '-' ? undefined : flags.plan),
    ...tableProblems(flags.failedOut),
    ...addressProblems(flags.allowLockout ?? []),
    ...modeProblems(flags.progress),
  ]);
  return {
    ...planning,
    plan: flags.plan,
    maxChanges: numberFrom(flags.maxChanges) ?? Number.POSITIVE_INFINITY,
    failFast: flags.failFast === true,
    failedOut: flags.failedOut,
    maxDeletes: numberFrom(flags.maxDeletes),
    allowLockout: flags.allowLockout ?? [],
    progress: progressModes.find((mode) => mode === flags.progress) ?? 'auto',
  };
}

function tableProblems(path: string | undefined): readonly Detail[] {
  const field = '--failed-out';
  const problems = pathProblems(field, path);
  const isKnown = path === undefined || /[^/]\.(csv|ya?ml|json|ndjson|jsonl)$/i.test(path);
  if (problems.length > 0 || isKnown) return problems;
  return [{ field, reason: `${quote(path)} does not end in .csv, .yaml, .yml, .json, .ndjson or .jsonl` }];
}

/** Where the service shows no address, the subject id stands for it. */
function addressProblems(people: readonly string[]): readonly Detail[] {
  return people.flatMap((each) => {
    const problem = each.includes('@') ? emailProblem(each) : idProblem(each);
    return detailsFor('--allow-lockout', problem);
  });
}

function modeProblems(mode: string | undefined): readonly Detail[] {
  if (mode === undefined || progressModes.some((known) => known === mode)) return [];
  const reason = `${quote(mode)} is none of ${progressModes.join(', ')}${guess(mode, progressModes)}`;
  return [{ field: '--progress', reason }];
}

const isKept = {
  text: (value: unknown) => typeof value === 'string',
  switch: (value: unknown) => value === true,
  list: (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
} as const;

const kept = {
  plan: 'text',
  concurrency: 'text',
  maxRps: 'text',
  maxChanges: 'text',
  failFast: 'switch',
  failedOut: 'text',
  assumeNew: 'switch',
  resendUnknown: 'switch',
  writeUnreadable: 'switch',
  prune: 'switch',
  maxDeletes: 'text',
  allowLockout: 'list',
  journal: 'text',
  runId: 'text',
  progress: 'text',
} as const satisfies Record<keyof ApplyFlags, keyof typeof isKept>;

/** The flags that a journal kept; what is no flag is left out. */
export function flagsIn(options: Readonly<Record<string, unknown>>): ApplyFlags {
  const flags = Object.entries(kept).flatMap(([name, kind]) => {
    const value = Object.hasOwn(options, name) ? options[name] : undefined;
    return isKept[kind](value) ? [[name, value]] : [];
  });
  // Each name is one of ApplyFlags, and has a value as that says.
  return Object.fromEntries(flags) as ApplyFlags;
}
