import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import { isRecord, type ServiceRecord } from '../records.ts';
import type { PatchStep } from './patch.ts';

/** How properties are added: the service's `add` sets all of them, so that what is there is sent along. */
export interface AddingPlan {
  /** The operation that adds what `seen` lacks; none where nothing is missing. `undefined`: nothing was seen since. */
  steps(seen: ServiceRecord | undefined): readonly PatchStep[];
  /** All properties that the last operation set. */
  sent(): readonly string[] | undefined;
  /** What a record shows that is neither what was sent nor what was there before. */
  others(record: ServiceRecord | undefined): readonly string[] | undefined;
}

/**
 * Plans to add properties to those that a user has.
 *
 * @param before the user as read first; `undefined` where nothing is to be added.
 * @throws {CliError} `not_readable`, exit 6, when the user does not show them: whoever adds to what cannot be seen
 * takes it away.
 */
export function planAdding(
  before: ServiceRecord | undefined,
  subjectId: string,
  added: readonly string[],
): AddingPlan {
  let known = before === undefined ? [] : shownProperties(before);
  if (known === undefined) throw notShown(subjectId);
  let change: { readonly from: readonly string[]; readonly to: readonly string[] } | undefined;
  return {
    steps: (seen) => {
      // Once it has shown them, a record that does not show them is no reason to forget a write in doubt.
      known = (seen && shownProperties(seen)) ?? known ?? [];
      if (isSubset(added, known)) return [];
      change = { from: known, to: [...new Set([...known, ...added])] };
      return [{ op: 'add', path: '/properties', value: change.to }];
    },
    sent: () => change?.to,
    others: (record) => {
      const now = record && shownProperties(record);
      if (now === undefined || change === undefined) return undefined;
      return isSame(now, change.to) || isSame(now, change.from) ? undefined : now;
    },
  };
}

/** The ids of a user's properties; `undefined` where the record does not tell. */
function shownProperties(user: ServiceRecord): readonly string[] | undefined {
  const { properties, property_roles: roles } = withPropertyIds(user);
  if (properties === null) return Array.isArray(roles) && roles.length > 0 ? undefined : [];
  return Array.isArray(properties) && properties.every((id) => typeof id === 'string')
    ? properties
    : undefined;
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

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return isSubset(some, others) && isSubset(others, some);
}

/** A user whose properties are ids, as one reads them alone; in lists they carry roles. */
export function withPropertyIds(user: ServiceRecord): ServiceRecord {
  const { properties } = user;
  if (!Array.isArray(properties)) return user;
  return { ...user, properties: properties.map((entry) => (isRecord(entry) ? entry['id'] : entry)) };
}
