import {
  type PropertyChange,
  propertyChange,
  touchesProperties,
  withoutRoles,
} from '../../api/access-change.ts';
import type { UserReference } from '../../api/find-user.ts';
import { setsAlone } from '../../api/patch.ts';
import { isSameSet } from '../../api/user-properties.ts';
import type { UserChanges, UserUpdate } from '../../api/users.ts';
import { CliError } from '../../errors.ts';
import { ExitCode } from '../../exit-codes.ts';
import type { ServiceRecord } from '../../records.ts';
import type { Output } from '../../render/output.ts';
import type { Session } from '../../session.ts';
import { suggesting } from '../meant.ts';
import { type PatchFlags, readsStdin } from '../patch-flags.ts';
import { reportWrite } from '../read-back.ts';
import { roleless } from '../roleless.ts';
import { inDoubt, lookingLine, type Settling, settledByLooking, settledByRepeating } from '../settle.ts';
import type { AccessUpdate } from './access.ts';
import { misspeltProperties, misspeltUser, orListed } from './misspelt.ts';
import { isEmail } from './reference.ts';
import { propertiesSetBy } from './steps.ts';

/** The user that was found, and how the command line named it. */
export interface NamedUser extends UserReference {
  readonly reference: string;
}

/** Reports an update that the service has taken, or that was not needed. */
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
  const powerless = done.record === undefined ? [] : withoutRoles(done.record, added);
  const facts = {
    subject_id: subjectId,
    ...(email === undefined ? {} : { email }),
    updated: done.isWritten,
    ...(properties === undefined ? {} : { properties }),
    ...(touchesProperties(changes) ? { added, removed } : {}),
    ...(removedRoles.length === 0 ? {} : { removed_roles: removedRoles }),
    ...(powerless.length === 0 ? {} : { without_roles: powerless }),
    ...(isOther ? { sent_properties: sent } : {}),
    ...(isChangedMeanwhile ? { changed_meanwhile: true } : {}),
  };
  if (isChangedMeanwhile) {
    const told = isOther || now === undefined ? [`${listed(sent)} were sent`] : [];
    if (now !== undefined) told.push(`${listed(now)} are there now`);
    await out.warn(
      `Somebody else changed the properties of user ${reference} meanwhile: ${told.join(', ')}.`,
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
  if (powerless.length > 0) await out.warn(roleless(email ?? reference, powerless));
}

/** Properties that the update itself added and removed, and the roles that went with them, as far as that is known. */
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

/**
 * Adds something to type to an update that failed: what settles a doubt, or what was probably meant.
 *
 * @returns for `catch`; every error goes on.
 */
export function explaining(
  reference: string,
  changes: UserChanges,
  flags: PatchFlags,
  { api, globals, context }: Pick<Session, 'api' | 'globals' | 'context'>,
) {
  const ids = new Set([...(propertiesSetBy(changes) ?? []), ...(changes.addProperties ?? [])]);
  return (error: unknown): Promise<never> => {
    const isMissing = error instanceof CliError && error.exitCode === ExitCode.notFound;
    const user = isMissing && !isEmail(reference) ? [misspeltUser(reference, api)] : [];
    return suggesting(
      ...user,
      ...misspeltProperties([...ids], api),
    )(error)
      .catch(orListed(globals))
      .catch(inDoubt(settling(reference, changes, flags, { globals, context })));
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
