import { accessProblems, withAccessFlags } from '../../change/flags.ts';
import {
  ignoringNotFound,
  isIgnored,
  isPiped,
  lookingLine,
  type Settling,
  settledByLooking,
  settledByRepeating,
  withSettling,
} from '../../change/lines.ts';
import { OutcomeUnknown, refuseInvalid } from '../../model/errors.ts';
import { type PatchStep, setsAlone } from '../../model/patch.ts';
import type { Context } from '../../model/ports.ts';
import { isRecord } from '../../model/records.ts';
import { maskHeaders } from '../../model/redaction.ts';
import type { Output } from '../../print/output.ts';
import type { Answer } from '../../service/answer.ts';
import type { RawRequest } from '../../service/raw.ts';
import { isOfService } from '../../service/retry.ts';
import { serviceCommand } from '../../session/command-line.ts';
import { type Session, withSession } from '../../session/session.ts';
import { type FieldFlag, readsStdin as readsField } from './fields.ts';
import type { Typed } from './request.ts';

/**
 * `api <method> <path>`: one request, sent with the credentials of the profile, retries and guards.
 *
 * For units, unit groups and everything else without a command. Field names are not translated.
 */
export function apiCommand(context: Context) {
  // Both flags append to one list to keep the order of the command line.
  const fields: FieldFlag[] = [];
  const collectFor = (flag: FieldFlag['flag']) => (text: string) => {
    fields.push({ flag, text });
    return fields;
  };
  const command = serviceCommand('api', 'destroys', [
    'api GET /inventory/v1/properties',
    'api GET /inventory/v1/unit-groups -f property_id=BER --paginate',
    'api PATCH /inventory/v1/properties/BER --input patch.json',
    'api PUT /inventory/v1/property-actions/MUC/archive --confirm MUC',
  ])
    .summary('send an authenticated API request')
    .description(
      'Send an authenticated HTTP request and print the response. Paths under /api/ go to the identity URL, all ' +
        'others to the base URL. Fields become the query of GET, HEAD, DELETE and requests with --input, otherwise ' +
        'the JSON body. The output is JSON in every format; with ndjson, one line per entry. Writes require the ' +
        'same confirmation as the corresponding command, and guards apply.',
    )
    .usage('[options] <method> <path>')
    .argument('<method>', 'GET, HEAD, POST, PUT, PATCH or DELETE')
    .argument('[path]', 'path and query: /inventory/v1/units?floor=2')
    .option(
      '-f, --raw-field <name=value>',
      'add a string field; names nest: a[b]=1, list[]=x (repeatable)',
      collectFor('--raw-field'),
    )
    .option(
      '-F, --field <name=value>',
      'add a typed field: true, false, null, number, JSON, @file, or string (repeatable)',
      collectFor('--field'),
    )
    .option('--input <file>', 'read the JSON body from a file; - for stdin')
    .option('-i, --include', 'include the response status and headers in the output')
    .option('--paginate', 'fetch all pages of a list')
    .option('--idempotency-key <key>', 'idempotency key of a POST: the same key never creates twice')
    .option('--ignore-not-found', 'with DELETE: succeed if there is nothing to delete');
  return withAccessFlags(
    command,
    'confirm a request that deletes, disables or sets live: repeat the id in the path',
  ).action(
    withSession(context, async (session, method, path, options) => {
      const { api, out } = session;
      refuseInvalid(accessProblems(options));
      const typed = { ...options, method, path, fields };
      const { agreeToWrite, requestFrom } = await import('./request.ts');
      const raw = await requestFrom(typed, context);
      const isTrusted = api.trustsKeys || typed.idempotencyKey !== undefined;
      const request = raw.method === 'POST' && !isTrusted ? { ...raw, leavesDoubt: true } : raw;
      await agreeToWrite(request, options, session);
      if (options.paginate === true) {
        const { first, more } = await api.raw.pages(request);
        // A list without a body is empty.
        return out.document(first.body === undefined ? [] : first.body, { more });
      }
      try {
        const answer = await api.raw.send(request).catch((error: unknown) => {
          throw withSettling(error, settling(request, typed, error, session));
        });
        await showAnswer(request, answer, options.include === true, out);
      } catch (error) {
        if (!isIgnored(error, options.ignoreNotFound)) throw error;
        await out.done(`${request.method} ${request.path}: not found.`, { status: 404 });
      }
    }),
  );
}

/** Prints status and headers if wanted (always for HEAD), and the body, or that there is none. */
async function showAnswer(
  { method, path }: RawRequest,
  { status, headers, body, doubt }: Answer,
  include: boolean,
  out: Output,
): Promise<void> {
  const sentence = `${method} ${path}: ${status}.`;
  const isRead = method === 'GET' || method === 'HEAD';
  if (include || method === 'HEAD') {
    const head = { status, headers: maskHeaders(headers) };
    await out.document(body, { head, write: isRead ? undefined : sentence });
    return;
  }
  if (doubt !== undefined) await out.done(`${method} ${path}: no longer exists.`, { status, presumed: true });
  else if (body === undefined) await out.done(sentence, { status });
  else await out.document(body, { write: isRead ? undefined : sentence });
}

/**
 * How to settle an unknown outcome. If the request may be repeated: the same command, with the idempotency key or
 * --ignore-not-found; otherwise a GET of the path.
 */
function settling(
  request: RawRequest,
  typed: Typed,
  error: unknown,
  { context, globals }: Pick<Session, 'context' | 'globals'>,
): Settling {
  const { method, path, idempotencyKey: key } = request;
  // A service that stores responses repeats its failure as long as it knows the key.
  const isSpent =
    typed.idempotencyKey !== undefined && error instanceof OutcomeUnknown && isOfService(error.status);
  if (isSpent || !isRepeatable(request)) return settledByLooking(lookingLine(globals, 'api', 'GET', path));
  const readsStdin = isPiped(typed.input) || typed.fields.some(readsField);
  const keyed = key === undefined || typed.idempotencyKey !== undefined ? [] : ['--idempotency-key', key];
  const gone = method === 'DELETE' ? ignoringNotFound(typed.ignoreNotFound) : [];
  return settledByRepeating(context.argv, readsStdin, ...keyed, ...gone);
}

/** Whether sending the request twice has the effect of sending it once. */
function isRepeatable({ method, body, idempotencyKey }: RawRequest): boolean {
  if (method === 'POST') return idempotencyKey !== undefined;
  if (method !== 'PATCH' || body === undefined) return true;
  const patch: unknown = JSON.parse(body);
  // Anything but an array of steps is a merge patch (RFC 7396).
  return !Array.isArray(patch) || (patch.every(isStep) && setsAlone(patch));
}

function isStep(step: unknown): step is PatchStep {
  return isRecord(step) && typeof step['op'] === 'string' && typeof step['path'] === 'string';
}
