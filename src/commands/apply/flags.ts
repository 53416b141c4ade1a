import type { Command } from '@commander-js/extra-typings';
import { detailsFor } from '../../cli/errors.ts';
import { collectList } from '../../cli/flags.ts';
import { choiceProblem } from '../../model/names.ts';
import { emailProblem } from '../../model/segment.ts';
import { progressModes } from '../../print/progress.ts';
import { idProblem } from '../../service/path.ts';
import {
  DEFAULT_CONCURRENCY,
  hiddenFlag,
  mapFlag,
  numberFrom,
  type PlanFlags,
  parsePlanFlags,
  pathProblem,
  wholeProblem,
} from '../plan/flags.ts';

type Flags = Record<string, unknown>;

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
  'allow locking out the users with these full e-mail addresses',
  collectList,
] as const;

/** Adds the flags that all runs with a journal have. */
export function withRunFlags<Args extends unknown[], Own extends Flags, Above extends Flags>(
  command: Command<Args, Own, Above>,
) {
  return command
    .option(...mapFlag)
    .option(...hiddenFlag)
    .option('--concurrency <n>', `maximum rows in parallel (default: ${DEFAULT_CONCURRENCY})`)
    .option('--max-rps <n>', 'maximum requests per second: 0.5, 20')
    .option('--max-changes <n>', 'fail if the plan changes more rows than this')
    .option('--fail-fast', 'stop at the first failure')
    .option('--max-deletes <n>', 'maximum deletions and disabled users (default: 0)')
    .option('--journal <path>', 'path of the journal')
    .option('--run-id <id>', 'id of the run; the same id reuses its keys')
    .option('--progress <mode>', `progress output: ${progressModes.join(', ')}`)
    .option('--verbose', 'at a terminal, also print a line for each row');
}

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
    ...(flags.allowLockout ?? []).flatMap((each) => detailsFor('--allow-lockout', personProblem(each))),
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

/** Accepts a subject id, because some services show no address. */
function personProblem(person: string): string | undefined {
  return person.includes('@') ? emailProblem(person) : idProblem(person);
}
