import type { Session } from '../../cli/session.ts';
import { readJson } from '../../fs/document.ts';
import { inOneShape } from '../../model/access.ts';
import { invitesAdmin, type UserChanges } from '../../model/access-change.ts';
import { normalise } from '../../model/fields.ts';
import type { PatchStep } from '../../model/patch.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { type RawRequest, segmentsIn } from '../../service/raw.ts';
import {
  type AccessFlags,
  type AccessUpdate,
  lookForLockout,
  mindAccess,
  needsRecord,
} from '../users/access.ts';
import { findPermitted } from '../users/reference.ts';

/** A step that may do anything: of what cannot be read as a patch, everything is possible. */
const ANYTHING: PatchStep = { op: 'remove', path: '' };

/**
 * Holds a request to the rules of the commands for people: a write to a user locks nobody out, and what it takes or
 * gives is consented to; so is an invitation with full access. The service is asked only where something is reduced,
 * taken or given.
 *
 * @throws {CliError} exit 11 where it must not be sent; exit 2 for a body that can be read in two ways.
 */
export async function mindPeople(request: RawRequest, flags: AccessFlags, session: Session): Promise<void> {
  const { operationId, users } = session.api.raw.addressed(request);
  if (operationId === 'createInvitation') return mindInvitation(request, session);
  const [id] = users;
  const isLast = segmentsIn(request.path).at(-1)?.replace(/;.*/s, '') === id;
  // No operation puts or deletes a user; a service that does replaces, or takes, everything.
  const isWhole = (request.method === 'PUT' || request.method === 'DELETE') && isLast;
  if (id === undefined || !(isWhole || operationId === 'updateUser')) return;
  const changes = { steps: isWhole ? [ANYTHING] : await stepsOf(request) };
  if (!needsRecord(changes)) return;
  const update = await read(request, id, changes, flags, session);
  // Consent by name to what destroys is asked for in any case.
  if (request.method === 'DELETE') await lookForLockout(update, flags, session);
  else await mindAccess(update, flags, session);
}

/** The user of an update, read where it is sent to. */
async function read(
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
      // A service may read ids and paths that are spelt otherwise when it writes.
      await lookForLockout(named, flags, session);
      throw error;
    });
  const record = isRecord(body) ? inOneShape(normalise(body)) : {};
  const { subject_id: id = reference, email } = record;
  const subjectId = String(id);
  const shown = typeof email === 'string' ? email : undefined;
  return { user: { reference: subjectId, subjectId, email: shown }, changes, record };
}

async function mindInvitation({ body }: RawRequest, session: Session): Promise<void> {
  const invitations = [body === undefined ? [] : await readJson(body, 'the body')].flat();
  const admins = invitations.filter((each): each is ServiceRecord => isRecord(each) && invitesAdmin(each));
  if (admins.length === 0) return;
  const who = admins.map(({ email }) => (typeof email === 'string' ? email : 'somebody')).join(', ');
  await session.confirm(`This invites ${who} with full access to every property. Go on?`);
}

/** The body as steps, as the most lenient service reads it: names and operations in any case. */
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
 * Returns when the settings allow a request, its body included, and no user whom it names is protected under another name.
 *
 * @throws {CliError} `blocked`, exit 11; exit 3 when there is no such user.
 */
export async function permitWhole(request: RawRequest, session: Session): Promise<void> {
  const { raw } = session.api;
  raw.permit(request);
  const { effect, users } = raw.addressed(request);
  if (effect === 'reads' || session.settings().guards.protect.length === 0) return;
  for (const user of users) await findPermitted(user, session);
}

/**
 * Returns when a request needs no consent, or has it: a yes where a command of its own would ask for one, the id in the
 * path once more for everything else that destroys.
 *
 * @param given what --confirm said.
 * @throws {CliError} exit 11 otherwise.
 */
export async function consentTo(
  request: RawRequest,
  given: string | undefined,
  { api, confirm, confirmByName }: Session,
): Promise<void> {
  const { does, consent, name } = api.raw.addressed(request);
  if (consent === undefined) return;
  const line = `${request.method} ${request.path}`;
  if (consent === 'yes') {
    await confirm(`Send ${line}, to ${does}?`);
    return;
  }
  const sentence = does === undefined ? `${line} may destroy what it names.` : `This will ${does} ${name}.`;
  await confirmByName({ sentence, names: [name], given });
}
