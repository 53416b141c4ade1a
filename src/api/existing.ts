import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Answer } from '../http/answer.ts';
import { isMarkupType } from '../http/decode.ts';

/**
 * Whether the answer to HEAD says that there is a record. It has no body: of a page that a gateway would have sent, as of a
 * log-in or for what it cannot route, only the type is seen, and it says neither.
 *
 * @throws {CliError} `html_answer`, exit 1, when it is about a page.
 */
export async function isThere(asking: Promise<Answer>): Promise<boolean> {
  try {
    const { headers, status, requestId } = await asking;
    if (!isMarkupType(headers)) return true;
    const sentence = `Could not ask whether it exists: the answer (${status}) is about a page, not about a record.`;
    throw new CliError('html_answer', sentence, { status, requestId, hint: CHECK });
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (cause.code === 'not_found') return false;
    if (cause.code !== 'html_answer') throw cause;
    const { message, status, requestId, hint } = cause;
    throw new CliError(cause.code, message, { status, requestId, hint, cause, exitCode: ExitCode.failed });
  }
}

const CHECK = 'Check the URL, and whether a proxy or a log-in page stands in between.';
