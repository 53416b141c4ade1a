import { agreeToRequest, type Row } from '../../change/consent.ts';
import type { AccessFlags } from '../../change/flags.ts';
import { permitEach, permitRequest } from '../../change/guards.ts';
import { itemFor } from '../../change/item.ts';
import { agreeTo, checkRows } from '../../change/rows.ts';
import { parseJson, readJson } from '../../fs/document.ts';
import { readText } from '../../fs/read.ts';
import { inOneShape, invitesAdmin } from '../../model/access.ts';
import type { UserChanges } from '../../model/access-change.ts';
import { type Detail, detailsFor, invalidInput, usageError } from '../../model/errors.ts';
import type { PatchStep } from '../../model/patch.ts';
import type { Context, Method } from '../../model/ports.ts';
import { isRecord, type ServiceRecord } from '../../model/records.ts';
import { choiceProblem, isDecodable, keyProblem, leavesSegment, quote } from '../../model/text.ts';
import { shellLine } from '../../print/text.ts';
import { addressed, joinQueries, type RawRequest, segmentsIn } from '../../service/raw.ts';
import { readRecord } from '../../service/reading.ts';
import { emailOf } from '../../service/users.ts';
import type { Session } from '../../session/session.ts';
import { changesAccess, userItem } from '../users/access.ts';
import { resolveUsers } from '../users/reference.ts';
import { type FieldFlag, queryOf, readFields, readsStdin } from './fields.ts';

const LARGEST_BODY = 8_388_608;

/** The request as given on the command line. */
export interface Typed {
  readonly method: string;
  readonly path: string | undefined;
  readonly fields: readonly FieldFlag[];
  readonly input?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly include?: true | undefined;
  readonly paginate?: true | undefined;
  readonly ignoreNotFound?: true | undefined;
}

/**
 * The request to send. An operation with an idempotency key always gets one.
 *
 * @throws {CliError} exit 2 with all problems.
 */
export async function requestFrom(typed: Typed, context: Context): Promise<RawRequest> {
  refuseSharedStdin(typed);
  const method = methods.find((each) => each === typed.method.toUpperCase());
  const isBody = typed.input === undefined && ['POST', 'PUT', 'PATCH'].includes(method ?? 'POST');
  const fields = await readFields(typed.fields, context.stdin);
  const { query, details } = isBody ? { query: '', details: fields.details } : queryOf(fields);
  const problems = [...targetProblems(typed, method), ...details, ...flagProblems(typed, method)];
  if (problems.length > 0 || method === undefined || typed.path === undefined)
    throw invalidInput(problems, withMethod(typed, context));
  const { path, query: own } = parsePath(typed.path);
  const joined = joinQueries(own, query);
  const reason = queryProblem(joined);
  if (reason !== undefined) throw invalidInput([{ field: 'path', reason }]);
  const idempotencyKey = keyFor({ method, path }, typed, context);
  const text = isBody && typed.fields.length > 0 ? JSON.stringify(fields.object) : undefined;
  const body = typed.input === undefined ? text : await readBody(typed.input, context);
  return { method, path, query: joined, body, idempotencyKey };
}

function refuseSharedStdin({ fields, input }: Typed): void {
  const readers = fields.filter(readsStdin).length + (input === '-' ? 1 : 0);
  if (readers > 1) throw usageError('Only one flag can read stdin.', 'Put the others into files.');
}

const methods: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A path given alone is read. */
function withMethod({ method: word, path }: Typed, { argv }: Context): string | undefined {
  if (path !== undefined || !word.includes('/')) return undefined;
  return shellLine(['innctl', ...argv.toSpliced(argv.indexOf(word), 0, 'GET')]);
}

/** What is wrong with a word that is not a method. */
export function methodProblem(word: string): string {
  if (word.includes('/')) return `${quote(word)} is a path; the method comes first`;
  return choiceProblem(word, methods) ?? '';
}

/** A path given alone is parsed as the method. */
function targetProblems({ method: word, path }: Typed, method: Method | undefined): readonly Detail[] {
  const unknown = method === undefined ? [{ field: 'method', reason: methodProblem(word) }] : [];
  if (path === undefined) return method === undefined ? unknown : [{ field: 'path', reason: 'is missing' }];
  return [...unknown, ...detailsFor('path', pathProblem(path))];
}

