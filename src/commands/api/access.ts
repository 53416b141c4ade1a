import { agreeToRequest, type Row } from '../../change/consent.ts';
import type { AccessFlags } from '../../change/flags.ts';
import { permitEach, permitRequest as permitRaw } from '../../change/guards.ts';
import { itemFor } from '../../change/item.ts';
import { agreeTo, checkRows } from '../../change/rows.ts';
import type { Session } from '../../cli/session.ts';
import { readJson } from '../../fs/document.ts';
import { inOneShape, invitesAdmin } from '../../model/access.ts';
import type { UserChanges } from '../../model/access-change.ts';
import type { PatchStep } from '../../model/patch.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { emailOf } from '../../service/find-user.ts';
import { addressed, type RawRequest, segmentsIn } from '../../service/raw.ts';
import { readRecord } from '../../service/reading.ts';
import { changesAccess, userItem } from '../users/access.ts';
import { resolveUsers } from '../users/reference.ts';

/** A body that cannot be read as a patch: it may change anything. */
const ANYTHING: PatchStep = { op: 'remove', path: '' };

/** Asks guards, lock-out rule and the person, as the command of a request does. @throws {CliError} exit 11; exit 2, 3. */
export async function permitRequest(
  request: RawRequest,
  flags: AccessFlags,
  session: Session,
): Promise<void> {
  await permitUsers(request, session);
  await checkAccess(request, flags, session);
  await agreeToRequest(request, flags.confirm, session);
}

/**
 * Applies the rules of the commands for users and invitations: a write must not lock a user out, and granting or
 * removing access needs confirmation. Reads the user only if the write changes their access.
 *
 * @throws {CliError} exit 11 if it must not be sent; exit 2 for an ambiguous body.
 */
async function checkAccess(request: RawRequest, flags: AccessFlags, session: Session): Promise<void> {
  const { operationId, users } = addressed(request.method, request.path);
  if (operationId === 'createInvitation') return confirmInvitation(request, session);
  const [id] = users;
  const isLast = segmentsIn(request.path).at(-1)?.replace(/;.*/s, '') === id;
  // The contract has no PUT or DELETE of a user; other services may: they replace or remove everything.
  const isWhole = (request.method === 'PUT' || request.method === 'DELETE') && isLast;
  if (id === undefined || !(isWhole || operationId === 'updateUser')) return;
  const changes = { steps: isWhole ? [ANYTHING] : await stepsOf(request) };
  if (!changesAccess(changes)) return;
  const row = await readRow(request, id, changes, session);
  // A DELETE is confirmed by name in any case.
  if (request.method === 'DELETE') await checkRows([row.item], flags.allowLockout, session);
  else await agreeTo([row], flags, session, true);
}

/** The row of the user in the path of the request, who is read there. */
async function readRow(
  { path }: RawRequest,
  reference: string,
  changes: UserChanges,
  session: Session,
): Promise<Row> {
  const { api } = session;
  const answer = await api.raw.send({ method: 'GET', path, query: '' });
  const record = inOneShape(readRecord(answer, api.dialect.required.user));
  const { subject_id: shown = reference } = record;
  const id = String(shown);
  const item = userItem(emailOf(record) ?? id, { id, record }, changes, true);
  return { item, names: [id], title: id };
}

async function confirmInvitation({ body }: RawRequest, session: Session): Promise<void> {
  const invitations = [body === undefined ? [] : await readJson(body, 'the body')].flat();
  const admins = invitations.filter((each): each is ServiceRecord => isRecord(each) && invitesAdmin(each));
  const [first] = admins;
  if (first === undefined) return;
  const name = admins.map((admin) => emailOf(admin) ?? 'somebody').join(', ');
  const item = itemFor({ kind: 'invitation', name }, 'create', { body: first });
  await agreeTo([{ item, names: [] }], {}, session, true);
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
async function permitUsers(request: RawRequest, session: Session): Promise<void> {
  permitRaw(request, session.api);
  const { effect, users } = addressed(request.method, request.path);
  if (effect === 'reads' || session.settings().guards.protect.length === 0) return;
  if (users.length === 0) return;
  const found = await resolveUsers(users, { isWrite: true, isRead: false }, session);
  const names = found.flatMap(({ id, email = id }) => [id, email]);
  permitEach('updateUser', names, session);
}
