import { CliError, type Detail } from '../../cli/errors.ts';
import { ExitCode } from '../../cli/exit-codes.ts';
import type { Session } from '../../cli/session.ts';
import {
  type PropertyChange,
  propertyChange,
  touchesProperties,
  type UserChanges,
  withoutRoles,
  writtenValue,
} from '../../model/access-change.ts';
import { type PatchStep, setsAlone } from '../../model/patch.ts';
import type { ServiceRecord } from '../../model/records.ts';
import { isSameSet } from '../../model/records.ts';
import type { Output } from '../../out/output.ts';
import type { UserReference } from '../../service/find-user.ts';
import { listedIdProblem } from '../../service/property-names.ts';
import type { UserUpdate } from '../../service/users.ts';
import { lookingLine, type Settling, settledByLooking, settledByRepeating, withSettling } from '../lines.ts';
import { type PatchFlags, readsStdin } from '../patch-flags.ts';
import { misspeltProperties, withSuggestion } from '../suggest.ts';
import { noRoleText, reportWrite } from '../write.ts';
import type { AccessUpdate } from './access.ts';
import { hintUserList, isEmail, misspeltSubject } from './reference.ts';

/** A user, and its name on the command line. */
export interface NamedUser extends UserReference {
  readonly reference: string;
}

/** Reports an accepted or unnecessary update. */
export async function reportUpdate(
  { user, changes, record }: AccessUpdate,
  done: UserUpdate,
  out: Output,
): Promise<void> {
  const { reference, subjectId, email } = user;
  const sent = done.isWritten ? (done.properties?.sent ?? propertiesSetBy(changes)) : undefined;
  const { now, missing = [], isChangedMeanwhile = false } = done.properties ?? {};
  const isOther = isChangedMeanwhile && sent !== undefined && now !== undefined && !isSameSet(sent, now);
  const properties = isChangedMeanwhile ? (now ?? sent) : sent;
  const { added, removed, removedRoles } = gainAndLoss(record, changes, done, properties);
  const withoutRole = done.record === undefined ? [] : withoutRoles(done.record, added);
  const facts = {
    subject_id: subjectId,
    ...(email === undefined ? {} : { email }),
    updated: done.isWritten,
    ...(properties === undefined ? {} : { properties }),
    ...(touchesProperties(changes) ? { added, removed } : {}),
    ...(removedRoles.length === 0 ? {} : { removed_roles: removedRoles }),
    ...(withoutRole.length === 0 ? {} : { without_roles: withoutRole }),
    ...(isOther ? { sent_properties: sent } : {}),
    ...(isChangedMeanwhile ? { changed_meanwhile: true } : {}),
  };
  if (isChangedMeanwhile) {
    const facts = isOther || now === undefined ? [`${listed(sent)} were sent`] : [];
    if (now !== undefined) facts.push(`${listed(now)} are there now`);
    await out.warn(
      `Somebody else changed the properties of user ${reference} meanwhile: ${facts.join(', ')}.`,
    );
  }
  if (!done.isWritten) {
    const { addProperties, removeProperties } = changes;
    const has = [
      ...(addProperties === undefined ? [] : ['all of the properties to be added already']),
      ...(removeProperties === undefined ? [] : ['none of the properties to be removed']),
    ];
    const why = has.length === 0 ? '' : `User ${reference} has ${has.join(' and ')}; `;
    return out.done(why === '' ? 'Nothing was changed.' : `${why}nothing was changed.`, facts);
  }
  const without = isChangedMeanwhile && missing.length > 0 ? `, who is without ${listed(missing)} now` : '';
  await reportWrite(out, `Updated user ${reference}${without}`, facts, done);
  if (withoutRole.length > 0) await out.warn(noRoleText(email ?? reference, withoutRole));
}