/** Flags that cannot be combined with the method, or with each other. */
function flagProblems(
  { input, include, paginate, idempotencyKey, ignoreNotFound }: Typed,
  method: Method | undefined,
): readonly Detail[] {
  if (method === undefined) return [];
  const isBodiless = method === 'GET' || method === 'HEAD';
  const both = paginate === undefined ? undefined : include;
  const reasons = [
    ['--input', isBodiless && input, `${method} carries no body`],
    ['--paginate', method !== 'GET' && paginate, `only GET has pages, not ${method}`],
    ['--include', both, 'shows one answer, and --paginate makes one of several'],
    ['--idempotency-key', method !== 'POST' && idempotencyKey, `only POST carries one, not ${method}`],
    ['--ignore-not-found', method !== 'DELETE' && ignoreNotFound, `only DELETE takes it, not ${method}`],
  ] as const;
  return [
    ...reasons.flatMap(([field, given, reason]) => (given ? [{ field, reason }] : [])),
    ...detailsFor('--idempotency-key', keyProblem(idempotencyKey)),
  ];
}

/** The identity API ignores keys, and a retry would send a second mail. */
function keyFor(
  request: Pick<RawRequest, 'method' | 'path'>,
  { idempotencyKey: given }: Typed,
  { uuid }: Context,
): string | undefined {
  const { area, operation } = addressed(request.method, request.path);
  if (given !== undefined && area === 'identity') {
    const reason = `the service knows none for ${request.method} ${request.path}; leave it out`;
    throw invalidInput([{ field: '--idempotency-key', reason }]);
  }
  return given ?? (operation?.safety === 'keyed' ? uuid() : undefined);
}

/** The text of a JSON file, unchanged. */
async function readBody(input: string, { stdin }: Context): Promise<string> {
  const { name, text } = await readText(input, stdin, LARGEST_BODY);
  await parseJson(text, name);
  return text;
}

const LONGEST = 8_192;

/** White space and invisible characters. */
const stray = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;

/** All characters but those that need no encoding in a path or query (RFC 3986). */
const unencoded = /[^\w\-.~!$&'()*+,;=:@%/?]/gu;

/** Splits the path from its query, adds a missing slash in front, and percent-encodes all but ASCII. */
function parsePath(text: string): Pick<RawRequest, 'path' | 'query'> {
  const rooted = text.startsWith('/') ? text : `/${text}`;
  const mark = rooted.indexOf('?');
  const [path, query] = mark === -1 ? [rooted, ''] : [rooted.slice(0, mark), rooted.slice(mark + 1)];
  return { path: encoded(path), query: encoded(query) };
}

/** What is wrong with a path below the URL of the service, or `undefined`. */
function pathProblem(text: string): string | undefined {
  if (text.trim() === '') return 'must not be empty';
  if (text.length > LONGEST) return `is longer than ${LONGEST} characters`;
  if (/^(?:[a-z][a-z\d+.-]*:|[/\\]{2})/i.test(text))
    return `${quote(text)} contains a host; write only the path, such as /inventory/v1/properties`;
  const { path, query } = parsePath(text);
  if (!isDecodable(path) || !isDecodable(query))
    return `${quote(text)} has a broken percent encoding; write %25 for a literal %`;
  const isOdd = /[\\#]/.test(text) || stray.test(text) || segmentsIn(path).some(isOddSegment);
  return isOdd ? `${quote(text)} ${ODD}` : undefined;
}

const ODD =
  'has a part that is empty, dots or a placeholder such as {id}, or has blanks, # or \\, or hides them or a /; write plain values';

function isOddSegment(segment: string): boolean {
  if (segment === '' || /^\{.*\}$|^<.*>$/.test(segment) || stray.test(segment)) return true;
  return leavesSegment(segment) || (/[?#]/.test(segment) && !segment.includes('@'));
}

/** Some services let a parameter override the method, which would bypass the guards. */
function queryProblem(query: string): string | undefined {
  const names = [...new URLSearchParams(query).keys()].map((name) => name.replaceAll('_', '-'));
  const found = names.find((name) =>
    /^(?:-+method|-?(?:x-)?http-method(?:-override)?|x-method-override)$/i.test(name),
  );
  return found === undefined
    ? undefined
    : 'has a parameter that overrides the method; write the method itself';
}

function encoded(text: string): string {
  return text.toWellFormed().replace(unencoded, encodeURIComponent);
}

/** A body that cannot be read as a patch: it may change anything. */
const ANYTHING: PatchStep = { op: 'remove', path: '' };

/** Asks guards, lock-out rule and the person, as the command of a request does. @throws {CliError} exit 11; exit 2, 3. */
export async function agreeToWrite(request: RawRequest, flags: AccessFlags, session: Session): Promise<void> {
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
  permitRequest(request, session.api);
  const { effect, users } = addressed(request.method, request.path);
  if (effect === 'reads' || session.settings().guards.protect.length === 0) return;
  if (users.length === 0) return;
  const found = await resolveUsers(users, { isWrite: true, isRead: false }, session);
  const names = found.flatMap(({ id, email = id }) => [id, email]);
  permitEach('updateUser', names, session);
}
