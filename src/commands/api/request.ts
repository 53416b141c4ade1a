import { joinQueries, type Raw, type RawRequest } from '../../api/raw.ts';
import type { Context } from '../../context.ts';
import { messageOf } from '../../error-code.ts';
import { type Detail, invalidInput, usageError } from '../../errors.ts';
import { decodeFile } from '../../files/decode.ts';
import { readInput } from '../../files/read.ts';
import { hasMoreParts } from '../../json-text.ts';
import type { Method } from '../../transport.ts';
import { type FieldFlag, queryOf, readFields, readsFile, readsStdin } from './fields.ts';
import { methodOf, methodProblem } from './method.ts';
import { parsePath, pathProblem, queryProblem } from './path.ts';

const LARGEST_BODY = 8_388_608;

/** To see that it is JSON takes sixty bytes of memory for each. */
const MOST_PARTS = 1_000_000;

/** What the command line says of a request. */
export interface Typed {
  readonly method: string;
  readonly path: string | undefined;
  readonly fields: readonly FieldFlag[];
  readonly input?: string | undefined;
  readonly include?: true | undefined;
  readonly paginate?: true | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly ignoreNotFound?: true | undefined;
}

/**
 * The request that a command line means. A create of the contract that takes an idempotency key always has one.
 *
 * @throws {CliError} exit 11 when a guard forbids it, before a file or stdin is read; exit 2 naming all that is wrong.
 */
export async function requestFrom(typed: Typed, raw: Raw, context: Context): Promise<RawRequest> {
  refuseSharedStdin(typed);
  const method = methodOf(typed.method);
  const isBody = method === undefined || (typed.input === undefined && takesBody(method));
  if (method !== undefined) refuseBlocked(method, typed, isBody ? [] : typed.fields, raw);
  const fields = await readFields(typed.fields, context);
  const { query, details } = isBody ? { query: '', details: fields.details } : queryOf(fields);
  const wrong = [...targetProblems(typed, method), ...details, ...flagProblems(typed, method)];
  if (wrong.length > 0 || method === undefined || typed.path === undefined) throw invalidInput(wrong);
  const { path, query: own } = parsePath(typed.path);
  const joined = joinQueries(own, query);
  const reason = queryProblem(joined);
  if (reason !== undefined) throw invalidInput([{ field: 'path', reason }]);
  const idempotencyKey = keyFor({ method, path }, typed, raw, context);
  const text = isBody && typed.fields.length > 0 ? JSON.stringify(fields.object) : undefined;
  const body = typed.input === undefined ? text : await readBody(typed.input, context);
  return { method, path, query: joined, body, idempotencyKey };
}

function refuseSharedStdin({ fields, input }: Typed): void {
  const readers = fields.filter(readsStdin).length + (input === '-' ? 1 : 0);
  if (readers > 1) throw usageError('Only one flag can read stdin.', 'Put the others into files.');
}

/** Judges by the path and all of the query that stands in the command line. */
function refuseBlocked(method: Method, { path: text }: Typed, inQuery: readonly FieldFlag[], raw: Raw): void {
  if (text === undefined || pathProblem(text) !== undefined) return;
  const { path, query } = parsePath(text);
  const known = inQuery.filter((field) => !readsFile(field)).map((field) => field.text);
  raw.permit({ method, path, query: joinQueries(query, ...known) });
}

function takesBody(method: Method): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH';
}

/** A path alone stands where the method belongs, and is looked at there. */
function targetProblems({ method: word, path }: Typed, method: Method | undefined): readonly Detail[] {
  const unknown = method === undefined ? [{ field: 'method', reason: methodProblem(word) }] : [];
  if (path === undefined) return method === undefined ? unknown : [{ field: 'path', reason: 'is missing' }];
  const reason = pathProblem(path);
  return reason === undefined ? unknown : [...unknown, { field: 'path', reason }];
}

/** Flags that do not go with the method, or with each other. */
function flagProblems(
  { input, include, paginate, idempotencyKey, ignoreNotFound }: Typed,
  method: Method | undefined,
): readonly Detail[] {
  if (method === undefined) return [];
  const isBodiless = method === 'GET' || method === 'HEAD';
  const rules: readonly (readonly [boolean, string, string])[] = [
    [input !== undefined && isBodiless, '--input', `${method} carries no body`],
    [paginate === true && method !== 'GET', '--paginate', `only GET has pages, not ${method}`],
    [
      paginate === true && include === true,
      '--include',
      'shows one answer, and --paginate makes one of several',
    ],
    [
      idempotencyKey !== undefined && method !== 'POST',
      '--idempotency-key',
      `only POST carries one, not ${method}`,
    ],
    [
      ignoreNotFound === true && method !== 'DELETE',
      '--ignore-not-found',
      `only DELETE takes it, not ${method}`,
    ],
    [
      idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey),
      '--idempotency-key',
      'must be 1 to 255 visible ASCII characters',
    ],
  ];
  return rules.flatMap(([isBroken, field, reason]) => (isBroken ? [{ field, reason }] : []));
}

/** Identity requests take no key: the service would not know it, and a second try would send a second mail. */
function keyFor(
  request: Pick<RawRequest, 'method' | 'path'>,
  { idempotencyKey: given }: Typed,
  raw: Raw,
  { uuid }: Context,
): string | undefined {
  const { area, operation } = raw.addressed(request);
  if (given !== undefined && area === 'identity') {
    const reason = `the service knows none for ${request.method} ${request.path}; leave it out`;
    throw invalidInput([{ field: '--idempotency-key', reason }]);
  }
  return given ?? (operation?.safety === 'keyed' ? uuid() : undefined);
}

/** The text of a file that holds JSON, as it stands there. */
async function readBody(input: string, { stdin, signal }: Context): Promise<string> {
  const name = input === '-' ? 'stdin' : input;
  const text = decodeFile(await readInput(input, stdin, LARGEST_BODY, signal), name);
  if (text.trim() === '') throw usageError(`${name} is empty.`);
  if (hasMoreParts(text, MOST_PARTS)) throw usageError(`${name} is JSON of more than 1,000,000 parts.`);
  try {
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw usageError(`${name} is not valid JSON: ${messageOf(cause)}.`);
  }
}