/** Properties added and removed by this update, and the roles removed with them, as far as known. */
function gainAndLoss(
  before: ServiceRecord | undefined,
  changes: UserChanges,
  { isWritten, properties: edited }: UserUpdate,
  after: readonly string[] | undefined,
): Omit<PropertyChange, 'isOpen'> {
  if (!isWritten) return { added: [], removed: [], removedRoles: [] };
  const foreseen = propertyChange(before, changes);
  if (edited === undefined || after === undefined) return foreseen;
  const { addProperties = [], removeProperties = [] } = changes;
  const was = new Set(edited.before);
  const removed = removeProperties.filter((id) => was.has(id) && !after.includes(id));
  return {
    added: addProperties.filter((id) => !was.has(id) && after.includes(id)),
    removed,
    removedRoles: foreseen.removedRoles.filter(({ id }) => removed.includes(id)),
  };
}

/** For `catch`: adds to a failed update how to settle it, or a suggestion. */
export function explainFailure(
  reference: string,
  changes: UserChanges,
  flags: PatchFlags,
  { api, globals, context }: Pick<Session, 'api' | 'globals' | 'context'>,
) {
  const ids = new Set([...(propertiesSetBy(changes) ?? []), ...(changes.addProperties ?? [])]);
  return async (error: unknown): Promise<never> => {
    const isMissing = error instanceof CliError && error.exitCode === ExitCode.notFound;
    const user = isMissing && !isEmail(reference) ? [misspeltSubject(reference, api)] : [];
    const suggested = await withSuggestion(error, ...user, misspeltProperties([...ids], api));
    throw withSettling(
      hintUserList(suggested, globals),
      settling(reference, changes, flags, { globals, context }),
    );
  };
}

function settling(
  reference: string,
  { steps = [] }: UserChanges,
  flags: PatchFlags,
  { globals, context }: Pick<Session, 'globals' | 'context'>,
): Settling {
  if (setsAlone(steps)) return settledByRepeating(context.argv, { readsStdin: readsStdin(flags) });
  const end = reference.startsWith('-') ? ['--'] : [];
  return settledByLooking(lookingLine(globals, 'users', 'get', ...end, reference));
}

function listed(ids: readonly string[] | undefined): string {
  return ids === undefined || ids.length === 0 ? 'none' : ids.join(', ');
}

/** Sends an update and reports it. */
export async function sendChanges(
  update: AccessUpdate,
  flags: PatchFlags & { readonly verify: boolean },
  session: Pick<Session, 'api' | 'globals' | 'context' | 'out'>,
): Promise<void> {
  const { user, changes } = update;
  const done = await session.api.users
    .update(user.subjectId, changes, { verify: flags.verify })
    .catch(explainFailure(user.reference, changes, flags, session));
  await reportUpdate(update, done, session.out);
}

/** The problem with a value for a field of the contract. */
export function valueProblems(step: PatchStep): readonly Detail[] {
  const field = `${step.op} ${step.path}`;
  const enabled = writtenValue(step, 'enabled');
  if (enabled !== undefined && typeof enabled !== 'boolean') {
    return [{ field, reason: `${shown(enabled)} is neither true nor false` }];
  }
  const properties = writtenValue(step, 'properties');
  if (properties === undefined) return [];
  if (!Array.isArray(properties)) {
    return [{ field, reason: `${shown(properties)} is not a list of property ids such as ["BER","VIE"]` }];
  }
  return properties.flatMap((id: unknown) => {
    const reason =
      typeof id === 'string' ? listedIdProblem(id) : `${shown(id)} is not a property id, which is a text`;
    return reason === undefined ? [] : [{ field, reason }];
  });
}

/** The properties if an update replaces them all; `undefined` otherwise. */
function propertiesSetBy({ steps }: UserChanges): readonly string[] | undefined {
  const value = steps.map((step) => writtenValue(step, 'properties')).findLast((set) => set !== undefined);
  return Array.isArray(value) ? value : undefined;
}

/** Whether an `add` replaces all properties, although it looks like an addition. */
export function replacesByAdding({ steps }: UserChanges): boolean {
  return steps.some((step) => step.op === 'add' && writtenValue(step, 'properties') !== undefined);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
