import { DescribedCommand } from '../../cli/described-command.ts';
import { invalidInput, OutcomeUnknown } from '../../cli/errors.ts';
import type { Context, Method } from '../../cli/ports.ts';
import { type Session, withSession } from '../../cli/session.ts';
import { choiceProblem } from '../../model/names.ts';
import { type PatchStep, setsAlone } from '../../model/patch.ts';
import { isRecord } from '../../model/records.ts';
import { quote } from '../../model/text.ts';
import type { Output } from '../../out/output.ts';
import { maskHeaders } from '../../out/redaction.ts';
import type { Answer } from '../../service/answer.ts';
import type { RawPages, RawRequest } from '../../service/raw.ts';
import { isOfService } from '../../service/retry.ts';
import {
  isPiped,
  lookingLine,
  type Settling,
  settledByLooking,
  settledByRepeating,
  withSettling,
} from '../lines.ts';
import { accessProblems, withAccessFlags } from '../users/access.ts';
import { ignoringNotFound, unlessIgnored } from '../write.ts';
import { consentTo, mindPeople, permitWhole } from './access.ts';
import { type FieldFlag, readsStdin as readsField } from './fields.ts';
import { requestFrom, type Typed } from './request.ts';

/**
 * `api <method> <path>`: one request as it is typed, sent with the profile's credentials, retries and guard rails.
 *
 * Units, unit groups and whatever else the contract only names can be reached with it. Nothing is renamed.
 */
export function apiCommand(context: Context) {
  // The two flags share one list, so that the order in which they are typed is kept.
  const fields: FieldFlag[] = [];
  const collectFor = (flag: FieldFlag['flag']) => (text: string) => {
    fields.push({ flag, text });
    return fields;
  };
  const command = new DescribedCommand('api', {
    effect: 'destroys',
    on: 'service',
    examples: [
      'api GET /inventory/v1/properties',
      'api GET /inventory/v1/unit-groups -f property_id=BER --paginate',
      'api PATCH /inventory/v1/properties/BER --input patch.json',
      'api PUT /inventory/v1/property-actions/MUC/archive --confirm MUC',
    ],
  })
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
      const wrong = accessProblems(options);
      if (wrong.length > 0) throw invalidInput(wrong);
      const typed = { ...options, method, path, fields };
      const raw = await requestFrom(typed, api.raw, context);
      const isTrusted = api.trustsKeys || typed.idempotencyKey !== undefined;
      const request = raw.method === 'POST' && !isTrusted ? { ...raw, leavesDoubt: true } : raw;
      await permitWhole(request, session);
      await mindPeople(request, options, session);
      await consentTo(request, options.confirm, session);
      if (options.paginate === true) {
        await showPages(await api.raw.pages(request), out);
        return;
      }
      const send = async () => {
        const answer = await api.raw.send(request).catch((error: unknown) => {
          throw withSettling(error, settling(request, typed, error, session));
        });
        await showAnswer(request, answer, options.include === true, out);
      };
      const missing = () => out.done(`${request.method} ${request.path}: nothing is there.`, { status: 404 });
      await send().catch(unlessIgnored(options.ignoreNotFound, missing));
    }),
  );
}

/** The methods that can be sent. */
const methods: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The method that a word means, in letters of any case; `undefined` when it means none. */
export function methodOf(word: string): Method | undefined {
  return methods.find((method) => method === word.toUpperCase());
}

/** What is wrong with a word that is no method. */
export function methodProblem(word: string): string {
  if (word.includes('/')) return `${quote(word)} is a path; the method comes first: innctl api GET <path>`;
  return choiceProblem(word, methods) ?? '';
}

/** Prints an answer: its head where that is wanted (a HEAD has nothing else), its body, or that it has none. */
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
  if (doubt !== undefined)
    await out.done(`${method} ${path}: nothing is there now.`, { status, presumed: true });
  else if (body === undefined) await out.done(sentence, { status });
  else await out.document(body, { write: isRead ? undefined : sentence });
}

/** Prints every page as one document; a list without a body is one without entries. */
async function showPages({ first, more }: RawPages, out: Output): Promise<void> {
  await out.document(first.body === undefined ? [] : first.body, { more });
}

/**
 * What settles an unknown outcome: the same command, with the key of a creation or taking for done what is gone, where it
 * does nothing twice; otherwise a look at what the path names.
 */
function settling(
  request: RawRequest,
  typed: Typed,
  error: unknown,
  { context, globals }: Pick<Session, 'context' | 'globals'>,
): Settling {
  const { method, path, idempotencyKey: key } = request;
  // A service that stores answers repeats its failure for as long as it knows the key.
  const isSpent =
    typed.idempotencyKey !== undefined && error instanceof OutcomeUnknown && isOfService(error.status);
  if (isSpent || !isHarmlessAgain(request)) return settledByLooking(lookingLine(globals, 'api', 'GET', path));
  const readsStdin = isPiped(typed.input) || typed.fields.some(readsField);
  const keyed = key === undefined || typed.idempotencyKey !== undefined ? [] : ['--idempotency-key', key];
  const gone = method === 'DELETE' ? ignoringNotFound(typed.ignoreNotFound) : [];
  return settledByRepeating(context.argv, { more: [...keyed, ...gone], readsStdin });
}

/** Whether the same request leaves what one leaves, and is taken a second time. */
function isHarmlessAgain({ method, body, idempotencyKey }: RawRequest): boolean {
  if (method === 'POST') return idempotencyKey !== undefined;
  if (method !== 'PATCH' || body === undefined) return true;
  const patch: unknown = JSON.parse(body);
  // A patch that is no list of steps is a merge patch (RFC 7396).
  return !Array.isArray(patch) || (patch.every(isStep) && setsAlone(patch));
}

function isStep(step: unknown): step is PatchStep {
  return isRecord(step) && typeof step['op'] === 'string' && typeof step['path'] === 'string';
}
