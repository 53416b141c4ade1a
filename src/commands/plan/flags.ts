import { type Detail, detailsFor, invalidInput } from '../../cli/errors.ts';
import { runIdProblem } from '../../model/segment.ts';
import { quote } from '../../model/text.ts';
import { collect } from '../options.ts';

/** The flags of planning, as typed; apply and import have them too. */
export interface PlanFlags {
  readonly concurrency?: string | undefined;
  readonly maxRps?: string | undefined;
  readonly assumeNew?: true | undefined;
  readonly resendUnknown?: true | undefined;
  readonly writeUnreadable?: true | undefined;
  readonly prune?: true | undefined;
  readonly journal?: string | undefined;
  readonly runId?: string | undefined;
  readonly map?: readonly string[] | undefined;
  readonly hidden?: true | undefined;
}

export const DEFAULT_CONCURRENCY = 4;
/** Longest wait in the queue, seconds. */
const LONGEST_TURN = 300;

/** The flags of planning, parsed. */
export type ParsedPlanFlags = ReturnType<typeof parsePlanFlags>;

/**
 * Parses the flags of planning.
 *
 * @param further problems of other flags.
 * @throws {CliError} exit 2 with all problems.
 */
export function parsePlanFlags(flags: PlanFlags, further: readonly Detail[] = []) {
  const details = [
    ...detailsFor('--concurrency', wholeProblem(flags.concurrency, 1, 64)),
    ...detailsFor('--max-rps', rateProblem(flags.maxRps)),
    ...detailsFor('--journal', pathProblem(flags.journal)),
    ...(flags.map ?? []).flatMap((word) => detailsFor('--map', mapProblem(word))),
    ...detailsFor('--run-id', flags.runId === undefined ? undefined : runIdProblem(flags.runId)),
    ...further,
  ];
  if (details.length > 0) throw invalidInput(details);
  return {
    ...flags,
    concurrency: workersFor(flags),
    maxRps: numberFrom(flags.maxRps),
    prune: flags.prune === true,
  };
}

/** Invites people again whose invitation may have been sent. Not for properties. */
export const resendUnknownFlag = [
  '--resend-unknown',
  'resend invitations that may have been sent already',
] as const;

/** Names the column for a header of a table. */
export const mapFlag = [
  '--map <header=column>',
  'map a header: Ort=city, or drop it: Notes= (repeatable)',
  collect,
] as const;

/** Reads what a person who looks at a workbook does not see. */
export const hiddenFlag = ['--hidden', 'also read hidden rows and columns of workbooks'] as const;

function mapProblem(word: string): string | undefined {
  return /^[^=]*\S.*=[^=]*$/s.test(word) ? undefined : `${quote(word)} is not HEADER=COLUMN`;
}

/** The problem with a whole number. */
export function wholeProblem(text: string | undefined, least: number, most: number): string | undefined {
  if (text === undefined) return undefined;
  const isRight = /^\d{1,7}$/.test(text) && Number(text) >= least && Number(text) <= most;
  return isRight ? undefined : `${quote(text)} is not a whole number from ${least} to ${most}`;
}

/** The problem with the name of a file. */
export function pathProblem(path: string | undefined): string | undefined {
  if (path === undefined || (path.trim() !== '' && path !== '-' && !path.includes('\0'))) return undefined;
  return `${quote(path)} is not the name of a file`;
}

/** The value of a checked number. */
export function numberFrom(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text);
}

/** The requested number, but no more than are served within five minutes at the given rate. */
function workersFor({ concurrency, maxRps }: PlanFlags): number {
  const wanted = numberFrom(concurrency) ?? DEFAULT_CONCURRENCY;
  const rate = numberFrom(maxRps);
  return rate === undefined ? wanted : Math.min(wanted, Math.max(1, Math.floor(rate * LONGEST_TURN)));
}

function rateProblem(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const isRight = /^\d{1,4}(\.\d{1,6})?$/.test(text) && Number(text) >= 0.01 && Number(text) <= 1_000;
  return isRight ? undefined : `${quote(text)} is not a number from 0.01 to 1000`;
}
