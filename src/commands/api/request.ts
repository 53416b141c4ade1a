import { permitRequest } from '../../change/guards.ts';
import { type Detail, detailsFor, invalidInput, messageOf, usageError } from '../../cli/errors.ts';
import type { Context, Method } from '../../cli/ports.ts';
import { readText } from '../../fs/read.ts';
import { choiceProblem } from '../../model/names.ts';
import { isDecodable, keyProblem, leavesSegment } from '../../model/segment.ts';
import { quote } from '../../model/text.ts';
import { addressed, joinQueries, type Raw, type RawRequest, segmentsIn } from '../../service/raw.ts';
import type { apiCommand } from './api.ts';
import { type FieldFlag, queryOf, readFields, readsFile, readsStdin } from './fields.ts';

const LARGEST_BODY = 8_388_608;

/** The request as given on the command line. */
export interface Typed extends ReturnType<ReturnType<typeof apiCommand>['opts']> {
  readonly method: string;
  readonly path: string | undefined;
  readonly fields: readonly FieldFlag[];
}

/**
 * The request to send. An operation with an idempotency key always gets one.
 *
 * @throws {CliError} exit 11 when a guard blocks it, before a file or stdin is read; exit 2 with all problems.
 */
export async function requestFrom(typed: Typed, raw: Raw, context: Context): Promise<RawRequest> {
  refuseSharedStdin(typed);
  const method = methods.find((each) => each === typed.method.toUpperCase());
  const isBody =
    method === undefined || (typed.input === undefined && ['POST', 'PUT', 'PATCH'].includes(method));
  if (method !== undefined) refuseBlocked(method, typed, isBody ? [] : typed.fields, raw);
  const fields = await readFields(typed.fields, context.stdin);
  const { query, details } = isBody ? { query: '', details: fields.details } : queryOf(fields);
  const problems = [...targetProblems(typed, method), ...details, ...flagProblems(typed, method)];
  if (problems.length > 0 || method === undefined || typed.path === undefined) throw invalidInput(problems);
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

/** Asks the guards about the path and the part of the query that is on the command line. */
function refuseBlocked(method: Method, { path: text }: Typed, inQuery: readonly FieldFlag[], raw: Raw): void {
  if (text === undefined || pathProblem(text) !== undefined) return;
  const { path, query } = parsePath(text);
  const known = inQuery.filter((field) => !readsFile(field)).map((field) => field.text);
  permitRequest({ method, path, query: joinQueries(query, ...known) }, { raw });
}

const methods: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What is wrong with a word that is not a method. */
export function methodProblem(word: string): string {
  if (word.includes('/')) return `${quote(word)} is a path; the method comes first: innctl api GET <path>`;
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
  const unless = (isRight: boolean, field: string, reason: string) => (isRight ? [] : [{ field, reason }]);
  const only = (flag: string, value: unknown, allowed: Method, reason: string) =>
    unless(value === undefined || method === allowed, flag, `${reason}, not ${method}`);
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const isOnePart = paginate === undefined || include === undefined;
  return [
    ...unless(input === undefined || hasBody, '--input', `${method} carries no body`),
    ...only('--paginate', paginate, 'GET', 'only GET has pages'),
    ...unless(isOnePart, '--include', 'shows one answer, and --paginate makes one of several'),
    ...only('--idempotency-key', idempotencyKey, 'POST', 'only POST carries one'),
    ...only('--ignore-not-found', ignoreNotFound, 'DELETE', 'only DELETE takes it'),
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
  if (text.trim() === '') throw usageError(`${name} is empty.`);
  try {
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw usageError(`${name} is not valid JSON: ${messageOf(cause)}.`);
  }
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
  if (stray.test(text)) return `${quote(text)} has blanks, or control or invisible characters`;
  if (text.includes('\\')) return `${quote(text)} has a backslash; write / between the parts`;
  if (text.includes('#')) return `${quote(text)} has a fragment; write %23 for a literal #`;
  const { path, query } = parsePath(text);
  if (!isDecodable(path) || !isDecodable(query))
    return `${quote(text)} has a broken percent encoding; write %25 for a literal %`;
  return segmentsProblem(path, text);
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

function segmentsProblem(path: string, text: string): string | undefined {
  const placeholder = /\{[^/]*\}|<[^/]*>/.exec(decodeURIComponent(path))?.[0];
  if (placeholder !== undefined) return `${quote(placeholder)} is a placeholder; write the value itself`;
  for (const segment of segmentsIn(path)) {
    if (segment === '') return `${quote(text)} has an empty part; write one / between two parts`;
    if (segment === '.' || segment === '..') return `${quote(text)} has the part ${segment}; leave it out`;
    if (stray.test(segment)) return `${quote(text)} hides blanks, or control or invisible characters`;
    if (leavesSegment(segment)) return `${quote(text)} hides a slash, a backslash or dots; no id has one`;
    if (/[?#]/.test(segment) && !segment.includes('@')) return `${quote(text)} hides a ? or #; no id has one`;
  }
  return undefined;
}

function encoded(text: string): string {
  return text.toWellFormed().replace(unencoded, encodeURIComponent);
}
