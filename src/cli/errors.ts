import { constants } from 'node:os';
import { ExitCode } from './exit-codes.ts';

/** One thing that is wrong with one field: a flag, a field of a file, or a field the service names. */
export interface Detail {
  readonly field: string;
  readonly reason: string;
}

export interface CliErrorOptions {
  /** Something to type next. */
  readonly hint?: string | undefined;
  readonly exitCode?: ExitCode | undefined;
  readonly cause?: unknown;
  /** HTTP status of the answer, where one came. */
  readonly status?: number | undefined;
  /** The service's own number for the request, which its support asks for. */
  readonly requestId?: string | undefined;
  readonly details?: readonly Detail[] | undefined;
}

/**
 * An expected failure: `code` for programs, the sentence for people, `hint` to type next.
 * Shown without a stack.
 */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly code: string;
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly details: readonly Detail[];

  constructor(code: string, sentence: string, options: CliErrorOptions = {}) {
    super(sentence, { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? ExitCode.failed;
    this.status = options.status;
    const { cause } = options;
    this.requestId = options.requestId ?? (cause instanceof CliError ? cause.requestId : undefined);
    this.details = options.details ?? [];
  }

  /** The same failure, with something to type next. */
  withHint(hint: string): CliError {
    return new CliError(this.code, this.message, { ...this.facts(), hint });
  }

  protected facts(): CliErrorOptions {
    const { exitCode, hint, status, requestId, details } = this;
    return { exitCode, hint, status, requestId, details, cause: this };
  }
}

/** The command line cannot be understood; nothing was sent. Exit 2. */
export function usageError(sentence: string, hint?: string): CliError {
  return new CliError('usage', sentence, { hint, exitCode: ExitCode.usage });
}

/** What a check said of one field: nothing, where it found no problem. */
export function detailsFor(field: string, reason: string | undefined): readonly Detail[] {
  return reason === undefined ? [] : [{ field, reason }];
}

/** More are counted, and not told. */
const MOST_TOLD = 100;

/**
 * Values that cannot be sent, all of them at once. Exit 2.
 *
 * @param details one entry per problem; `field` is the flag or the path in the file.
 */
export function invalidInput(details: readonly Detail[], hint?: string): CliError {
  const told = details.slice(0, MOST_TOLD);
  const lines = told.map(({ field, reason }) => `${field}: ${reason}`);
  const [only] = lines;
  const rest = details.length > told.length ? [`and ${details.length - told.length} more`] : [];
  const sentence =
    lines.length === 1 && only !== undefined
      ? only
      : `${details.length} values are not valid:\n${[...lines, ...rest].map((line) => `  ${line}`).join('\n')}`;
  return new CliError('invalid_input', sentence, { hint, exitCode: ExitCode.usage, details: told });
}

/**
 * A write whose effect is not known: it may have been carried out, and no answer says so.
 * Exit 8, or 130 and 143 when it was interrupted.
 * Whoever made the request catches it to settle the outcome by reading, or lets it be reported as itself.
 */
export class OutcomeUnknown extends CliError {
  constructor(sentence: string, options: CliErrorOptions = {}) {
    super('outcome_unknown', sentence, { exitCode: ExitCode.unknown, ...options });
  }

  override withHint(hint: string): OutcomeUnknown {
    return this.settledBy(hint);
  }

  /**
   * The same doubt, with the command line that settles it.
   *
   * @param line that and nothing else: programs run it.
   * @param besides what else to know, as a sentence for the message.
   */
  settledBy(line: string, besides?: string): OutcomeUnknown {
    const sentence = besides === undefined ? this.message : `${this.message} ${besides}`;
    return new OutcomeUnknown(sentence, { ...this.facts(), hint: line });
  }

  /** The same doubt, for a run that ends otherwise. */
  withExitCode(exitCode: ExitCode): OutcomeUnknown {
    return new OutcomeUnknown(this.message, { ...this.facts(), exitCode });
  }
}

/** The work is done and said, and the exit code alone is left to say what was found. */
export class Concluded extends Error {
  override readonly name = 'Concluded';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super(`concluded with exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** The reader of our output went away (`| head`): end quietly, exit 0. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/** The `code` of a system, TLS or library error, such as `EACCES`; `undefined` for anything else. */
export function codeOf(cause: unknown): string | undefined {
  if (!(cause instanceof Error && 'code' in cause && typeof cause.code === 'string')) return undefined;
  return isQuota(cause) ? 'EDQUOT' : cause.code;
}

/** What is said of whatever was thrown. */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Node has no name for it, and knows its number. */
function isQuota(cause: Error): boolean {
  return 'errno' in cause && cause.errno === -constants.errno.EDQUOT;
}
