import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { isRecord, type ServiceRecord } from '../records.ts';
import type { Comparison, PatchStep } from './patch.ts';

const PATH = '/properties';

/** What became of properties that were to be added. */
export interface Addition {
  /** All properties that were sent last; `undefined` where none had to be. */
  readonly sent: readonly string[] | undefined;
  /** Those that were read back; `undefined` where they were not, or are not shown. */
  readonly now: readonly string[] | undefined;
  /** Those that were to be added and are not there now. */
  readonly missing: readonly string[];
  /** Somebody else changed them since they were read first. */
  readonly isChangedMeanwhile: boolean;
}

/** How properties are added: the service's `add` sets all of them, so that what is there is sent along. */
export interface AddingPlan {
  /**
   * The step that adds what a record lacks; none where nothing is missing.
   *
   * @throws {CliError} `not_readable`, exit 6, when the record does not show them: whoever adds to what cannot be seen
   * takes it away.
   */
  stepsFor(seen: ServiceRecord): readonly PatchStep[];
  /** Whether a record shows what there was when the steps were last made: one that lost some of it may be a slip. */
  isPlausible(record: ServiceRecord): boolean;
  /** What a record says of the addition: it is there when all that was wanted is, whatever else is. */
  judge(record: ServiceRecord): Comparison;
  /** @param record as it was read back. */
  result(record: ServiceRecord | undefined): Addition;
}

/** Plans to add properties to those that a user has. */
export function planAdding(subjectId: string, added: readonly string[]): AddingPlan {
  /** What is no surprise: what was there first, and what was sent since. */
  const known: (readonly string[])[] = [];
  let base: readonly string[] = [];
  let sent: readonly string[] | undefined;
  let isChangedMeanwhile = false;
  const see = (now: readonly string[]) => {
    isChangedMeanwhile ||= known.length > 0 && !known.some((each) => isSameSet(each, now));
    if (known.length === 0) known.push(now);
  };
  return {
    stepsFor: (seen) => {
      const now = shownProperties(seen);
      if (now === undefined) throw notShown(subjectId);
      see(now);
      base = now;
      if (isSubset(added, now)) return [];
      sent = [...new Set([...now, ...added])];
      known.push(sent);
      return [{ op: 'add', path: PATH, value: sent }];
    },
    isPlausible: (record) => isSubset(base, shownProperties(record) ?? []),
    judge: (record) => {
      const now = shownProperties(record);
      if (now === undefined) return { different: [], unseen: [PATH], absent: [] };
      return { different: isSubset(added, now) ? [] : [PATH], unseen: [], absent: [] };
    },
    result: (record) => {
      const now = record && shownProperties(record);
      if (now !== undefined) see(now);
      const missing = now === undefined ? [] : added.filter((id) => !now.includes(id));
      return { sent, now, missing, isChangedMeanwhile };
    },
  };
}

/**
 * The ids of a user's properties; `undefined` where the record does not tell, or has a role somewhere that is not among
 * them.
 */
export function shownProperties(user: ServiceRecord): readonly string[] | undefined {
  const { properties, property_roles: roles } = withPropertyIds(user);
  const ids: readonly unknown[] | undefined = properties === null ? [] : listIn(properties);
  const placed = roles === undefined || roles === null ? [] : listIn(roles);
  if (ids === undefined || !ids.every((id) => typeof id === 'string')) return undefined;
  return placed?.every((entry) => ids.some((id) => id === idOf(entry))) ? ids : undefined;
}

function listIn(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function notShown(subjectId: string): CliError {
  return new CliError(
    'not_readable',
    `The service does not show which properties user ${subjectId} has, so that adding some could take others away.`,
    { exitCode: ExitCode.refused, hint: 'Name all of them with --set-properties.' },
  );
}

function isSubset(some: readonly string[], others: readonly string[]): boolean {
  return some.every((each) => others.includes(each));
}

/** Whether two lists have the same entries, in whatever order and however often. */
export function isSameSet(some: readonly string[], others: readonly string[]): boolean {
  return isSubset(some, others) && isSubset(others, some);
}

/** A user whose properties are ids, as one reads them alone; in lists they carry roles. */
export function withPropertyIds(user: ServiceRecord): ServiceRecord {
  const { properties } = user;
  if (!Array.isArray(properties)) return user;
  return { ...user, properties: properties.map(idOf) };
}

function idOf(entry: unknown): unknown {
  return isRecord(entry) ? entry['id'] : entry;
}
