import { CliError } from '../errors.ts';
import { ExitCode } from '../exit-codes.ts';
import type { Answer } from '../http/answer.ts';
import { isMarkupType } from '../http/decode.ts';

/**
 * Takes a success of HEAD for that of a record. It has no body: of a page that a gateway would have sent, as of a log-in or
 * for what it cannot route, only the type is seen, and it says neither.
 *
 * @throws {CliError} `html_answer` when it is about a page.
 */
export function readHead({ headers }: Answer): void {
  if (isMarkupType(headers))
    throw new CliError('html_answer', "the service's answer is about a page, not about a record", {
      hint: 'Check the URL, and whether a proxy or a log-in page stands in between.',
    });
}

/**
 * Whether the answer to HEAD says that there is a record.
 *
 * @throws {CliError} `html_answer`, exit 1, when it is about a page.
 */
export async function isThere(asking: Promise<void>): Promise<boolean> {
  try {
    await asking;
    return true;
  } catch (cause) {
    if (!(cause instanceof CliError)) throw cause;
    if (cause.code === 'not_found') return false;
    if (cause.code !== 'html_answer') throw cause;
    const { message, status, requestId, hint } = cause;
    throw new CliError(cause.code, message, { status, requestId, hint, cause, exitCode: ExitCode.failed });
  }
}
