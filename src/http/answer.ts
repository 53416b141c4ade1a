import { CliError, OutcomeUnknown } from '../errors.ts';
import { isRecord } from '../records.ts';
import { decodeJson, decodeJsonOrText, malformed } from './decode.ts';
import { requestIdOf } from './request-id.ts';
import type { Safety } from './retry.ts';

/** A success. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded JSON; `undefined` when the answer has no body. A text where the request takes one. */
  readonly body: unknown;
  readonly requestId: string | undefined;
  /** Set where no answer said yes and it counts as done all the same: what nobody knows. */
  readonly doubt?: OutcomeUnknown;
}

/** What the reading of an answer depends on. */
interface Asked {
  readonly url: string;
  readonly safety: Safety;
  readonly does: string;
  readonly plainText?: boolean;
}

/**
 * A success with its body decoded.
 *
 * @throws {CliError} `malformed_answer` when a read got something else than JSON.
 * @throws {OutcomeUnknown} when a write did: whoever answered may not be the service.
 */
export function readAnswer(
  request: Asked,
  status: number,
  headers: Answer['headers'],
  bytes: Uint8Array,
): Answer {
  const requestId = requestIdOf(headers);
  const decode = request.plainText === true ? decodeJsonOrText : decodeJson;
  try {
    const body = decode(bytes, headers);
    if (request.safety !== 'read' && reportsFailure(body)) throw malformed('a success that reports an error');
    return { status, headers, body, requestId };
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    const what = `${cause.message} (${status} from ${new URL(request.url).host}).`;
    const facts = { hint: cause.hint, cause, status, requestId };
    if (request.safety === 'read')
      throw new CliError(cause.code, `Could not ${request.does}: ${what}`, facts);
    throw new OutcomeUnknown(`The outcome of the request to ${request.does} is unknown: ${what}`, facts);
  }
}

/** Some gateways answer 200 and say in the body that it did not work. */
function reportsFailure(body: unknown): boolean {
  if (!isRecord(body)) return false;
  const { error, errors, messages, success } = body;
  return success === false || [error, errors, messages].some(isSaid);
}

function isSaid(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== '';
}
