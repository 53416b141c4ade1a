import { invitesAdmin } from '../../api/access-change.ts';
import { segmentsIn } from '../../api/addressed.ts';
import { normalise } from '../../api/fields.ts';
import type { PatchStep } from '../../api/patch.ts';
import type { RawRequest } from '../../api/raw.ts';
import { withPropertyIds } from '../../api/user-properties.ts';
import { readJson } from '../../files/document.ts';
import { isRecord, type ServiceRecord } from '../../records.ts';
import type { Session } from '../../session.ts';
import { type AccessFlags, lookForLockout, mindAccess, needsRecord } from '../users/access.ts';

/** A step that may do anything: of what cannot be read as a patch, everything is possible. */
const ANYTHING: PatchStep = { op: 'remove', path: '' };

/** Both dialects' paths of one user, and of the invitations, in small letters. */
const USER = /^api\/v\d+\/(?:identity\/|account\/)?users\/[^/]+$/;
const INVITATIONS = /^api\/v\d+\/(?:identity\/|account\/)?invitations$/;

/**
 * Holds a request to the rules of the commands for people: a write to a user locks nobody out, and what it takes or
 * gives is consented to; so is an invitation with full access. The service is asked only where something is reduced,
 * taken or given.
 *
 * @throws {CliError} exit 11 where it must not be sent; exit 2 for a body that can be read in two ways.
 */
export async function mindPeople(request: RawRequest, flags: AccessFlags, session: Session): Promise<void> {
  const segments = segmentsIn(request.path);
  const path = segments.join('/').toLowerCase();
  if (request.method === 'POST' && INVITATIONS.test(path)) return mindInvitation(request, session);
  if (!['PATCH', 'PUT', 'DELETE'].includes(request.method) || !USER.test(path)) return;
  const changes = { steps: request.method === 'DELETE' ? [ANYTHING] : await stepsOf(request) };
  if (!needsRecord(changes)) return;
  const named = { reference: segments.at(-1) ?? '', subjectId: segments.at(-1) ?? '' };
  const { body } = await session.api.raw
    .send({ method: 'GET', path: request.path, query: '' })
    .catch(async (error: unknown) => {
      // A service may read ids and paths that are spelt otherwise when it writes.
      await lookForLockout({ user: named, changes }, flags, session);
      throw error;
    });
  const record = isRecord(body) ? withPropertyIds(normalise(body)) : {};
  const { subject_id: id, email } = record;
  const reference = typeof id === 'string' ? id : named.reference;
  const user = { reference, subjectId: reference, email: typeof email === 'string' ? email : undefined };
  await mindAccess({ user, changes, record }, flags, session);
}

async function mindInvitation({ body }: RawRequest, session: Session): Promise<void> {
  const invitations = [body === undefined ? [] : await readJson(body, 'the body')].flat();
  const admins = invitations.filter((each): each is ServiceRecord => isRecord(each) && invitesAdmin(each));
  if (admins.length === 0) return;
  const who = admins.map(({ email }) => (typeof email === 'string' ? email : 'somebody')).join(', ');
  await session.confirm(`This invites ${who} with full access to every property. Go on?`);
}

/** The body as steps, as the most lenient service reads it: names and operations in any case. */
async function stepsOf({ body, method }: RawRequest): Promise<readonly PatchStep[]> {
  if (body === undefined) return [];
  const value = await readJson(body, 'the body');
  return method === 'PATCH' && Array.isArray(value) ? value.map(stepOf) : [ANYTHING];
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
