import type { Session } from '../../cli/session.ts';
import { readJson } from '../../fs/document.ts';
import { inOneShape, invitesAdmin } from '../../model/access.ts';
import type { UserChanges } from '../../model/access-change.ts';
import { normalise } from '../../model/fields.ts';
import type { PatchStep } from '../../model/patch.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { addressed, type RawRequest, segmentsIn } from '../../service/raw.ts';
import {
  type AccessFlags,
  type AccessUpdate,
  checkLockout,
  confirmAccess,
  needsRecord,
} from '../users/access.ts';
import { findPermitted } from '../users/reference.ts';

/** A body that cannot be read as a patch: it may change anything. */
const ANYTHING: PatchStep = { op: 'remove', path: '' };

/**
 * Applies the rules of the commands for users and invitations: a write must not lock a user out, and granting or
 * removing access needs confirmation. Reads the user only if the write changes their access.
 *
 * @throws {CliError} exit 11 if it must not be sent; exit 2 for an ambiguous body.
 */
export async function checkAccess(request: RawRequest, flags: AccessFlags, session: Session): Promise<void> {
  const { operationId, users } = addressed(request.method, request.path);
  if (operationId === 'createInvitation') return confirmInvitation(request, session);
  const [id] = users;
  const isLast = segmentsIn(request.path).at(-1)?.replace(/;.*/s, '') === id;
  // The contract has no PUT or DELETE of a user; other services may: they replace or remove everything.
  const isWhole = (request.method === 'PUT' || request.method === 'DELETE') && isLast;
  if (id === undefined || !(isWhole || operationId === 'updateUser')) return;
  const changes = { steps: isWhole ? [ANYTHING] : await stepsOf(request) };
  if (!needsRecord(changes)) return;
  const update = await readUpdate(request, id, changes, flags, session);
  // A DELETE is confirmed by name in any case.
  if (request.method === 'DELETE') await checkLockout(update, flags, session);
  else await confirmAccess(update, flags, session);
}

/** Reads the user from the path of the request. */
async function readUpdate(
  { path }: RawRequest,
  reference: string,
  changes: UserChanges,
  flags: AccessFlags,
  session: Session,
): Promise<AccessUpdate> {
  const named = { user: { reference, subjectId: reference }, changes };
  const { body } = await session.api.raw
    .send({ method: 'GET', path, query: '' })
    .catch(async (error: unknown) => {
      // A service may accept other spellings of ids and paths in writes than in reads.
      await checkLockout(named, flags, session);
      throw error;
    });
  const record = isRecord(body) ? inOneShape(normalise(body)) : {};
  const { subject_id: id, email } = record;
  const subjectId = typeof id === 'string' || typeof id === 'number' ? String(id) : reference;
  const shown = typeof email === 'string' ? email : undefined;
  return { user: { reference: subjectId, subjectId, email: shown }, changes, record };
}

async function confirmInvitation({ body }: RawRequest, session: Session): Promise<void> {
  const invitations = [body === undefined ? [] : await readJson(body, 'the body')].flat();
  const admins = invitations.filter((each): each is ServiceRecord => isRecord(each) && invitesAdmin(each));
  if (admins.length === 0) return;
  const who = admins.map(({ email }) => (typeof email === 'string' ? email : 'somebody')).join(', ');
  await session.confirm(`This invites ${who} with full access to every property. Continue?`);
}

/** The body as steps, read leniently as some services do: names and operations in any case. */
async function stepsOf({ body }: RawRequest): Promise<readonly PatchStep[]> {
  if (body === undefined) return [];
  const value = await readJson(body, 'the body');
  return Array.isArray(value) ? value.map(stepOf) : [ANYTHING];
}

function stepOf(entry: unknown): PatchStep {
  if (!isRecord(entry)) return ANYTHING;
  const { op, path, from, value } = Object.fromEntries(
    Object.entries(entry).map(([name, each]) => [name.toLowerCase(), each]),
  );
  if (typeof op !== 'string' || typeof path !== 'string') return ANYTHING;
  const does = op.toLowerCase();
  if (does === 'add' || does === 'replace' || does === 'test') return { op: does, path, value };
  if (does === 'move' || does === 'copy')
    return typeof from === 'string' ? { op: does, path, from } : ANYTHING;
  return { op: 'remove', path };
}

/**
 * Checks the guards for a request and its body, including users that the body names differently.
 *
 * @throws {CliError} `blocked`, exit 11; exit 3 if there is no such user.
 */
export async function permitUsers(request: RawRequest, session: Session): Promise<void> {
  session.api.raw.permit(request);
  const { effect, users } = addressed(request.method, request.path);
  if (effect === 'reads' || session.settings().guards.protect.length === 0) return;
  for (const user of users) await findPermitted(user, session);
}

/**
 * Asks for confirmation if the request needs it: a yes if its own command would ask for one, or the id in the path for
 * any other destructive request.
 *
 * @param given the value of --confirm.
 * @throws {CliError} exit 11 if not confirmed.
 */
export async function confirmRequest(
  request: RawRequest,
  given: string | undefined,
  { confirm, confirmByName }: Session,
): Promise<void> {
  const { does, consent, name } = addressed(request.method, request.path);
  if (consent === undefined) return;
  const line = `${request.method} ${request.path}`;
  if (consent === 'yes') {
    await confirm(`Send ${line}, to ${does}?`);
    return;
  }
  const sentence =
    does === undefined ? `${line} may delete or overwrite data.` : `This will ${does} ${name}.`;
  await confirmByName({ sentence, names: [[name]], given: given === undefined ? [] : [given] });
}
