import { CliError, type OutcomeUnknown } from '../errors.ts';
import { isRecord } from '../records.ts';
import { decodeJson, decodeJsonOrText, malformed } from './decode.ts';
import { requestIdOf } from './request-id.ts';
import type { Mishap, Safety } from './retry.ts';

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

/** To a write of which nothing was left to send. */
export const needless: Answer = { status: 204, headers: {}, body: undefined, requestId: undefined };

/** How one try ended. */
export type Try = { readonly answer: Answer } | { readonly mishap: Mishap; readonly error: CliError };

/** What the reading of an answer depends on. */
interface Asked {
  readonly url: string;
  readonly safety: Safety;
  readonly does: string;
  readonly plainText?: boolean;
  readonly isCredible?: ((answer: Answer) => boolean) | undefined;
}

/** A success with its body decoded; a mishap when it cannot be read, or is not what was asked for. */
export function readAnswer(
  request: Asked,
  status: number,
  headers: Answer['headers'],
  bytes: Uint8Array,
): Try {
  const requestId = requestIdOf(headers);
  const decode = request.plainText === true ? decodeJsonOrText : decodeJson;
  try {
    const body = decode(bytes, headers);
    const answer = { status, headers, body, requestId };
    if (request.safety !== 'read' && reportsFailure(body)) throw malformed('a success that reports an error');
    if (request.isCredible?.(answer) === false) throw malformed('nothing that confirms it');
    return { answer };
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    const what = `${cause.message} (${status} from ${new URL(request.url).host}).`;
    const facts = { hint: cause.hint, cause, status, requestId };
    const error = new CliError(cause.code, `Could not ${request.does}: ${what}`, facts);
    return { mishap: { kind: 'incredible' }, error };
  }
}

/** Some gateways answer 200 and say in the body that it did not work. */
function reportsFailure(body: unknown): boolean {
  if (!isRecord(body)) return false;
  const { error, errors, messages, success } = body;
  return success === false || isSaid(error) || isSaid(errors) || isSaid(messages);
}

function isSaid(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== false && value !== '';
}
