import { CliError, OutcomeUnknown } from '../errors.ts';
import { decodeJson, decodeJsonOrText } from './decode.ts';
import { requestIdOf } from './request-id.ts';
import type { Safety } from './retry.ts';

/** A success. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded JSON; `undefined` when the answer has no body. A text where the request takes one. */
  readonly body: unknown;
  readonly requestId: string | undefined;
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
    return { status, headers, body: decode(bytes, headers), requestId };
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    const what = `${cause.message} (${status} from ${new URL(request.url).host}).`;
    const facts = { hint: cause.hint, cause, status, requestId };
    if (request.safety === 'read')
      throw new CliError(cause.code, `Could not ${request.does}: ${what}`, facts);
    throw new OutcomeUnknown(`The outcome of the request to ${request.does} is unknown: ${what}`, facts);
  }
}
